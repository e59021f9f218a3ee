"""Scores candidates by a weighted sum of their signals, and reports the share of each signal. Pure.

The sum takes the values of cosine and BM25, not ranks: ranks would discard how confident each channel is. BM25 counts as the
share of the question that it covers, not relative to the best match, which may itself be poor.
"""

from dataclasses import dataclass

import numpy as np

from recollect.retrieval.relevance import Floats
from recollect.retrieval.signals import Signals, first_cosines, pool

__all__ = ["FusedRanking", "SignalWeights", "Signals", "fuse"]

_IMPORTANCE_STEP = 0.05
"""The share that each of the ten steps of importance adds to a score."""


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
        taste: The user says what they like or avoid; counts only if the question seeks advice.
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
class FusedRanking:
    """The scores of the candidates, and their parts.

    Attributes:
        scores: The scores, (n,): about 0 to 1.5, the higher the better.
        multiplier: The factor of importance on the sum of the parts, (n,): 1 to 1.5.
        parts: The weighted signals by name, (n,) each. Their sum, times ``multiplier``, is the score.
    """

    scores: Floats
    multiplier: Floats
    parts: dict[str, Floats]


def fuse(signals: Signals, weights: SignalWeights) -> FusedRanking:
    """Score the candidates. The result is deterministic. An unknown signal counts 0.

    Raises:
        ValueError: Two signals differ in length.
    """
    signals.check()
    parts = _alone(signals, weights)
    alone = sum(parts.values(), np.zeros(signals.size))
    parts["session"] = (
        0 * alone if signals.session is None else weights.session * pool(alone, signals.session)
    )
    total = alone + parts["session"]
    multiplier = 1 + _IMPORTANCE_STEP * 10 * np.clip(signals.known("importance"), 0.0, 1.0)
    # A negative score is no match, so that importance must not scale it.
    scores = np.where(total > 0, total * multiplier, total)
    return FusedRanking(scores, multiplier, parts)


def _alone(signals: Signals, weights: SignalWeights) -> dict[str, Floats]:
    """Return the score of each candidate by itself, without its session."""
    by_user = signals.known("role")
    role_counts = not (signals.asks_about_reply or signals.names_code)
    return {
        "dense": weights.dense * first_cosines(signals),
        "lexical": weights.lexical * signals.known("coverage"),
        "matched": weights.matched * signals.known("own_matched"),
        "role": weights.role * by_user * role_counts,
        "speaker": weights.speaker * signals.known("speaker"),
        "date": weights.date * signals.known("date"),
        "taste": weights.taste * signals.known("states_taste") * by_user * signals.seeks_advice,
    }
