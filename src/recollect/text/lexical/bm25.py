"""The formulas of BM25, as in Lucene.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the non-negative idf and without
the constant factor k1 + 1, as in Lucene's BM25Similarity since 8.0.
"""

import math
from typing import Any, overload

COVERED = 0.5
"""The share of the highest idf sum that counts as full coverage: a term said once in a text of mean
length saturates at 1 / (1 + k1), a little below it."""


def idf(documents: int, containing: int) -> float:
    """Return the inverse document frequency of a term that ``containing`` of ``documents`` texts hold: never negative.

    A term that none holds (``containing`` = 0) is the most telling.
    """
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))


@overload
def saturation(
    frequency: float, length: float, mean_length: float, *, k1: float = ..., b: float = ...
) -> float: ...
@overload
def saturation(frequency: Any, length: Any, mean_length: Any, *, k1: float = ..., b: float = ...) -> Any: ...
def saturation(frequency: Any, length: Any, mean_length: Any, *, k1: float = 1.2, b: float = 0.75) -> Any:
    """Return the part of a term's idf that a text earns by holding it ``frequency`` times, in [0, 1).

    Plain arithmetic: numbers, or arrays that broadcast (numpy). Lengths are in terms.

    Args:
        frequency: How often the text holds the term.
        length: How many terms the text holds.
        mean_length: How many terms texts hold on average; above 0.
        k1: How late repetition stops to count.
        b: How much length counts against a text, 0 to 1.
    """
    return frequency / (frequency + k1 * (1 - b + b * length / mean_length))
