"""What is asked before an expression is found wherever that is found."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compiled_patterns import sieved_ones, texts_of

from recollect.supersets import sieved, superset

_EXPRESSIONS = (
    *(
        r"\ba\b",
        r"(?<!\w)a{1,2}(?!\w)",
        r"^a$",
        r"(?>a|ab)b",
        r"a++b",
        r"(?:a b){0,2}?c",
        r"[\]b]+a",
        r"(?!)|b",
    ),
    *(
        r"(?<!x(?:a|b))b",
        r"a(?=\(|b)",
        r"(?P<x>a|(?P<y>b))",
        r"a{2}?|b",
        r"a{0,3}+b",
        r"\Aa.{0,2}b\Z",
        r"[\^$]a|\$b",
    ),
)
_TEXTS = st.text(st.sampled_from("ab cx().$^]\n\u00e9\u8bf7"), max_size=12)


@given(st.sampled_from(_EXPRESSIONS), _TEXTS)
def test_a_superset_is_found_where_its_expression_is(expression: str, text: str) -> None:
    if re.search(expression, text) is not None:
        assert superset(expression).search(text) is not None
    found = re.search(expression, text)
    assert (sieved(expression).search(text) is None) is (found is None)
    assert [each.span() for each in sieved(expression).finditer(text)] == [
        each.span() for each in re.finditer(expression, text)
    ]


def test_every_expression_that_is_sieved_is_found_through_its_sieve() -> None:
    lost = [
        (pattern.pattern[:80], text)
        for pattern in sieved_ones()
        for piece in texts_of(pattern.pattern)
        for text in (piece, f"so {piece} b", f"{piece}\n{piece}")
        if pattern.compiled.search(text) is not None and not pattern.may_be_in(text)
    ]

    assert lost == []


def test_what_never_matches_stays_so() -> None:
    assert superset(r"(?!)").search("a\n") is None


def test_half_of_a_pair_of_surrogates_is_read_as_any_character() -> None:
    assert sieved("a.b").search("a\ud83db") is not None


@pytest.mark.parametrize("expression", [r"(a)\1", r"[^\W_]"])
def test_what_has_no_superset_is_refused_when_it_is_first_asked(expression: str) -> None:
    with pytest.raises(ValueError, match="RE2"):
        sieved(expression).search("aa")
