"""Scores the candidates of the message log, and decides whether a turn asks for any of them. Pure.

The score is a weighted sum of signals, and the share of each is reported.
"""

import math
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import chain

import numpy as np

from recollect.index import Passages, Snapshot, WordMatch, utc
from recollect.model import Item, Memory
from recollect.model.local_time import wall
from recollect.recall.candidates import Candidates, Floats
from recollect.recall.question import RecallQuery
from recollect.recall.relevance import proximities
from recollect.text.cues.phrases import statement_features
from recollect.text.patterns import bounded

_WORD = bounded(r"\w+")


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
    """

    dense: float = 0.6
    lexical: float = 0.2
    matched: float = 0.05
    role: float = 0.15
    speaker: float = 0.3
    date: float = 0.2
    taste: float = 0.05


@dataclass(frozen=True, slots=True)
class LogScores:
    """The scores of the candidates, and their parts.

    Attributes:
        scores: The scores, (n,): about 0 to 1.5, the higher the better.
        parts: The weighted signals by name, (n,) each. Their sum is the score.
        speaker: 1 for each candidate whose speaker the question names, else 0, (n,).
        own_share: The idf share of the question's terms that each one itself holds, 0 to 1, (n,).
    """

    scores: Floats
    parts: dict[str, Floats]
    speaker: Floats
    own_share: Floats

    def parts_of(self, row: int) -> tuple[tuple[str, float], ...]:
        """Return the parts of one candidate's score."""
        return tuple((name, float(values[row])) for name, values in self.parts.items())


def items_of(snapshot: Snapshot, found: Candidates) -> list[Item]:
    """Return the memories and passages of the candidates, n."""
    passages = snapshot.passages or Passages()
    of_memories = (snapshot.memories.items[row] for row in found.memories.tolist())
    return list(chain(of_memories, (passages.items[row] for row in found.passages.tolist())))


def score_log(
    snapshot: Snapshot, query: RecallQuery, found: Candidates, match: WordMatch, weights: SignalWeights
) -> LogScores:
    """Score the n candidates. The result is deterministic. An unknown signal counts 0."""
    columns = (snapshot.passages or Passages()).columns
    items = items_of(snapshot, found)
    by_user = np.concatenate([np.ones(len(found.memories)), columns.by_user[found.passages]])
    role_counts = not (query.asks_about_reply or query.identifiers)
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
        "role": weights.role * by_user * role_counts,
        "speaker": weights.speaker * speaker,
        "date": weights.date * _dated(items, query),
        "taste": weights.taste * by_user * _states_taste(items, query),
    }
    return LogScores(np.sum(list(parts.values()), axis=0), parts, speaker, own_share)


def _subject(found: Candidates) -> Floats:
    """Return the cosines of the messages' first parts, or else of their nearest ones, (n,), without NaN."""
    first = np.where(np.isnan(found.first_cosine), found.cosine, found.first_cosine)
    is_known = ~np.isnan(first)
    if not is_known.any():
        return np.zeros(found.size)
    # A message that still waits for its embedding counts as neither near nor far.
    return np.where(is_known, first, first[is_known].mean())


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


_SURE = 1.0
_STEEPNESS = 10.0
"""How fast the gate opens with the distance from the cosine that means nothing."""


@dataclass(frozen=True, slots=True)
class Gate:
    """When a turn asks for the log: its question is about the person or names a speaker, and something in the log is near to it.

    Attributes:
        threshold: The score from which the gate opens; 0: always.
        cosine: The cosine below which a match means nothing; None: the embedder's own.
        lexical_share: Without an embedding, the idf share that a single candidate must hold to open the gate.
    """

    threshold: float = 0.5
    cosine: float | None = None
    lexical_share: float = 0.4

    def opens(self, score: float | None) -> bool:
        """Return whether ``score`` reaches the threshold; False for None, if nothing was found."""
        return score is not None and score >= self.threshold


def gate_score(
    query: RecallQuery,
    items: list[Item],
    found: Candidates,
    scores: LogScores,
    *,
    gate_cosine: float,
    gate: Gate,
    nothing: float,
) -> float:
    """Return how surely the question asks for something remembered, 0 to 1; from 0.5 on it does.

    It judges the question, not each item: the scores of relevant and irrelevant items overlap.

    Args:
        query: The question.
        items: The candidates, at least one.
        found: Their cosines and term scores, in the same order.
        scores: Their scores.
        gate_cosine: The embedder's own gate.
        gate: The thresholds.
        nothing: The logit of the intent "nothing"; 0 without one.
    """
    # An identifier is seldom there by chance.
    if holds_identifier(query, items):
        return _SURE
    asks = nothing <= 0 or query.is_about_oneself or bool(scores.speaker.any())
    if not asks or query.is_small_talk or query.lacks_context:
        return 0.0
    if np.isnan(found.cosine).all():
        return _probability(float(scores.own_share.max()) - gate.lexical_share)
    unlike = gate_cosine if gate.cosine is None else gate.cosine
    return _probability(float(np.nanmax(found.cosine)) - unlike)


def holds_identifier(query: RecallQuery, items: list[Item]) -> bool:
    """Return whether an item holds a code identifier of the question."""
    if not query.identifiers:
        return False
    return any(each in item.content.casefold() for item in items for each in query.identifiers)


def _probability(above: float) -> float:
    return 1 / (1 + math.exp(-_STEEPNESS * above))
