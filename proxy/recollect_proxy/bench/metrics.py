"""How well a ranked list of turns holds the evidence. Pure. Never: where the list came from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

import numpy as np

NDCG_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one question, or the means over several; each from 0 to 1.

    Attributes:
        recall_at_5: Share of the evidence among the first five turns.
        recall_at_10: Share of the evidence among the first ten.
        ndcg_at_10: Binary normalised discounted cumulative gain (Järvelin and Kekäläinen, 2002).
        hit_at_10: Whether any evidence is among the first ten.
    """

    recall_at_5: float
    recall_at_10: float
    ndcg_at_10: float
    hit_at_10: float


def score(ranked: Sequence[str], evidence: Collection[str]) -> Scores:
    """Score one question.

    Args:
        ranked: Turn ids, best first, each once.
        evidence: The ids to be found, at least one.
    """
    wanted = set(evidence)
    found_at_10 = len(wanted.intersection(ranked[:10]))
    return Scores(
        recall_at_5=len(wanted.intersection(ranked[:5])) / len(wanted),
        recall_at_10=found_at_10 / len(wanted),
        ndcg_at_10=_ndcg(ranked[:NDCG_DEPTH], wanted),
        hit_at_10=float(found_at_10 > 0),
    )


def mean(scores: Sequence[Scores]) -> Scores | None:
    """Return the mean of each score; None over no questions."""
    if not scores:
        return None
    return Scores(
        recall_at_5=fmean(each.recall_at_5 for each in scores),
        recall_at_10=fmean(each.recall_at_10 for each in scores),
        ndcg_at_10=fmean(each.ndcg_at_10 for each in scores),
        hit_at_10=fmean(each.hit_at_10 for each in scores),
    )


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return a percentile, interpolated linearly; None of no values."""
    return float(np.percentile(values, percent)) if values else None


def _ndcg(ranked: Sequence[str], wanted: Collection[str]) -> float:
    gain = sum(1 / log2(place + 2) for place, turn_id in enumerate(ranked) if turn_id in wanted)
    ideal = sum(1 / log2(place + 2) for place in range(min(len(wanted), NDCG_DEPTH)))
    return gain / ideal
