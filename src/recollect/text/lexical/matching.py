"""How a matched term is weighted (BM25), and to which terms a misspelled one is led.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the non-negative idf and without
the factor k1 + 1, as in Lucene's BM25Similarity since 8.0. The distance of a misspelling is optimal string alignment
(restricted Damerau-Levenshtein): two swapped letters are one error.
"""

import math
from collections.abc import Iterable
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from recollect.text.lexical.letters import UNSPACED
from recollect.text.patterns import anchored

_ONE_SLIP, _TWO_SLIPS = 5, 9
"""From how many letters on a term may hold one slip, or two."""
_SUGGESTIONS = 3
_WORD = anchored(rf"[^\W\d_{UNSPACED}]+")


def correction_prefixes(term: str) -> tuple[str, ...]:
    """Return the prefixes under which every correction of ``term`` stands in a sorted vocabulary.

    Its first two letters, under which most stand; the two swapped; and the first alone, which is
    rarely wrong otherwise. Empty when ``term`` is not to be corrected: short, or not a word.
    """
    if not _slips(term):
        return ()
    return tuple(dict.fromkeys((term[:2], term[1] + term[0], term[0])))


def corrections(term: str, vocabulary: Iterable[str]) -> list[str]:
    """Return the terms that ``term`` may be a misspelling of, nearest first, at most three.

    Words of ``vocabulary`` that start alike and are one slip away (two from nine letters on). None
    when ``vocabulary`` holds ``term`` itself: it is spelled right.
    """
    prefixes = correction_prefixes(term)
    if not prefixes:
        return []
    choices = [word for word in vocabulary if word.startswith(prefixes)]
    near = process.extract(term, choices, scorer=OSA.distance, score_cutoff=_slips(term), limit=None)
    if any(distance == 0 for _, distance, _ in near):
        return []
    # Few are near: whether a choice is a word at all is asked last.
    ranked = sorted(
        {(distance, abs(len(word) - len(term)), word) for word, distance, _ in near if _WORD.fullmatch(word)}
    )
    return [word for _, _, word in ranked[:_SUGGESTIONS]]


def _slips(term: str) -> int:
    """Return how many errors are allowed for a term of this length."""
    if len(term) < _ONE_SLIP or not _WORD.fullmatch(term):
        return 0
    return 2 if len(term) >= _TWO_SLIPS else 1


_K1, _B = 1.2, 0.75
"""How late repetition stops to count, and how much length counts against a text."""

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
