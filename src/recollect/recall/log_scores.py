"""Scores the candidates of the message log, and decides whether a turn asks for any of them. Pure.

The score is a weighted sum of signals, and the share of each is reported. The gate is a logistic regression over everything
the question found.
"""

import math
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from recollect.index import Passages, Snapshot, WordMatch, utc
from recollect.model import Item, Memory, Role
from recollect.model.local_time import wall
from recollect.recall.candidates import Candidates, Floats
from recollect.recall.question import RecallQuery
from recollect.recall.relevance_model import proximities
from recollect.recall.thresholds import Gate
from recollect.text import cues
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
        dense: The cosine of the question and the message's first part, which usually has its subject.
        lexical: BM25 over the message and its neighbours, as a share of the question covered.
        matched: The idf share of the question's terms that the message itself holds.
        role: The user said it; 0 if the question names code.
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
    speaker = np.concatenate(
        [np.zeros(len(found.memories)), _named_speakers(snapshot, query)[columns.speaker[found.passages]]]
    )
    own_share = found.own_share(match.idf_total)
    parts = {
        # Values, not ranks, which would discard how confident each channel is (decision 0014).
        "dense": weights.dense * _subject(found),
        # A share of the question, not of the best match, which may itself be poor.
        "lexical": weights.lexical * found.coverage(match.idf_total),
        "matched": weights.matched * own_share,
        "role": weights.role * by_user * (not query.identifiers),
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
    """Return the cosines of the messages' first parts, or else of their nearest ones, (n,), without NaN."""
    first = np.where(np.isnan(found.first_cosine), found.cosine, found.first_cosine)
    is_known = ~np.isnan(first)
    if not is_known.any():
        return np.zeros(found.size)
    # A message that still waits for its embedding counts as neither near nor far.
    return np.where(is_known, first, first[is_known].mean())


def _pooled(scores: Floats, session: NDArray[np.int32]) -> Floats:
    """Return the mean score of the three best candidates of each one's session, (n,); without a session its own score."""
    if not len(scores):
        return scores
    # Each candidate without a session is a group of its own.
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
        return cues.statement_features(item.content).states_taste
    # Pasted text says nothing about the person.
    return item.statement is not None and item.statement.states_taste and not item.pasted


def _day(item: Item, zone: tzinfo | None) -> datetime:
    """Return the day an item speaks of; else the date on the person's clock when it was said."""
    event = item.event_at if isinstance(item, Memory) else None
    return wall(item.dated, zone) if event is None else event


SELF_SHARE = 0.15
"""With this share of first-person words or more, a message is about its author."""

_LOOKED_AT = 20
"""The nearest candidates among which a statement of the person about themselves is looked for."""
_OPENING_CHARACTERS = 400
_NOTHING_ASKED = 2.0
"""Above this logit of the intent "nothing", shared words alone do not open the gate."""
_SURE = 1.0  # a probability that passes any threshold


def gate_score(
    query: RecallQuery,
    items: list[Item],
    found: Candidates,
    scores: LogScores,
    *,
    self_share: Floats,
    seen: float,
    gate_cosine: float,
    gate: Gate,
    nothing: float,
) -> float:
    """Return the probability that the question asks for something remembered, 0 to 1.

    It judges the question, not each item: the scores of relevant and irrelevant items overlap.

    Args:
        query: The question.
        items: The candidates, at least one.
        found: Their cosines and term scores, in the same order.
        scores: Their scores.
        self_share: The share of first-person words in each passage; 0 for memories, (n,).
        seen: The idf share of the question's terms that the person has used before, 0 to 1.
        gate_cosine: The embedder's own gate.
        gate: The coefficients.
        nothing: The logit of the intent "nothing"; 0 without one.
    """
    # An identifier is seldom there by chance.
    if holds_identifier(query, items):
        return _SURE
    held = float(scores.own_share.max())
    if np.isnan(found.cosine).all():
        # The share at the bar has just the probability of the threshold.
        return _probability(
            10 * ((0.0 if query.is_small_talk else held) - gate.lexical_share) + _logit(gate.threshold)
        )
    # A question of one term is held whole by each item with that word.
    is_stated = len(query.terms) > 1 and not query.is_small_talk and nothing < _NOTHING_ASKED
    if held >= gate.exact_share and is_stated:
        return _SURE
    # Relative to the embedder's own gate the coefficients hold for other embedders, too.
    unlike = gate_cosine if gate.cosine is None else gate.cosine
    return _probability(
        gate.bias
        + gate.best_cosine * (float(np.nanmax(found.cosine)) - unlike)
        + gate.own_statement * (_nearest_statement(items, found, self_share) - unlike)
        + gate.seen * seen
        + gate.about_oneself * query.is_about_oneself
        + gate.small_talk * query.is_small_talk
        + gate.seeks_advice * query.seeks_advice
        + gate.names_speaker * float(scores.speaker.max())
        + gate.means_date * bool(query.periods)
    )


def holds_identifier(query: RecallQuery, items: list[Item]) -> bool:
    """Return whether an item holds a code identifier of the question."""
    if not query.identifiers:
        return False
    return any(each in item.content.casefold() for item in items for each in query.identifiers)


def _nearest_statement(items: list[Item], found: Candidates, self_share: Floats) -> float:
    """Return the largest cosine of a statement of the person about themselves; memories count as such."""
    cosines = np.nan_to_num(found.cosine)
    best = 0.0
    # nearest first, so that few texts are examined
    for place in np.argsort(-cosines)[:_LOOKED_AT].tolist():
        if cosines[place] > best:
            best = max(
                best, float(cosines[place]) * _speaks_of_oneself(items[place], float(self_share[place]))
            )
    return best


def _speaks_of_oneself(item: Item, self_share: float) -> float:
    """Return how much an item is a statement of the person about themselves, 0 to 1."""
    if isinstance(item, Memory):
        return 1.0
    if item.role is not Role.USER or item.pasted:
        return 0.0
    # Only English has a share of first-person words; elsewhere it is 0, and the opening tells.
    return min(1.0, self_share / SELF_SHARE) or float(
        cues.is_about_oneself(item.content[:_OPENING_CHARACTERS])
    )


def _probability(logit: float) -> float:
    # `math.exp` raises an error from 710 on.
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
