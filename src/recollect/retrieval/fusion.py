"""Scores candidates by a weighted sum of their signals, and reports the share of each signal. Pure.

The sum takes the values of cosine and BM25, not ranks: ranks would discard how confident each channel is. BM25 counts as the
share of the question that it covers, not relative to the best match, which may itself be poor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.retrieval.relevance import Floats
from recollect.retrieval.signals import SELF_SHARE, Signals, cosines, pool
from recollect.retrieval.tree_correction import TreeCorrection, correction

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
        identifiers: The share of the question's code identifiers that the message holds.
        role: The user said it. It counts 0 if the question asks what the assistant said, or names code.
        speaker: The question names the speaker.
        date: It was said at a time that the question means.
        oneself: The user says something about themselves.
        taste: The user says what they like or avoid; counts only if the question seeks advice.
        session: The mean score of the session's three best candidates.
        learned: The learned correction (`recollect.retrieval.tree_correction`); 0 switches it off.
    """

    dense: float = 0.6
    lexical: float = 0.2
    matched: float = 0.05
    identifiers: float = 0.1
    role: float = 0.15
    speaker: float = 0.3
    date: float = 0.2
    oneself: float = 0.03
    taste: float = 0.05
    session: float = 0.5
    learned: float = 0.6


@dataclass(frozen=True, slots=True)
class FusedRanking:
    """The scores of the candidates, and their parts.

    Attributes:
        scores: The scores, (n,): about 0 to 1.5, the higher the better.
        multiplier: The factor of importance on the sum of the parts, (n,): 1 to 1.5.
        plain: The weighted signals by name, (n,) each, without the learned correction.
        learned: The learned correction; None if it does not apply.
        learned_weight: Its weight in the scores.
    """

    scores: Floats
    multiplier: Floats
    plain: dict[str, Floats]
    learned: TreeCorrection | None = None
    learned_weight: float = 0.0

    @property
    def parts(self) -> dict[str, Floats]:
        """The share of each signal, (n,) each. Their sum, times ``multiplier``, is the score."""
        return self.parts_of(range(len(self.scores)))

    def parts_of(self, rows: Sequence[int]) -> dict[str, Floats]:
        """Return the parts for the candidates at the indices ``rows``, (rows,) each.

        Callers ask only for the candidates that they report: attributing the learned correction to signals takes time.
        """
        parts = {name: values[list(rows)] for name, values in self.plain.items()}
        if self.learned is None:
            return parts
        learned = self.learned.parts(rows)
        return parts | {name: self.learned_weight * values for name, values in learned.items()}


def fuse(signals: Signals, weights: SignalWeights) -> FusedRanking:
    """Score the candidates. The result is deterministic. An unknown signal counts 0.

    Raises:
        ValueError: Two signals differ in length.
    """
    signals.check()
    parts = _alone(signals, weights)
    alone = sum(parts.values(), np.zeros(signals.size))
    pooled = pool(alone, signals.session)
    parts["session"] = weights.session * (pooled.mean if signals.session is not None else 0 * alone)
    total = alone + parts["session"]
    learned: TreeCorrection | None = None
    # The trees were trained with both channels; without one of them their features mean something else.
    if weights.learned and signals.size and signals.cosine is not None and signals.coverage is not None:
        learned = correction(signals, alone, total, pooled)
        total = total + weights.learned * learned.total
    multiplier = 1 + _IMPORTANCE_STEP * 10 * np.clip(signals.known("importance"), 0.0, 1.0)
    # A negative score is no match, so that importance must not scale it.
    scores = np.where(total > 0, total * multiplier, total)
    return FusedRanking(scores, multiplier, parts, learned, weights.learned)


def _alone(signals: Signals, weights: SignalWeights) -> dict[str, Floats]:
    """Return the score of each candidate by itself, without its session."""
    _, first = cosines(signals)
    by_user = signals.known("role")
    role_counts = not (signals.asks_about_reply or signals.names_code)
    oneself = np.minimum(1.0, signals.known("self_share") / SELF_SHARE) * by_user
    taste = signals.known("states_taste") * by_user * signals.seeks_advice
    return {
        "dense": weights.dense * first,
        "lexical": weights.lexical * signals.known("coverage"),
        "matched": weights.matched * signals.known("own_matched"),
        "identifiers": weights.identifiers * signals.known("identifiers"),
        "role": weights.role * by_user * role_counts,
        "speaker": weights.speaker * signals.known("speaker"),
        "date": weights.date * signals.known("date"),
        "oneself": weights.oneself * oneself,
        "taste": weights.taste * taste,
    }
