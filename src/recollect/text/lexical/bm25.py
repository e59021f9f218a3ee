"""Weighs matched terms by BM25. Pure.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the non-negative idf and without
the factor k1 + 1, as in Lucene's BM25Similarity since 8.0.
"""

import math
from typing import Any

_K1, _B = 1.2, 0.75
"""The usual parameters: how far repetition counts, and how much length counts against a text."""

COVERED = 0.5
"""The share of the highest idf sum that counts as full coverage: a term said once in a text of mean
length saturates at 1 / (1 + k1), a little below it."""


def idf(documents: int, containing: int) -> float:
    """Return the inverse document frequency of a term that ``containing`` of ``documents`` texts hold: never negative, highest for none."""
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))


def saturation(frequency: Any, length: Any, mean_length: Any) -> Any:
    """Return the part of a term's idf that a text earns by holding it ``frequency`` times, in [0, 1).

    Plain arithmetic: numbers, or arrays that broadcast (numpy). Lengths are in terms; ``mean_length`` is above 0.
    """
    return frequency / (frequency + _K1 * (1 - _B + _B * length / mean_length))
