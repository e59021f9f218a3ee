"""Misspellings of rare words are led back to the words there are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table, texts

from recollect.text.lexical import correction_prefixes, corrections, idf, saturation

VOCABULARY = texts("""
    violin | violet | viola | restaur | schwarzwald | recip | receiv | kubernet | maria | 2024x
""")


@table(
    ("term", "found"),
    [
        ("violn", ["viola", "violin"]),
        ("voilin", ["violin"]),
        ("recieve", []),
        ("reciev", ["receiv"]),
        ("ivolin", ["violin"]),
        ("kuberent", ["kubernet"]),
        ("shwarzwlad", ["schwarzwald"]),
        ("shwarzwlda", []),
        ("viola", []),
        ("vila", []),
        ("biolin", []),
        ("2025x", []),
        ("snake_casf", []),
        ("猫の名前はタマ", []),
        ("고양이이름은", []),
    ],
)
def test_a_word_is_led_to_what_is_a_slip_away(term: str, found: list[str]) -> None:
    assert corrections(term, VOCABULARY) == found


def test_the_nearest_three_come_first() -> None:
    near = ["abcdefghxx", "abcdefghi", "abcdefgxi", "abcdefghijk", "abcdefghik"]
    assert corrections("abcdefghij", near) == ["abcdefghik", "abcdefghi", "abcdefghijk"]


def test_the_vocabulary_is_looked_up_under_few_prefixes() -> None:
    assert correction_prefixes("violin") == ("vi", "iv", "v")
    assert correction_prefixes("aardvark") == ("aa", "a")
    for term in ("", "v", "vila", "2024x", "a1b2c3d4", "foo.bar", "猫の名前はタマ"):
        assert correction_prefixes(term) == ()


@given(st.text("abcdé1猫", max_size=12), st.lists(st.text("abcdé1猫", max_size=12)))
def test_every_correction_stands_under_a_prefix(term: str, vocabulary: list[str]) -> None:
    found = corrections(term, vocabulary)
    assert len(found) <= 3
    assert {*found} <= {*vocabulary} - {term}
    prefixes = correction_prefixes(term)
    assert all(word.startswith(prefixes) for word in found)
    reachable = [word for word in vocabulary if word.startswith(prefixes)] if prefixes else []
    assert corrections(term, reachable) == found


def test_idf_is_lucenes() -> None:
    assert idf(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    assert idf(10, 0) > idf(10, 1) > idf(10, 10) > 0
    assert idf(0, 0) == pytest.approx(math.log(2))


def test_a_term_said_once_in_a_text_of_mean_length_saturates_at_one_in_one_and_k1() -> None:
    assert saturation(1, 10, 10) == pytest.approx(1 / 2.2)
    assert saturation(3, 20, 10) == pytest.approx(3 / (3 + 1.2 * 1.75))


@given(st.integers(1, 1_000), st.integers(1, 10_000), st.floats(0.5, 10_000))
def test_repetition_raises_saturation_and_length_lowers_it(frequency: int, length: int, mean: float) -> None:
    here = saturation(frequency, length, mean)
    assert 0 < here < 1
    assert saturation(frequency + 1, length, mean) > here
    assert saturation(frequency, length + 1, mean) < here
