"""The prefilter of masking skips readers that would find nothing: with it and without it the same is masked."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.text.secrets.secret_texts import ASSIGNED, HARMLESS, SENTENCES
from tests.support.tables import table

from recollect.text.patterns import linear
from recollect.text.secrets import MaskedText, mask, masking

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
