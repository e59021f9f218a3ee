import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.formation.grounding import plain_quote, plain_text, searchable, weight

SAID = "Hi! We've moved from Antwerp to Ghent in Febuary, and I dont eat meat, only fish. Is 3 o'clock fine?"


def found(quote: str, text: str = SAID) -> str | None:
    return searchable(text).closest(plain_quote(quote))


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("We've moved from Antwerp to Ghent in February", "We've moved from Antwerp to Ghent in Febuary"),
        ("and I don't eat meat, only fish", "and I dont eat meat, only fish"),
        ("I dont eat meat only fish", "I dont eat meat, only fish"),
    ],
)
def test_a_quote_with_slips_is_found_as_it_stands(quote: str, stands: str) -> None:
    assert found(quote) == stands


@table(
    "quote",
    [
        "We've moved from Antwerp to Bruges in Febuary",
        "and I do eat meat, only fish. Is 3 o'clock fine",
        "eat meat, only fish. Is 4 o'clock fine",
        "and I dont eat meat, only fish and eggs and cheese",
        "meat",
        "The user has a boat",
        "moved to Antwerp from Ghent in Febuary",
    ],
)
def test_a_quote_that_says_something_else_is_not(quote: str) -> None:
    assert found(quote) is None


def test_long_quotes_differ_by_one_name_or_side_and_are_not_found() -> None:
    text = "my daughter Iona starts school in September 2026 and her left knee still hurts after every lesson"

    assert found(text.replace("Iona", "Isla"), text) is None
    assert found(text.replace("hospital", "hospitall"), text) == text
    assert found(text.replace("left", "right"), text) is None
    assert found(text.replace("after", "before"), text) is None
    assert found(text.replace("starts", "start"), text) == text


def test_of_a_long_quote_every_word_has_to_stand_there() -> None:
    text = "when I fell off the ladder last autumn they operated on my left knee in the hospital of Aalst and it took ages"

    assert found(text.replace("hospital", "hospitall"), text) == text
    assert found(text.replace("left", "right"), text) is None
    assert found(text.replace("they", "they never"), text) is None
    assert found(text.replace("my left", "my 2 left"), text) is None
    assert found(text.replace("the hospital", "the hospitol"), f"{text}  \n ") == text
    assert (
        found(text.replace("when", "before").replace("hospital", "hospitol"), text.replace("when", "after"))
        is None
    )
    assert found(text.replace("the hospital", "the old hospital"), text) is None
    assert found(text.replace("the hospital", "hospital"), text) is None
    assert found(text.replace("ages", "ages" + " and so on" * 60), text + " and so on" * 60) is not None
    assert found("hospital" * 60, "hospitel" * 60) is None


def test_the_span_stands_as_it_was_typed_with_its_capitals_and_spaces() -> None:
    text = "ok.  I   REALLY love the “Straße” in\nMünster in autumn!"

    assert found('I realy love the "Straße" in Münster in autumn', text) == text[5:-1]


def test_what_folds_otherwise_with_its_neighbours_is_given_as_it_was_searched() -> None:
    text = "I   like the word \u1100\u1161\u11a8 very much indeed, e\u0327\u0301"

    assert found("I like the word \uac01 very much indeedd", text) is not None


@table(
    ("said", "quote"),
    [
        ("ich habe keinen eigenen Wagen zu Hause", "ich habe einen eigenen Wagen zu Hause"),
        ("I do not eat any meat these days", "I do eat any meat these days"),
        ("I could never live in Berlin again", "I could ever live in Berlin again"),
        ("we are unhappy with the new school", "we are happy with the new school"),
        ("I can't eat nuts or shellfish at all", "I can eat nuts or shellfish at all"),
        ("the dose went up to 50 mg in the morning", "the dose went up to 60 mg in the morning"),
        ("我现在不喜欢在家里喝咖啡了", "我现在喜欢在家里喝咖啡了"),
    ],
)
def test_a_quote_that_denies_or_counts_otherwise_is_not_found(said: str, quote: str) -> None:
    assert found(quote, said) is None


def test_letters_of_scripts_without_spaces_weigh_twice() -> None:
    assert weight("abc 1!") == 4
    assert weight("吃素") == 4


@given(st.text(), st.text())
def test_any_quote_is_looked_for_in_any_text(quote: str, text: str) -> None:
    part = found(quote, text)

    assert part is None or part


@given(st.text(min_size=1))
def test_a_text_holds_itself(text: str) -> None:
    quote = plain_quote(text)

    assert not quote or searchable(text).has(quote) or plain_text(text) != quote


@table("letters", ["a", "ab ", "不", "\u0301", "1 "])
def test_a_megabyte_is_searched_soon(letters: str) -> None:
    text = letters * (1_000_000 // len(letters))

    assert searchable(text).closest("something else altogether, in so many words") is None
    assert len(searchable(text).plain) <= 12_000
