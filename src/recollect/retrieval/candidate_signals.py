"""What is known of candidates and of a question, as parallel arrays. Pure. Never: what a signal counts."""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]

SELF_SHARE = 0.15
"""The share of first-person words from which on a message is about whoever wrote it."""

_POOLED = 3
"""How many of a session's best candidates tell what the session is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of ``n`` candidates, and of the question.

    Arrays have the shape (n,). None means that nothing is known of any candidate, NaN of that one.

    Attributes:
        cosine: Of the question and the nearest part of the message, -1 to 1.
        first_cosine: Of the question and the message's first part.
        coverage: BM25 over the message and its neighbours' words, as a share of what would cover the
            question (`recollect.text.lexical.COVERED`), 0 to 1.
        own_coverage: The same over the message alone.
        matched: The idf share of the question's terms that message or neighbours hold, 0 to 1.
        own_matched: The idf share that the message itself holds.
        identifiers: The share of the question's code identifiers that it holds.
        role: 1 where the user said it (and for memories, which are what the user said), else 0.
        speaker: 1 where the question names who said it.
        date: `recollect.text.dates.proximity` to what the question means, 0 to 1.
        session: A number a session; below 0 where there is none.
        previous: Where in these arrays the message before it in its session is, -1 if it is no candidate.
        following: The same of the message after it.
        self_share, states_taste, ends_asking, lists, words: `recollect.text.statement_features.Statement`.
        importance: 0 to 1; of messages 0.
        age_days: Days since it was said.
        confirmed: How often it was said again.
        seeks_advice: Whether the question does (`recollect.text.statement_features.seeks_advice`).
        asks_about_reply: Whether it asks what the assistant said.
        names_code: Whether it holds code identifiers.
        terms: How many terms it looks for.
        idf_total: The sum of their idf.
    """

    cosine: Floats | None = None
    first_cosine: Floats | None = None
    coverage: Floats | None = None
    own_coverage: Floats | None = None
    matched: Floats | None = None
    own_matched: Floats | None = None
    identifiers: Floats | None = None
    role: Floats | None = None
    speaker: Floats | None = None
    date: Floats | None = None
    session: Places | None = None
    previous: Places | None = None
    following: Places | None = None
    self_share: Floats | None = None
    states_taste: Floats | None = None
    ends_asking: Floats | None = None
    lists: Floats | None = None
    words: Floats | None = None
    importance: Floats | None = None
    age_days: Floats | None = None
    confirmed: Floats | None = None
    seeks_advice: bool = False
    asks_about_reply: bool = False
    names_code: bool = False
    terms: int = 0
    idf_total: float = 0.0

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return next((len(each) for each in self._arrays()), 0)

    def known(self, name: str) -> Floats:
        """Return the signal ``name``, with 0 where it is not known."""
        signal: Floats | None = getattr(self, name)
        return np.zeros(self.size) if signal is None else np.where(np.isnan(signal), 0.0, signal)

    def check(self) -> None:
        """Raise ValueError if two signals differ in length."""
        if len({each.shape for each in self._arrays()}) > 1:
            raise ValueError("The signals of the candidates differ in length.")

    def _arrays(self) -> list[NDArray[Any]]:
        signals = (getattr(self, name) for name in self.__slots__)
        return [each for each in signals if isinstance(each, np.ndarray)]


class SessionScores(NamedTuple):
    """What a candidate's session holds, (n,) each; without a session, what the candidate is itself.

    Attributes:
        mean: The mean score of its three best candidates.
        best: The score of its best.
        size: How many candidates it has.
    """

    mean: Floats
    best: Floats
    size: Floats


def pool(scores: Floats, session: Places | None) -> SessionScores:
    """Return what the sessions of the candidates with ``scores`` hold."""
    if session is None or not len(scores):
        return SessionScores(scores, scores, np.ones(len(scores)))
    number = np.where(session < 0, session.max(initial=0) + 1 + np.arange(len(session)), session)
    _, group = np.unique(number, return_inverse=True)
    order = np.lexsort((-scores, group))
    first = np.searchsorted(group[order], np.arange(group.max() + 1))
    place = np.arange(len(order)) - first[group[order]]
    top = order[place < _POOLED]
    size = np.bincount(group).astype(np.float64)
    mean = np.bincount(group[top], scores[top]) / np.minimum(size, _POOLED)
    return SessionScores(mean[group], scores[order[first]][group], size[group])


def cosines(signals: Signals) -> tuple[Floats, Floats]:
    """Return the cosines of the best and of the first part.

    One stands for the other where only one is known; where none is, the candidates' mean, as a
    message that waits for its embedding is neither near nor far.
    """
    unknown = np.full(signals.size, np.nan)
    best = unknown if signals.cosine is None else signals.cosine
    first = unknown if signals.first_cosine is None else signals.first_cosine
    best, first = np.where(np.isnan(best), first, best), np.where(np.isnan(first), best, first)
    seen = ~np.isnan(best)
    if not seen.any():
        return np.zeros(signals.size), np.zeros(signals.size)
    return np.where(seen, best, best[seen].mean()), np.where(seen, first, first[seen].mean())
