"""What is known of candidates (memories and messages) and of the question, as parallel arrays. Pure.

Of a message that was found by several of its parts, the best part counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from recollect.model import Hit, Item, Memory, Passage, Role, Statement
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
"""The share of first-person words from which on a message is about whoever wrote it."""

_POOLED = 3
"""How many of a session's best candidates tell what the session is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The signals of ``n`` candidates, and of the question.

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
        """Return the signal ``name``, with 0 where it is unknown."""
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
    """The scores of each candidate's session, (n,) each; without a session, those of the candidate itself.

    Attributes:
        mean: The mean score of its three best candidates.
        best: The score of its best.
        size: How many candidates it has.
    """

    mean: Floats
    best: Floats
    size: Floats


def pool(scores: Floats, session: Places | None) -> SessionScores:
    """Return the pooled scores of the candidates' sessions."""
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


_WORD = bounded(r"\w+")
_NAN = float("nan")
_UNREAD = 0.3
"""What is left of the differences between cosines that an embedder made without reading the script."""

_statements: LRUCache[tuple[UUID, int], Statement] = LRUCache(20_000)
"""What memories show of themselves; by ids, so that no text is kept."""


@dataclass(frozen=True, slots=True)
class RetrievedItem:
    """A candidate, with the scores it was found by.

    Attributes:
        item: The memory, or the part that stands for its message.
        cosine: Of its nearest part; None where none has an embedding.
        first_cosine: Of its beginning.
        score: How well its best part matches the words.
        second_cosine: By the second embedder; None where it has no such embedding.
    """

    item: Item
    cosine: float | None
    first_cosine: float | None
    score: TermScore
    second_cosine: float | None = None


def gather(candidates: SearchResults) -> list[RetrievedItem]:
    """Return each memory and each message that was found once."""
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
    """Return the signals of ``found``, (n,) each, and of the query.

    Args:
        query: What is asked.
        candidates: Among what it was found.
        found: What was found.
        is_read: Whether the embedder was made for the query's script; else cosines tell less.
    """
    items = [each.item for each in found]
    previous, following = _neighbors(items)
    channels = _of_channels(query, candidates, found, is_read=is_read)
    shown = np.array([_shown(item) for item in items], np.float64).reshape(-1, len(Statement._fields))
    return Signals(
        cosine=channels.get("cosine"),
        first_cosine=channels.get("first_cosine"),
        coverage=channels.get("coverage"),
        matched=channels.get("matched"),
        own_coverage=channels.get("own_coverage"),
        own_matched=channels.get("own_matched"),
        self_share=shown[:, 0],
        states_taste=shown[:, 1],
        ends_asking=shown[:, 2],
        lists=shown[:, 3],
        words=shown[:, 4],
        identifiers=_identified(items, query),
        role=np.array([isinstance(item, Memory) or item.role is Role.USER for item in items], np.float64),
        speaker=_named(items, query),
        date=_dated(items, query),
        session=_sessions(items),
        previous=previous,
        following=following,
        importance=np.array([item.importance if isinstance(item, Memory) else 0.0 for item in items]),
        seeks_advice=query.seeks_advice,
        asks_about_reply=query.asks_about_reply,
        names_code=bool(query.identifiers),
        terms=len(query.terms),
        idf_total=candidates.terms.idf_total,
    )


def _of_channels(
    query: RecallQuery, candidates: SearchResults, found: Sequence[RetrievedItem], *, is_read: bool
) -> dict[str, Floats]:
    """Return the signals of both channels by name; none of a channel that is missing."""
    numbers = np.array([_numbers(each) for each in found], np.float64).reshape(-1, 6)
    told: dict[str, Floats] = {}
    if candidates.has_vector:
        told["cosine"] = _told(numbers[:, 0], is_read=is_read)
        told["first_cosine"] = _told(numbers[:, 1], is_read=is_read)
    total = candidates.terms.idf_total
    if query.terms and candidates.has_terms and total > 0:
        told["coverage"] = np.clip(numbers[:, 2] / (COVERED * total), 0.0, 1.0)
        told["matched"] = np.clip(numbers[:, 3] / total, 0.0, 1.0)
        told["own_coverage"] = np.clip(numbers[:, 4] / (COVERED * total), 0.0, 1.0)
        told["own_matched"] = np.clip(numbers[:, 5] / total, 0.0, 1.0)
    return told


def _numbers(each: RetrievedItem) -> tuple[float, ...]:
    return (
        _NAN if each.cosine is None else each.cosine,
        _NAN if each.first_cosine is None else each.first_cosine,
        *each.score,
    )


def _told(cosines: Floats, *, is_read: bool) -> Floats:
    """Return the cosines, pulled towards their mean where the embedder does not read the script."""
    if is_read or np.isnan(cosines).all():
        return cosines
    mean = np.nanmean(cosines)
    told: Floats = mean + _UNREAD * (cosines - mean)
    return told


def _shown(item: Item) -> Statement:
    """Return the features of an item's words: for a message those stored when it was indexed."""
    if isinstance(item, Passage) and item.statement is not None:
        # What others wrote is no word of the person's about themselves.
        return item.statement._replace(self_share=0.0, states_taste=False) if item.pasted else item.statement
    key = (item.id, hash(item.content))
    statement = _statements.get(key)
    if statement is None:
        statement = _statements[key] = statement_features(item.content)
    return statement


def _identified(items: Sequence[Item], query: RecallQuery) -> Floats:
    """Return the share of the query's code identifiers that each item holds."""
    if not query.identifiers:
        return np.zeros(len(items))
    texts = [item.content.casefold() for item in items]
    held = [sum(identifier in text for identifier in query.identifiers) for text in texts]
    return np.array(held, np.float64) / len(query.identifiers)


def _named(items: Sequence[Item], query: RecallQuery) -> Floats:
    """Return 1 for each item whose speaker the query names."""
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
    return np.array([proximity(item.dated, query.periods) for item in items])


def _sessions(items: Sequence[Item]) -> Places:
    numbers: dict[str, int] = {}
    return np.array(
        [
            -1 if (session := _session_of(item)) is None else numbers.setdefault(session, len(numbers))
            for item in items
        ],
        np.int64,
    )


def _session_of(item: Item) -> str | None:
    return item.session_id if isinstance(item, Passage) else item.provenance.session_id


def _neighbors(items: Sequence[Item]) -> tuple[Places, Places]:
    """Return the places of the messages right before and after each, -1 for those that were not found."""
    places = {
        (item.session_id, item.turn_index): place
        for place, item in enumerate(items)
        if isinstance(item, Passage)
    }

    def beside(item: Item, step: int) -> int:
        if not isinstance(item, Passage):
            return -1
        near = places.get((item.session_id, item.turn_index + step))
        if near is None and item.speaker:
            # People who talk to each other leave the places of replies empty.
            near = places.get((item.session_id, item.turn_index + 2 * step))
        return -1 if near is None else near

    return (
        np.array([beside(item, -1) for item in items], np.int64),
        np.array([beside(item, 1) for item in items], np.int64),
    )
