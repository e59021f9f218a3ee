"""Scores of a ranking by the evidence in it. Pure. Never: where the ranking came from."""

from collections.abc import Collection, Sequence
from math import log2

DEPTH = 20
"""The deepest place that a score looks at, but for the reciprocal rank, which looks at all."""


def score(ranked: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Return the scores of one question, each from 0 to 1.

    ``R@k`` is recall: the share of the evidence among the first k. ``N@k`` is the binary normalised discounted cumulative gain
    of the first k (Järvelin and Kekäläinen, 2002). ``MRR`` is 1 / the place of the first evidence, 0 without any; its mean over
    questions is the mean reciprocal rank (Voorhees, 1999). ``H@k`` is whether any evidence is among the first k.
    """
    wanted = set(evidence)
    hits = [turn_id in wanted for turn_id in ranked]
    return {
        **{f"R@{depth}": sum(hits[:depth]) / len(wanted) for depth in (5, 10, 20)},
        **{f"N@{depth}": _ndcg(hits, depth, len(wanted)) for depth in (5, 10)},
        "MRR": 1 / (hits.index(True) + 1) if any(hits) else 0.0,
        **{f"H@{depth}": float(any(hits[:depth])) for depth in (1, 5, 10, 20)},
    }


def _ndcg(hits: Sequence[bool], depth: int, relevant: int) -> float:
    gain = sum(1 / log2(place + 2) for place, hit in enumerate(hits[:depth]) if hit)
    ideal = sum(1 / log2(place + 2) for place in range(min(relevant, depth)))
    return gain / ideal if ideal else 0.0
