from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.text.comparison.vetoes import names_in


def names(content: str, evidence: str = "") -> set[str]:
    return {word.plain for word in names_in(content, evidence)}


@table(
    ("content", "expected"),
    [
        ("Works at Halvorsen in Bergen", {"halvorsen", "bergen"}),
        ("Has an iPad", {"ipad"}),
        ("Swims on Mondays in May", set()),
        ("Wohnt mit Friederike in der Nähe von Bamberg", set()),
        ("住在青岛", set()),
    ],
)
def test_a_capital_within_a_sentence_makes_a_name_but_not_in_german(content: str, expected: set[str]) -> None:
    assert names(content) == expected


def test_a_name_at_the_beginning_is_seen_by_the_evidence() -> None:
    assert names("Mathilda turns four", "our Mathilda turns four") == {"mathilda"}
    assert names("Tea is their drink", "tea is what we drink") == set()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_survived(content: str, evidence: str) -> None:
    assert all(word.stems for word in names_in(content, evidence))
