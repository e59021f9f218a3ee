"""Computes the signals of candidates (memories and messages) and of the question, as parallel arrays. Pure.

If several parts of a message were found, the best one counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.model import Hit, Item, Memory, Passage, Role, Statement
from recollect.model.local_time import wall
from recollect.retrieval.candidates import SearchResults
from recollect.retrieval.query import RecallQuery
from recollect.retrieval.relevance import Floats
from recollect.retrieval.terms import TermScore
from recollect.text.dates import proximity
from recollect.text.lexical import COVERED
from recollect.text.patterns import bounded
from recollect.text.statement_features import statement_features

Places: TypeAlias = NDArray[np.int64]

SELF_SHARE = 0.15
"""With this share of first-person words or more, a message is about its author."""

_POOLED = 3
"""The number of a session's best candidates over which its score is averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The signals of ``n`` candidates, and of the question.

    Arrays have the shape (n,). None means that a signal is unknown for all candidates, NaN that it is unknown for one.

    Attributes:
        cosine: The cosine of the question and the message's nearest part, -1 to 1.
        first_cosine: The cosine of the question and the message's first part, -1 to 1.
        coverage: BM25 over the message and its neighbours, as a share of the score that covers the question
            (`recollect.text.lexical.COVERED`), 0 to 1.
        own_matched: The idf share of the question's terms that the message itself holds, 0 to 1.
        identifiers: The share of the question's code identifiers that the message holds, 0 to 1.
        role: 1 if the user said it, else 0; memories count as said by the user.
        speaker: 1 if the question names the message's speaker, else 0.
        date: `recollect.text.dates.proximity` to the dates that the question means, 0 to 1.
        session: The number of the candidate's session; negative without a session.
        self_share: First-person words as a share of the message's words, 0 to 1; 0 for a memory and for pasted text.
        states_taste: 1 if the message says what its author likes or avoids, else 0; 0 likewise.
        importance: The memory's importance, 0 to 1; 0 for a message.
        seeks_advice: Whether the question seeks advice (`recollect.text.statement_features.seeks_advice`).
        asks_about_reply: Whether the question asks what the assistant said.
        names_code: Whether the question holds code identifiers.
    """

    cosine: Floats | None = None
    first_cosine: Floats | None = None
    coverage: Floats | None = None
    own_matched: Floats | None = None
    identifiers: Floats | None = None
    role: Floats | None = None
    speaker: Floats | None = None
    date: Floats | None = None
    session: Places | None = None
    self_share: Floats | None = None
    states_taste: Floats | None = None
    importance: Floats | None = None
    seeks_advice: bool = False
    asks_about_reply: bool = False
    names_code: bool = False

    @property
    def size(self) -> int:
        """The number of candidates."""
        return next((len(each) for each in self._arrays()), 0)

    def known(self, name: str) -> Floats:
        """Return the signal ``name``, (n,), with 0 for unknown values."""
        signal: Floats | None = getattr(self, name)
        return np.zeros(self.size) if signal is None else np.where(np.isnan(signal), 0.0, signal)

    def check(self) -> None:
        """Check that all signals have the same length.

        Raises:
            ValueError: They do not.
        """
        if len({each.shape for each in self._arrays()}) > 1:
            raise ValueError("The signals of the candidates differ in length.")

    def _arrays(self) -> list[NDArray[Any]]:
        signals = (getattr(self, name) for name in self.__slots__)
        return [each for each in signals if isinstance(each, np.ndarray)]


def pool(scores: Floats, session: Places) -> Floats:
    """Return the mean score of the three best candidates of each candidate's session, (n,).

    A candidate with a negative session number is a session of its own.
    """
    if not len(scores):
        return scores
    number = np.where(session < 0, session.max(initial=0) + 1 + np.arange(len(session)), session)
    _, group = np.unique(number, return_inverse=True)
    order = np.lexsort((-scores, group))
    first = np.searchsorted(group[order], np.arange(group.max() + 1))
    place = np.arange(len(order)) - first[group[order]]
    top = order[place < _POOLED]
    mean: Floats = np.bincount(group[top], scores[top]) / np.minimum(np.bincount(group), _POOLED)
    return mean[group]


def first_cosines(signals: Signals) -> Floats:
    """Return the cosines of the first parts, (n,), without NaN.

    Where only the nearest part's is known, it replaces the first's. If neither is, the mean over the candidates replaces it: a
    message that still waits for its embedding counts as neither near nor far.
    """
    unknown = np.full(signals.size, np.nan)
    best = unknown if signals.cosine is None else signals.cosine
    first = unknown if signals.first_cosine is None else signals.first_cosine
    first = np.where(np.isnan(first), best, first)
    seen = ~np.isnan(first)
    return np.where(seen, first, first[seen].mean()) if seen.any() else np.zeros(signals.size)


_WORD = bounded(r"\w+")
_NAN = float("nan")
_UNREAD = 0.3
"""The factor on differences between cosines if the embedder does not support the question's script."""


@dataclass(frozen=True, slots=True)
class RetrievedItem:
    """A candidate with its search scores.

    Attributes:
        item: The memory, or the best part of the message.
        cosine: The cosine of its nearest part; None if no part has an embedding.
        first_cosine: The cosine of its first part; None if that has no embedding.
        score: The best term scores of its parts.
        second_cosine: The cosine by the second embedder; None without such an embedding.
    """

    item: Item
    cosine: float | None
    first_cosine: float | None
    score: TermScore
    second_cosine: float | None = None


def gather(candidates: SearchResults) -> list[RetrievedItem]:
    """Merge the hits so that each memory and each message occurs once."""
    scores = candidates.terms.of([hit.document for hit in candidates.hits])
    found: dict[UUID, list[tuple[Hit, TermScore]]] = {}
    for hit, score in zip(candidates.hits, scores, strict=True):
        found.setdefault(hit.item.id, []).append((hit, score))
    return [_together(parts) for parts in found.values()]


def _together(parts: Sequence[tuple[Hit, TermScore]]) -> RetrievedItem:
    if len(parts) == 1:
        [(hit, score)] = parts
        return RetrievedItem(hit.item, hit.cosine, hit.first_cosine, score, hit.second_cosine)
    best, _ = max(
        parts, key=lambda each: ((each[0].cosine or 0.0) + each[1].bm25 / 10, each[0].document or 0)
    )
    cosines = [hit.cosine for hit, _ in parts if hit.cosine is not None]
    firsts = [hit.first_cosine for hit, _ in parts if hit.first_cosine is not None]
    columns = [max(column) for column in zip(*(score for _, score in parts), strict=True)]
    return RetrievedItem(
        best.item, max(cosines, default=None), max(firsts, default=None), TermScore(*columns)
    )


def read_signals(
    query: RecallQuery, candidates: SearchResults, found: Sequence[RetrievedItem], *, is_read: bool = True
) -> Signals:
    """Compute the signals of ``found``, (n,) each, and of the query.

    Args:
        query: The query.
        candidates: The search results that ``found`` was gathered from.
        found: The n candidates.
        is_read: Whether the embedder supports the query's script. If not, differences between cosines are reduced.
    """
    items = [each.item for each in found]
    said = [_said(item) for item in items]
    channels = _of_channels(query, candidates, found, is_read=is_read)
    return Signals(
        cosine=channels.get("cosine"),
        first_cosine=channels.get("first_cosine"),
        coverage=channels.get("coverage"),
        own_matched=channels.get("own_matched"),
        self_share=np.array([each.self_share if each else 0.0 for each in said], np.float64),
        states_taste=np.array([bool(each and each.states_taste) for each in said], np.float64),
        identifiers=_identified(items, query),
        role=np.array([isinstance(item, Memory) or item.role is Role.USER for item in items], np.float64),
        speaker=_named(items, query),
        date=_dated(items, query),
        session=_sessions(items),
        importance=np.array([item.importance if isinstance(item, Memory) else 0.0 for item in items]),
        seeks_advice=query.seeks_advice,
        asks_about_reply=query.asks_about_reply,
        names_code=bool(query.identifiers),
    )


def _of_channels(
    query: RecallQuery, candidates: SearchResults, found: Sequence[RetrievedItem], *, is_read: bool
) -> dict[str, Floats]:
    """Return the signals of the two channels by name, (n,) each; a missing channel has none."""
    numbers = np.array([_numbers(each) for each in found], np.float64).reshape(-1, 4)
    told: dict[str, Floats] = {}
    if candidates.has_vector:
        told["cosine"] = _told(numbers[:, 0], is_read=is_read)
        told["first_cosine"] = _told(numbers[:, 1], is_read=is_read)
    total = candidates.terms.idf_total
    if query.terms and candidates.has_terms and total > 0:
        told["coverage"] = np.clip(numbers[:, 2] / (COVERED * total), 0.0, 1.0)
        told["own_matched"] = np.clip(numbers[:, 3] / total, 0.0, 1.0)
    return told


def _numbers(each: RetrievedItem) -> tuple[float, ...]:
    return (
        _NAN if each.cosine is None else each.cosine,
        _NAN if each.first_cosine is None else each.first_cosine,
        *each.score,
    )


def _told(cosines: Floats, *, is_read: bool) -> Floats:
    """Return the cosines, shrunk towards their mean if the embedder does not support the script."""
    if is_read or np.isnan(cosines).all():
        return cosines
    mean = np.nanmean(cosines)
    told: Floats = mean + _UNREAD * (cosines - mean)
    return told


def _said(item: Item) -> Statement | None:
    """Return the features of a message, stored when it was indexed; None for a memory, and for pasted text, which says nothing about the user."""
    if isinstance(item, Memory) or item.pasted:
        return None
    return item.statement or statement_features(item.content)


def _identified(items: Sequence[Item], query: RecallQuery) -> Floats:
    """Return the share of the query's code identifiers that each item holds, (n,)."""
    if not query.identifiers:
        return np.zeros(len(items))
    texts = [item.content.casefold() for item in items]
    held = [sum(identifier in text for identifier in query.identifiers) for text in texts]
    return np.array(held, np.float64) / len(query.identifiers)


def _named(items: Sequence[Item], query: RecallQuery) -> Floats:
    """Return 1 for each item whose speaker the query names, else 0, (n,)."""
    asked = set(_WORD.findall(query.asked.casefold()))
    speakers = [item.speaker if isinstance(item, Passage) else None for item in items]
    is_named = {
        speaker: not asked.isdisjoint(_WORD.findall(speaker.casefold()))
        for speaker in set(speakers)
        if speaker is not None
    }
    return np.array([is_named.get(speaker or "", False) for speaker in speakers], np.float64)


def _dated(items: Sequence[Item], query: RecallQuery) -> Floats:
    if not query.periods:
        return np.zeros(len(items))
    return np.array([proximity(_day(item, query.zone), query.periods) for item in items])


def _day(item: Item, zone: tzinfo | None) -> datetime:
    """Return the day an item speaks of; else what the person's clock showed when it was said."""
    event = item.event_at if isinstance(item, Memory) else None
    return wall(item.dated, zone) if event is None else event


def _sessions(items: Sequence[Item]) -> Places:
    numbers: dict[str, int] = {}
    return np.array(
        [
            -1 if (session := item.session_id) is None else numbers.setdefault(session, len(numbers))
            for item in items
        ],
        np.int64,
    )
