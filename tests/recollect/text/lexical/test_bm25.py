"""The arithmetic of BM25 against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.lexical import idf, saturation


def test_idf_is_lucenes() -> None:
    assert idf(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    assert idf(10, 0) > idf(10, 1) > idf(10, 10) > 0
    assert idf(0, 0) == pytest.approx(math.log(2))


def test_a_term_said_once_in_a_text_of_mean_length_saturates_at_one_in_one_and_k1() -> None:
    assert saturation(1, 10, 10) == pytest.approx(1 / 2.2)
    assert saturation(3, 20, 10) == pytest.approx(3 / (3 + 1.2 * 1.75))


def test_arrays_are_weighed_as_their_elements_are() -> None:
    weighed = saturation(np.array([1.0, 2.0, 0.0]), np.array([5.0, 10.0, 3.0]), 8.0)
    assert weighed == pytest.approx([saturation(1, 5, 8), saturation(2, 10, 8), 0.0])


@given(st.integers(1, 1_000), st.integers(1, 10_000), st.floats(0.5, 10_000))
def test_repetition_raises_saturation_and_length_lowers_it(frequency: int, length: int, mean: float) -> None:
    here = saturation(frequency, length, mean)
    assert 0 < here < 1
    assert saturation(frequency + 1, length, mean) > here
    assert saturation(frequency, length + 1, mean) < here
