"""The curve says of each threshold what passes it and what is lost, counted by hand."""

from typing import Any

import pytest

from bench.figures import wilson
from bench.recall.gate_curve import Gated, curve, shipped

UNRELATED = (
    Gated("chat", 0.10, passed=False, injected=False),
    Gated("chat", 0.30, passed=False, injected=False),
    Gated("coding", 0.42, passed=True, injected=True),
    Gated("coding", None, passed=False, injected=False),
)
OWN = (
    Gated("a.jsonl", 0.35, passed=True, injected=True, evidence_ranked=True, evidence_injected=True),
    Gated("a.jsonl", 0.30, passed=False, injected=False, evidence_ranked=True),
    Gated("b.jsonl", 0.60, passed=True, injected=True, evidence_ranked=True),
    Gated("b.jsonl", 0.20, passed=False, injected=False),
)


def at(points: list[dict[str, Any]], threshold: float) -> dict[str, Any]:
    [point] = [point for point in points if point["threshold"] == threshold]
    return point


def test_a_question_passes_whose_score_reaches_the_threshold() -> None:
    points = curve(UNRELATED, OWN)

    assert [points[0]["threshold"], points[-1]["threshold"]] == [0.10, 0.61]
    assert at(points, 0.10)["unrelated_injecting"]["share"] == 3 / 4, "what scores nothing never passes"
    assert at(points, 0.30)["unrelated_injecting"] == {
        "share": 2 / 4,
        "interval": wilson(2, 4),
        "questions": 4,
    }
    assert at(points, 0.31)["unrelated_injecting"]["share"] == 1 / 4
    assert points[-1]["unrelated_injecting"]["share"] == 0.0


def test_only_what_had_evidence_to_lose_can_lose_it() -> None:
    points = curve(UNRELATED, OWN)

    assert at(points, 0.30)["own_losing_evidence"] == {
        "share": 0.0,
        "interval": wilson(0, 3),
        "questions": 3,
    }
    assert at(points, 0.31)["own_losing_evidence"]["share"] == 1 / 3
    assert points[-1]["own_losing_evidence"]["share"] == 1.0


def test_the_curve_falls_for_the_unrelated_and_rises_for_the_own() -> None:
    points = curve(UNRELATED, OWN)

    injecting = [point["unrelated_injecting"]["share"] for point in points]
    losing = [point["own_losing_evidence"]["share"] for point in points]
    assert injecting == sorted(injecting, reverse=True)
    assert losing == sorted(losing)


def test_as_shipped_counts_what_really_happened() -> None:
    figures = shipped(UNRELATED, OWN)

    assert figures["unrelated_injecting"]["share"] == 1 / 4
    assert figures["own_losing_evidence"] == {"share": 2 / 3, "interval": wilson(2, 3), "questions": 3}
    assert figures["threshold_between"] == [0.30, 0.35]
    assert figures["unrelated"]["coding"]["share"] == 1 / 2
    assert figures["unrelated"]["chat"]["share"] == 0.0
    assert figures["own"]["a.jsonl"]["share"] == 1 / 2
    assert figures["own"]["b.jsonl"]["share"] == 1.0, "ranked, but the budget or the cliff took it"


def test_without_questions_there_is_no_curve_and_no_crash() -> None:
    assert curve([], []) == []
    assert curve([Gated("chat", None, passed=False, injected=False)], []) == []
    assert shipped([], [])["threshold_between"] == [None, None]
    assert shipped([], [])["unrelated_injecting"] == {"share": None, "interval": None, "questions": 0}


@pytest.mark.parametrize("score", [-0.5, 0.0, 0.07, 1.0])
def test_the_highest_threshold_lets_nothing_through(score: float) -> None:
    points = curve([Gated("chat", score, passed=True, injected=True)], [])

    assert points[0]["unrelated_injecting"]["share"] == 1.0
    assert points[-1]["unrelated_injecting"]["share"] == 0.0
