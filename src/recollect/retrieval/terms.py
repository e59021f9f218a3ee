"""Scores documents by the terms they share with a query: BM25 with the term statistics of the user's own documents. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.model import Lexicon, Occurrences
from recollect.text.lexical import idf, saturation

_CORRECTED = 0.8
"""The weight of a spelling correction; an exact term counts 1."""

Floats = NDArray[np.float64]


class TermScore(NamedTuple):
    """How well one document matches a query's terms.

    Attributes:
        bm25: The BM25 score of the document with its context.
        own_matched: The sum of the idf of the query's terms that the document alone holds.
    """

    bm25: float = 0.0
    own_matched: float = 0.0


_NOTHING = TermScore()


@dataclass(frozen=True, slots=True)
class TermScores:
    """How well documents match a query's terms.

    Attributes:
        documents: The numbers of the documents that hold any of the terms, (n,), ascending.
        scores: Their scores, (n, 2), in the order of ``TermScore``.
        idf_total: The sum of the idf of all terms of the query. A term in no document has the largest idf.
        idf_seen: The sum of the idf of the terms that any document holds.
    """

    documents: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    scores: Floats = field(default_factory=lambda: np.empty((0, 2)))
    idf_total: float = 0.0
    idf_seen: float = 0.0

    @property
    def seen(self) -> float:
        """The share of the query's terms, by idf, that any document holds, 0 to 1."""
        return self.idf_seen / self.idf_total if self.idf_total > 0 else 0.0

    def best(self, limit: int) -> list[int]:
        """Return the numbers of the ``limit`` documents with the best BM25, best first, newest first among equals."""
        order = np.lexsort((-self.documents, -self.scores[:, 0]))[:limit]
        numbers: list[int] = self.documents[order].tolist()
        return numbers

    def of(self, documents: Sequence[int | None]) -> list[TermScore]:
        """Return the scores of documents, in order; zeros for None, and for a document that holds none of the terms."""
        if not len(self.documents):
            return [_NOTHING] * len(documents)
        numbers = np.array([-1 if number is None else number for number in documents], np.int64)
        places = np.minimum(np.searchsorted(self.documents, numbers), len(self.documents) - 1)
        scores = np.where((self.documents[places] == numbers)[:, None], self.scores[places], 0.0)
        return [TermScore(*row) for row in scores.tolist()]


def score_terms(lexicon: Lexicon, terms: Sequence[str], meant: Mapping[str, str]) -> TermScores:
    """Score the user's documents by ``terms``: BM25 (Robertson and Zaragoza, 2009), k1 1.2, b 0.75, with Lucene's idf.

    Args:
        lexicon: The occurrences of the terms and of their spelling corrections.
        terms: The terms of the query.
        meant: The spelling corrections, by the mistyped term.
    """
    found: list[Occurrences] = []
    columns: list[Floats] = []
    idf_total = idf_seen = 0.0
    for term in terms:
        occurrences = lexicon.occurrences.get(meant.get(term, term))
        weight = idf(lexicon.documents, 0 if occurrences is None else len(occurrences.documents))
        idf_total += weight
        if occurrences is not None:
            idf_seen += weight
            found.append(occurrences)
            counted = weight * _CORRECTED if term in meant else weight
            columns.append(_scored(occurrences, counted, lexicon.mean_length))
    if not found:
        return TermScores(idf_total=idf_total)
    documents, places = np.unique(np.concatenate([each.documents for each in found]), return_inverse=True)
    scored = np.concatenate(columns)
    summed = [np.bincount(places, scored[:, n]) for n in range(scored.shape[1])]
    return TermScores(documents, np.stack(summed, axis=1).astype(np.float64), idf_total, idf_seen)


def _scored(occurrences: Occurrences, weight: float, mean: float) -> Floats:
    """Return the scores of the documents that hold one term, (n, 2), in the order of ``TermScore``."""
    whole = saturation(occurrences.frequencies, occurrences.lengths, mean)
    scored: Floats = weight * np.stack([whole, (occurrences.own > 0).astype(np.float64)], axis=1)
    return scored
