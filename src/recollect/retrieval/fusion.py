"""Ranks candidates by a weighted sum of their signals, and reports the share of each signal. Pure.

The fusion works on scores of cosine and BM25: ranks would discard how confident each channel is. Terms count by how much of the
question they cover, never relative to the best match, which may itself be poor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recollect.retrieval.relevance import Floats
from recollect.retrieval.signals import SELF_SHARE, Signals, cosines, pool
from recollect.retrieval.tree_correction import TreeCorrection, correction

__all__ = ["FusedRanking", "SignalWeights", "Signals", "fuse"]

_IMPORTANCE_STEP = 0.05
"""What each of the ten steps of importance adds to a score."""


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """The weight of each signal; the defaults were chosen by cross-validation over conversations.

    Attributes:
        dense: The cosine. It counts by a message's beginning, which says what the message is about.
        lexical: BM25 over a message with its neighbours' words, as a share of the question covered.
        matched: The idf share of the question's terms that the message itself holds.
        identifiers: The share of the question's code identifiers that it holds.
        role: Said by the user; not if the question asks what the assistant said, or names code.
        speaker: Said by somebody whom the question names.
        date: Said at a time that the question means.
        oneself: A statement of the user about themselves.
        taste: A statement of what the user likes or avoids, where the question seeks advice.
        session: The mean of the three best candidates of the same session.
        learned: The learned correction (`recollect.retrieval.tree_correction`), 0 to leave it out.
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
        scores: About 0 to 1.5, the higher the better, (n,).
        multiplier: What importance, in ten steps, makes of the sum of the parts, (n,).
        plain: What each signal gave, (n,) each, but for the learned correction.
        learned: That correction, if there is one.
        learned_weight: What it counts.
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
        """Return the parts of the scores of some candidates, (rows,) each; only of some, as sharing out the correction takes time."""
        parts = {name: values[list(rows)] for name, values in self.plain.items()}
        if self.learned is None:
            return parts
        learned = self.learned.parts(rows)
        return parts | {name: self.learned_weight * values for name, values in learned.items()}


def fuse(signals: Signals, weights: SignalWeights) -> FusedRanking:
    """Score the candidates. Deterministic; an unknown signal neither helps nor harms.

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
    # Learned where both channels were there: without one of them its numbers mean something else.
    if weights.learned and signals.size and signals.cosine is not None and signals.coverage is not None:
        learned = correction(signals, alone, total, pooled)
        total = total + weights.learned * learned.total
    multiplier = 1 + _IMPORTANCE_STEP * 10 * np.clip(signals.known("importance"), 0.0, 1.0)
    # A score below 0 is no match, and nothing makes it more or less of none.
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
