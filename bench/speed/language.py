"""Words as a language has them, and vectors, drawn at random, the same in each run. Never: what they mean."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from recollect.model import Vector

DIMENSIONS = 384
_WORDS, _ZIPF, _STOP_WORDS = 30_000, 1.05, 30


class Language:
    """Draws words and vectors, the same ones in each run."""

    def __init__(self) -> None:
        self._numbers = np.random.default_rng(7)
        weights = 1 / (np.arange(_WORDS) + _STOP_WORDS + 1) ** _ZIPF
        self._weights = weights / weights.sum()

    def words(self, count: int) -> list[str]:
        """Return that many words, often ones often."""
        drawn = self._numbers.choice(_WORDS, count, p=self._weights)
        return [f"word{number}" for number in drawn]

    def terms(self, count: int) -> Mapping[str, int]:
        """Return how often each of that many words was drawn."""
        return Counter(self.words(count))

    def vector(self) -> Vector:
        """Return a unit vector."""
        drawn = self._numbers.normal(size=DIMENSIONS).astype(np.float32)
        unit: Vector = drawn / np.linalg.norm(drawn)
        return unit
