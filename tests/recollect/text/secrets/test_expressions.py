"""The expressions of masking: with the prefilter and without it the same is masked, and the automata stay small."""

import sys
import unicodedata
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.text.secrets.secret_texts import ASSIGNED, HARMLESS, SENTENCES
from tests.support.tables import table

from recollect.text.patterns import Linear, linear
from recollect.text.secrets import mask, masking, warm
from recollect.text.secrets.masking import MaskedText
from recollect.text.secrets.values import SEPARATOR

TEXTS = [*(text for text, _ in (*ASSIGNED, *SENTENCES)), *HARMLESS]
PIECES = sorted({word for text in TEXTS for word in text.split()})
BETWEEN = (" ", "\n", ": ", "", "-", "_", "**", " | ", "`", "> ", " 4111 1111 ", "DE89 ", "\u5bc6", "\u0131")


def masked_by_every_reader(text: str) -> MaskedText:
    """Mask a text without the prefilter."""
    anything = linear("")
    with (
        patch.object(masking, "_MAY_HAVE_FORM", anything),
        patch.object(masking, "_MAY_HAVE_NUMBER", anything),
        patch.object(masking, "names_one", lambda _: True),
    ):
        return mask(text)


@table("text", TEXTS)
def test_a_text_of_the_tables_is_masked_alike_without_the_prefilter(text: str) -> None:
    assert mask(text) == masked_by_every_reader(text)


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(BETWEEN)), max_size=14))
def test_any_text_is_masked_alike_without_the_prefilter(pieces: list[tuple[str, str]]) -> None:
    text = "".join(map("".join, pieces))
    assert mask(text) == masked_by_every_reader(text)


MOST_STEPS, MOST_STEPS_IN_ALL = 16_000, 260_000


def expressions() -> list[Linear]:
    modules = [module for name, module in sys.modules.items() if name.startswith("recollect.text.secrets.")]
    found = [each for module in modules for each in vars(module).values() if isinstance(each, Linear)]
    return list({id(each): each for each in found}.values())


def test_no_expression_takes_many_steps() -> None:
    warm()
    steps = [each._compiled.programsize for each in expressions()]
    assert len(steps) > 50
    assert max(steps) <= MOST_STEPS
    assert sum(steps) <= MOST_STEPS_IN_ALL


def test_a_separator_is_no_letter_and_no_digit() -> None:
    separator = linear(SEPARATOR)
    letters = "".join(
        chr(each) for each in range(sys.maxunicode) if unicodedata.category(chr(each))[0] in "LN"
    )
    assert separator.search(letters) is None


@table(
    "between",
    [
        *(" ", "-", "\u2013", ".", "/", "\u00b7", "\u00a0", "\u2009", "\u200b", "\ufeff", "\u3000", "\uff0d"),
        "\U0001f4b3",
    ],
)
def test_a_number_is_masked_with_any_separator_that_people_type(between: str) -> None:
    assert "1111" not in mask(between.join(["My card is 4111", "1111", "1111", "1111"])).text
