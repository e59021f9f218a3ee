"""Scores the candidates of the message log by a weighted sum of signals, and reports the share of each. Pure.

The sum takes the values of cosine and BM25, not ranks: ranks would discard how confident each channel is. BM25 counts as the
share of the question that it covers, not relative to the best match, which may itself be poor.
"""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from recollect.index import Passages, Snapshot, WordMatch, utc
from recollect.model import Item, Memory
from recollect.model.local_time import wall
from recollect.recall.candidates import Candidates, Floats
from recollect.recall.query import RecallQuery
from recollect.recall.relevance import proximities
from recollect.text.cues import statement_features
from recollect.text.patterns import bounded

_WORD = bounded(r"\w+")

_POOLED = 3
"""The number of a session's best candidates over which its score is averaged."""

_IMPORTANCE = 0.5
"""The share that an importance of 1 adds to a score."""


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """The weight of each signal; the defaults were chosen by cross-validation over conversations.

    Attributes:
        dense: The cosine of the question and the message's first part, which tells what the message is about.
        lexical: BM25 over the message and its neighbours, as a share of the question covered.
        matched: The idf share of the question's terms that the message itself holds.
        role: The user said it. It counts 0 if the question asks what the assistant said, or names code.
        speaker: The question names the speaker.
        date: It was said at a time that the question means.
        taste: The user states a taste; counts only if the question seeks advice.
        session: The mean score of the session's three best candidates.
    """

    dense: float = 0.6
    lexical: float = 0.2
    matched: float = 0.05
    role: float = 0.15
    speaker: float = 0.3
    date: float = 0.2
    taste: float = 0.05
    session: float = 0.5


@dataclass(frozen=True, slots=True)
class LogScores:
    """The scores of the candidates, and their parts.

    Attributes:
        scores: The scores, (n,): about 0 to 1.5, the higher the better.
        parts: The weighted signals by name, (n,) each. Their sum, times ``times``, is the score.
        times: The factor of importance, (n,): 1 to 1.5.
        speaker: 1 for each candidate whose speaker the question names, else 0, (n,).
        own_share: The idf share of the question's terms that each one itself holds, 0 to 1, (n,).
    """

    scores: Floats
    parts: dict[str, Floats]
    times: Floats
    speaker: Floats
    own_share: Floats

    def parts_of(self, row: int) -> tuple[tuple[str, float], ...]:
        """Return the parts of one candidate's score."""
        told = [(name, float(values[row])) for name, values in self.parts.items()]
        return (*told, ("times", float(self.times[row])))


def items_of(snapshot: Snapshot, found: Candidates) -> list[Item]:
    """Return the memories and passages of the candidates, n."""
    passages = snapshot.passages or Passages()
    of_memories = (snapshot.memories.items[row] for row in found.memories.tolist())
    return list(chain(of_memories, (passages.items[row] for row in found.passages.tolist())))


def score_log(
    snapshot: Snapshot, query: RecallQuery, found: Candidates, match: WordMatch, weights: SignalWeights
) -> LogScores:
    """Score the n candidates. The result is deterministic. An unknown signal counts 0."""
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    columns = passages.columns
    items = items_of(snapshot, found)
    by_user = np.concatenate([np.ones(len(found.memories)), columns.by_user[found.passages]])
    role_counts = not (query.asks_about_reply or query.identifiers)
    speaker = np.concatenate(
        [np.zeros(len(found.memories)), _named_speakers(snapshot, query)[columns.speaker[found.passages]]]
    )
    own_share = found.own_share(match.idf_total)
    parts = {
        "dense": weights.dense * _subject(found),
        "lexical": weights.lexical * found.coverage(match.idf_total),
        "matched": weights.matched * own_share,
        "role": weights.role * by_user * role_counts,
        "speaker": weights.speaker * speaker,
        "date": weights.date * _dated(items, query),
        "taste": weights.taste * by_user * _states_taste(items, query),
    }
    alone = np.sum(list(parts.values()), axis=0)
    session = np.concatenate([memories.session[found.memories], columns.session[found.passages]])
    parts["session"] = weights.session * _pooled(alone, session)
    total = alone + parts["session"]
    importance = [each.importance if isinstance(each, Memory) else 0.0 for each in items]
    times = 1 + _IMPORTANCE * np.clip(np.array(importance), 0.0, 1.0)
    # A negative score is no match, so that importance must not scale it.
    return LogScores(np.where(total > 0, total * times, total), parts, times, speaker, own_share)


def _subject(found: Candidates) -> Floats:
    """Return the cosines of the messages' first parts, (n,), without NaN.

    Without that of the first part the nearest one's counts. If neither is known, the mean over the candidates does: a message
    that still waits for its embedding counts as neither near nor far.
    """
    first = np.where(np.isnan(found.first_cosine), found.cosine, found.first_cosine)
    is_known = ~np.isnan(first)
    if not is_known.any():
        return np.zeros(found.size)
    return np.where(is_known, first, first[is_known].mean())


def _pooled(scores: Floats, session: NDArray[np.int32]) -> Floats:
    """Return the mean score of the three best candidates of each one's session, (n,); without a session its own score."""
    if not len(scores):
        return scores
    number = np.where(session < 0, session.max(initial=0) + 1 + np.arange(len(session)), session)
    _, group = np.unique(number, return_inverse=True)
    order = np.lexsort((-scores, group))
    first = np.searchsorted(group[order], np.arange(group.max() + 1))
    place = np.arange(len(order)) - first[group[order]]
    top = order[place < _POOLED]
    size = np.minimum(np.bincount(group), _POOLED)
    pooled: Floats = (np.bincount(group[top], scores[top]) / size)[group]
    return pooled


def _named_speakers(snapshot: Snapshot, query: RecallQuery) -> Floats:
    """Return for each speaker of the log whether the question names them, and 0 for the number -1, (speakers + 1,)."""
    asked = set(_WORD.findall(query.asked.casefold()))
    named = [not asked.isdisjoint(_WORD.findall(name.casefold())) for name in snapshot.names.speakers]
    return np.array([*named, False], np.float64)


def _dated(items: list[Item], query: RecallQuery) -> Floats:
    if not query.periods:
        return np.zeros(len(items))
    moments = np.array([utc(_day(item, query.zone)).timestamp() for item in items])
    return proximities(moments, query.periods)


def _states_taste(items: list[Item], query: RecallQuery) -> Floats:
    """Return 1 for each item that states a taste if the question seeks advice, else 0, (n,)."""
    if not query.seeks_advice:
        return np.zeros(len(items))
    return np.array([_states(item) for item in items], np.float64)


def _states(item: Item) -> bool:
    if isinstance(item, Memory):
        return statement_features(item.content).states_taste
    # Pasted text says nothing about the person.
    return item.statement is not None and item.statement.states_taste and not item.pasted


def _day(item: Item, zone: tzinfo | None) -> datetime:
    """Return the day an item speaks of; else the date on the person's clock when it was said."""
    event = item.event_at if isinstance(item, Memory) else None
    return wall(item.dated, zone) if event is None else event
