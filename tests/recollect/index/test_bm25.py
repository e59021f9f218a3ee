"""A rare term weighs more, and its repetition ever less."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import idf, saturation


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
