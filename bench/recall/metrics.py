"""How well a ranking holds the evidence. Pure. Never: where the ranking came from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from math import log2
from statistics import fmean

DEPTH = 20
"""The deepest place that a score looks at, but for the reciprocal rank, which looks at all."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one question, or the means over several; each from 0 to 1.

    Attributes:
        recall_at_5: Share of the evidence among the first five.
        recall_at_10: Share of the evidence among the first ten.
        recall_at_20: Share of the evidence among the first twenty.
        ndcg_at_5: Binary normalised discounted cumulative gain of the first five (Järvelin and Kekäläinen, 2002).
        ndcg_at_10: The same of the first ten.
        reciprocal_rank: 1 / the place of the first that holds evidence, over the whole ranking; 0 if none
            does. Its mean is the MRR (Voorhees, 1999).
        hit_at_1: Whether the first holds evidence.
        hit_at_5: Whether any of the first five does.
        hit_at_10: Whether any of the first ten does.
        hit_at_20: Whether any of the first twenty does.
    """

    recall_at_5: float
    recall_at_10: float
    recall_at_20: float
    ndcg_at_5: float
    ndcg_at_10: float
    reciprocal_rank: float
    hit_at_1: float
    hit_at_5: float
    hit_at_10: float
    hit_at_20: float


def score(ranked: Sequence[str], evidence: Collection[str]) -> Scores:
    """Score one question whose ranking is of turns.

    Args:
        ranked: Turn ids, best first, each once.
        evidence: The ids to be found, at least one.
    """
    wanted = set(evidence)
    hits = [turn_id in wanted for turn_id in ranked]
    found = [sum(hits[:depth]) for depth in (1, 5, 10, 20)]
    return Scores(
        recall_at_5=found[1] / len(wanted),
        recall_at_10=found[2] / len(wanted),
        recall_at_20=found[3] / len(wanted),
        ndcg_at_5=_ndcg(hits, 5, len(wanted)),
        ndcg_at_10=_ndcg(hits, 10, len(wanted)),
        reciprocal_rank=1 / (hits.index(True) + 1) if any(hits) else 0.0,
        hit_at_1=float(found[0] > 0),
        hit_at_5=float(found[1] > 0),
        hit_at_10=float(found[2] > 0),
        hit_at_20=float(found[3] > 0),
    )


def mean(scores: Sequence[Scores]) -> Scores | None:
    """Return the mean of each score; None over no questions."""
    if not scores:
        return None
    return Scores(*(fmean(getattr(each, field.name) for each in scores) for field in fields(Scores)))


def _ndcg(hits: Sequence[bool], depth: int, relevant: int) -> float:
    gain = sum(1 / log2(place + 2) for place, hit in enumerate(hits[:depth]) if hit)
    ideal = sum(1 / log2(place + 2) for place in range(min(relevant, depth)))
    return gain / ideal if ideal else 0.0
