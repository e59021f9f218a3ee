"""Decides whether a turn asks for anything remembered at all. Pure. Never: await, a single item's fate.

The query is gated, not the item: the scores of what answers a question and of what does not overlap. A
logistic regression over what the whole query found, with cosines told from the embedder's own gate, so
that another embedder's calibration carries over.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.model import Memory, Passage, Role
from recollect.retrieval.query import RecallQuery
from recollect.retrieval.relevance import Floats
from recollect.retrieval.signals import SELF_SHARE, RetrievedItem, Signals
from recollect.text import cues

_LOOKED_AT = 20
_OPENING_CHARACTERS = 400
_NOTHING_ASKED = 2.0
"""The logit of asking for nothing remembered, above which common words in common prove nothing."""
_SURE = 1.0


@dataclass(frozen=True, slots=True)
class Gate:
    """The coefficients of the gate, and the probability from which a turn is given memories.

    Learned on four public sets of conversations and 500 questions that ask for nothing remembered,
    cross-validated over both. At the threshold 2 to 9 % of those are given anything, and 0.5 to 4.5 % of
    the conversations' own questions lose what answers them.

    Attributes:
        threshold: From which score on memories are given; 0: always.
        cosine: The cosine that means nothing; None: the embedder's own.
        bias: What all turns begin with.
        best_cosine: For how much nearer the nearest candidate is than that cosine.
        own_statement: The same for the nearest statement of the user about themselves.
        seen: For the share of the query, by idf, that the user ever used the words of.
        about_oneself: For a user who speaks of themselves.
        small_talk: For a greeting and its like, and for what can't be understood.
        seeks_advice: For who asks for a recommendation.
        names_speaker: For who names somebody who speaks in the log.
        means_date: For who means a date.
        exact_share: The share of the query, by idf, that one candidate has to hold to open the gate alone.
        lexical_share: The same where there is no embedding.
    """

    threshold: float = 0.35
    cosine: float | None = None
    bias: float = -4.08
    best_cosine: float = 10.78
    own_statement: float = 16.46
    seen: float = 2.06
    about_oneself: float = 3.33
    small_talk: float = -7.27
    seeks_advice: float = 2.12
    names_speaker: float = 6.82
    means_date: float = 0.91
    exact_share: float = 0.8
    lexical_share: float = 0.4

    def opens(self, score: float | None) -> bool:
        """Return whether a turn with that score is given memories."""
        return score is not None and score >= self.threshold


def gate_score(
    query: RecallQuery,
    found: Sequence[RetrievedItem],
    signals: Signals,
    *,
    seen: float,
    gate_cosine: float,
    gate: Gate,
    nothing: float = 0.0,
) -> float:
    """Return the probability that the query asks for something remembered, 0 to 1.

    Args:
        query: What is asked.
        found: What was found; at least one.
        signals: What is known of it, in the same order.
        seen: The share of the query, by idf, that the user ever used the words of.
        gate_cosine: The embedder's own gate.
        gate: The coefficients.
        nothing: The logit of asking for nothing remembered, as the second embedder's vector tells; 0 where it can't.
    """
    if signals.known("identifiers").max() > 0:
        return _SURE
    is_idle = query.is_small_talk or query.lacks_context
    held = float(signals.known("own_matched").max())
    if signals.cosine is None or np.isnan(signals.cosine).all():
        return _probability(10 * ((0.0 if is_idle else held) - gate.lexical_share) + _logit(gate.threshold))
    if held >= gate.exact_share and len(query.terms) > 1 and not is_idle and nothing < _NOTHING_ASKED:
        return _SURE
    unlike = gate_cosine if gate.cosine is None else gate.cosine
    return _probability(
        gate.bias
        + gate.best_cosine * (float(np.nanmax(signals.cosine)) - unlike)
        + gate.own_statement * (_nearest_statement(found, signals) - unlike)
        + gate.seen * seen
        + gate.about_oneself * query.is_about_oneself
        + gate.small_talk * is_idle
        + gate.seeks_advice * query.seeks_advice
        + gate.names_speaker * float(signals.known("speaker").max())
        + gate.means_date * bool(query.periods)
    )


def _nearest_statement(found: Sequence[RetrievedItem], signals: Signals) -> float:
    """Return the largest cosine of a statement that users make about themselves, as memories are."""
    cosines = signals.known("cosine")
    best = 0.0
    # the nearest come first, so that few texts are looked at
    for place in np.argsort(-cosines)[:_LOOKED_AT].tolist():
        best = max(
            best, float(cosines[place]) * _is_statement(found[place], signals.known("self_share"), place)
        )
    return best


def _is_statement(each: RetrievedItem, self_share: Floats, place: int) -> float:
    """Return how far an item is a statement of the user about themselves, 0 to 1."""
    if isinstance(each.item, Memory):
        return 1.0
    if each.item.role is not Role.USER or each.item.pasted:
        return 0.0
    share = min(1.0, float(self_share[place]) / SELF_SHARE)
    return share or float(_speaks_of_oneself(each.item))


def _speaks_of_oneself(passage: Passage) -> bool:
    """Tell the same in languages other than English, for which there is no share."""
    return cues.is_about_oneself(passage.content[:_OPENING_CHARACTERS])


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
