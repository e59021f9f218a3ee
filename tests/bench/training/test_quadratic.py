"""The head with products learns what no linear head can: whether two dimensions have the same sign."""

import numpy as np

from bench.training.relevance import quadratic


def test_a_quadratic_head_tells_equal_signs_from_different_ones() -> None:
    vectors = np.array([[x, y, 0.5] for x in (-1.0, 1.0) for y in (-1.0, 1.0)] * 5)
    target = (vectors[:, 0] == vectors[:, 1]).astype(np.float64)

    head = quadratic(vectors, target)

    assert [head.score(each.astype(np.float32)) > 0 for each in vectors] == target.astype(bool).tolist()
