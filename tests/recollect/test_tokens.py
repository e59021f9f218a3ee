import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("The quick brown fox jumps over the lazy dog.", 11),
        ("敏捷的棕色狐狸", 7),
        ("こんにちは", 5),
        ("안녕하세요", 5),
        ("我用 Python 写代码", 7),
    ],
)
def test_tokens_are_about_four_letters_or_one_wide_character(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_two_texts_cost_at_least_what_they_cost_together(one: str, other: str) -> None:
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)
