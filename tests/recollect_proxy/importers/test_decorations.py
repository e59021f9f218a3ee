"""The decorations of community filters around a memory's text come off, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect_proxy.importers.screening import Undecorated, undecorated


def test_decorations_come_off_both_ends() -> None:
    plain = undecorated(
        "[Tags: Preference, behavior] Reads on trains [Memory Bank: Personal] [Confidence: 0.85]"
    )

    assert plain == Undecorated(
        "Reads on trains", frozenset({"preference", "behavior"}), 0.85, is_decorated=True
    )


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("Tea [Confidence: 0.4]", 0.4),
        ("Tea [confidence: 85 %]", 0.85),
        ("Tea [Confidence: 85]", 0.85),
        ("Tea [Confidence: -1]", 0.0),
        ("Tea [Confidence: 500]", 1.0),
        ("Tea [Confidence: high]", None),
        ("Tea [Confidence: nan]", None),
    ],
)
def test_a_confidence_is_read_as_people_write_it(text: str, confidence: float | None) -> None:
    assert undecorated(text) == Undecorated("Tea", frozenset(), confidence, is_decorated=True)


@pytest.mark.parametrize(
    "text",
    [
        "I wrote [Tags: x] in the middle of it",
        "My list [1]",
        "[draft] Reads on trains",
        "[Tags: never closed",
        "Tea [Confidence: 0.5] in the afternoon",
        "",
    ],
)
def test_what_is_a_persons_own_stays(text: str) -> None:
    assert undecorated(text) == Undecorated(text)


def test_nothing_but_decorations_leaves_no_text() -> None:
    assert undecorated("[Tags: a] [Confidence: 0.5]").text == ""


@given(st.text())
def test_any_text_is_survived_and_stays_a_part_of_itself(text: str) -> None:
    assert undecorated(text).text in text


@given(st.text(alphabet=st.characters(exclude_characters="[]", exclude_categories=["Cs"])))
def test_a_text_that_is_decorated_comes_back_as_it_was(text: str) -> None:
    assert undecorated(f"[Tags: a] {text} [Memory Bank: Work] [Confidence: 0.5]").text == text.strip()


def test_a_huge_text_of_brackets_is_read_at_once() -> None:
    assert undecorated("[" * 500_000 + "]").text.startswith("[[")
