"""What a gate lets through and what it costs, at every threshold. Pure. Never: how a gate scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from bench.figures import share

EVIDENCE_DEPTH = 10
"""Evidence that ranks below this place is not there to be lost."""

_STEPS = 100
"""Thresholds a unit of the score."""


@dataclass(frozen=True, slots=True)
class Gated:
    """What the gate made of a question.

    Attributes:
        group: What the question is counted with, as its file or category.
        score: What the gate went by; None where there was nothing to go by: it passes no threshold.
        passed: Whether the gate let it through.
        injected: Whether anything was injected.
        evidence_ranked: Whether evidence was among the first ``EVIDENCE_DEPTH`` before the gate.
        evidence_injected: Whether evidence was injected.
    """

    group: str
    score: float | None
    passed: bool
    injected: bool
    evidence_ranked: bool = False
    evidence_injected: bool = False


def curve(unrelated: Sequence[Gated], own: Sequence[Gated]) -> list[dict[str, Any]]:
    """Return what a gate at each threshold would do, every hundredth from the lowest score to the highest.

    A question passes whose score reaches the threshold.

    Args:
        unrelated: Questions that should inject nothing.
        own: Questions with evidence; of these only those count that have evidence to lose.

    Returns:
        For each threshold ``unrelated_injecting``: the share of the unrelated that pass, and
        ``own_losing_evidence``: the share of the own that do not.
    """
    scores = [each.score for each in (*unrelated, *own) if each.score is not None]
    if not scores:
        return []
    holding = [each for each in own if each.evidence_ranked]
    points: list[dict[str, Any]] = []
    for step in range(floor(min(scores) * _STEPS), ceil(max(scores) * _STEPS) + 2):
        threshold = step / _STEPS
        passing = sum(_passes(each, threshold) for each in unrelated)
        lost = sum(not _passes(each, threshold) for each in holding)
        points.append(
            {
                "threshold": threshold,
                "unrelated_injecting": share(passing, len(unrelated)),
                "own_losing_evidence": share(lost, len(holding)),
            }
        )
    return points


def shipped(unrelated: Sequence[Gated], own: Sequence[Gated]) -> dict[str, Any]:
    """Return what really happened, gate, cliff and budget as they are, overall and of each group.

    ``threshold_between`` holds the highest score that the gate stopped and the lowest that it let
    through; the gate's own threshold lies there.
    """
    scored = [(each.score, each.passed) for each in (*unrelated, *own) if each.score is not None]
    return {
        "threshold_between": [
            max((score for score, passed in scored if not passed), default=None),
            min((score for score, passed in scored if passed), default=None),
        ],
        "unrelated_injecting": _injecting(unrelated),
        "own_losing_evidence": _losing(own),
        "unrelated": {group: _injecting(_of(unrelated, group)) for group in _groups(unrelated)},
        "own": {group: _losing(_of(own, group)) for group in _groups(own)},
    }


def _passes(gated: Gated, threshold: float) -> bool:
    return gated.score is not None and gated.score >= threshold


def _injecting(unrelated: Sequence[Gated]) -> dict[str, Any]:
    return share(sum(each.injected for each in unrelated), len(unrelated))


def _losing(own: Sequence[Gated]) -> dict[str, Any]:
    ranked = [each for each in own if each.evidence_ranked]
    return share(sum(not each.evidence_injected for each in ranked), len(ranked))


def _groups(gated: Sequence[Gated]) -> list[str]:
    return sorted({each.group for each in gated})


def _of(gated: Sequence[Gated], group: str) -> list[Gated]:
    return [each for each in gated if each.group == group]
