"""The automata of masking stay small: they are in every process that chats."""

import sys
import unicodedata

from tests.support.tables import table

from recollect.text.patterns import Linear, linear
from recollect.text.secrets import mask, warm
from recollect.text.secrets.values import SEPARATOR

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
        " ",
        "-",
        "\u2013",
        ".",
        "/",
        "\u00b7",
        "\u00a0",
        "\u2009",
        "\u200b",
        "\ufeff",
        "\u3000",
        "\uff0d",
        "\U0001f4b3",
    ],
)
def test_a_number_is_masked_with_any_separator_that_people_type(between: str) -> None:
    assert "1111" not in mask(between.join(["My card is 4111", "1111", "1111", "1111"])).text
