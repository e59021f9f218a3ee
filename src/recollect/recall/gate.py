"""Decides whether a turn asks for anything in the message log. Pure.

The gate judges the question, not each item, since the scores of relevant and irrelevant items overlap. It is a logistic
regression over everything the question found. Cosines count relative to the embedder's own gate, so that the coefficients
also hold for other embedders.
"""

import math
from dataclasses import dataclass

import numpy as np

from recollect.model import Item, Memory, Passage, Role
from recollect.recall.candidates import Candidates, Floats
from recollect.recall.log import LogScores
from recollect.recall.query import RecallQuery
from recollect.text import cues

SELF_SHARE = 0.15
"""With this share of first-person words or more, a message is about its author."""

_LOOKED_AT = 20
_OPENING_CHARACTERS = 400
_NOTHING_ASKED = 2.0
"""Above this logit of the intent "nothing", shared words alone do not open the gate."""
_SURE = 1.0


@dataclass(frozen=True, slots=True)
class Gate:
    """The coefficients of the gate's logistic regression, and its threshold.

    Trained and cross-validated on four public sets of conversations and on 500 questions that ask for nothing remembered.
    At the threshold, 2 to 9 % of the latter still get memories, and 0.5 to 4.5 % of the conversations' own questions lose
    their answer.

    Attributes:
        threshold: The probability from which the gate opens; 0: always.
        cosine: The cosine below which a match means nothing; None: the embedder's own.
        bias: The intercept.
        best_cosine: The weight of the nearest candidate's cosine, minus the gate's cosine.
        own_statement: The same for the nearest statement of the user about themselves.
        seen: The weight of the idf share of the query's terms that the user has used before.
        about_oneself: The weight of a question in which users speak of themselves.
        small_talk: Of small talk, and of a message that can't be understood without context.
        seeks_advice: The weight of a question that seeks advice.
        names_speaker: The weight of a question that names a speaker of the log.
        means_date: The weight of a question that means a date.
        exact_share: The idf share of the query that a single candidate must hold to open the gate alone.
        lexical_share: Without an embedding, the idf share that a single candidate must hold to open the gate.
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
        """Return whether ``score`` reaches the threshold; False for None, if nothing was found."""
        return score is not None and score >= self.threshold


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
    if holds_identifier(query, items):
        return _SURE
    is_idle = query.is_small_talk or query.lacks_context
    held = float(scores.own_share.max())
    if np.isnan(found.cosine).all():
        return _probability(10 * ((0.0 if is_idle else held) - gate.lexical_share) + _logit(gate.threshold))
    if held >= gate.exact_share and len(query.terms) > 1 and not is_idle and nothing < _NOTHING_ASKED:
        return _SURE
    unlike = gate_cosine if gate.cosine is None else gate.cosine
    return _probability(
        gate.bias
        + gate.best_cosine * (float(np.nanmax(found.cosine)) - unlike)
        + gate.own_statement * (_nearest_statement(items, found, self_share) - unlike)
        + gate.seen * seen
        + gate.about_oneself * query.is_about_oneself
        + gate.small_talk * is_idle
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
    return min(1.0, self_share / SELF_SHARE) or float(_opens_with_oneself(item))


def _opens_with_oneself(passage: Passage) -> bool:
    """Return whether a passage's author speaks of themselves; for languages other than English, which have no share."""
    return cues.is_about_oneself(passage.content[:_OPENING_CHARACTERS])


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
