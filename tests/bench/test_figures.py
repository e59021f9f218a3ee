"""Percentiles, shares and tables come out as worked out by hand."""

import pytest

from bench.figures import number, percent, percentiles, wilson
from bench.recall.command import Asked, by_category
from bench.recall.conversations import UNANSWERABLE, Question
from bench.report import table


def test_percentiles_lie_between_the_two_nearest_values() -> None:
    assert percentiles([4.0, 1.0, 3.0, 2.0], 0, 50, 95, 100) == pytest.approx(
        {"p0": 1.0, "p50": 2.5, "p95": 3.85, "p100": 4.0}
    )
    assert percentiles([7.0], 99) == {"p99": 7.0}
    assert percentiles([], 50) == {}


@pytest.mark.parametrize(
    ("successes", "trials", "interval"),
    [
        (0, 10, (0.0, 0.2775)),
        (5, 10, (0.2366, 0.7634)),
        (10, 10, (0.7225, 1.0)),
        (64, 1383, (0.0364, 0.0587)),
    ],
)
def test_the_interval_of_a_share_is_right(successes: int, trials: int, interval: tuple[float, float]) -> None:
    assert wilson(successes, trials) == pytest.approx(interval, abs=5e-5)


def test_nothing_tried_has_no_share_and_no_interval() -> None:
    assert (wilson(0, 0), percent(0, 0), number(None)) == (None, "-", "-")


def test_figures_are_rounded_for_a_table() -> None:
    assert (percent(1, 3), percent(1, 3, 1), number(1234.56), number(0.4, 0)) == (
        "33 %",
        "33.3 %",
        "1,234.6",
        "0",
    )
    assert table(("a", "b"), [(1, "x"), (2, "y")]) == "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y |"


def test_questions_that_nobody_answers_are_left_out_of_the_overall_scores() -> None:
    def asked(category: str, evidence: tuple[str, ...]) -> Asked:
        return Asked(Question("q", "Where?", category, evidence), ranked=("t1", "t2"))

    found = by_category(
        [asked("one", ("t1",)), asked("two", ("t9",)), asked(UNANSWERABLE, ("t1",)), asked("one", ())],
        lambda each: each.ranked,
    )

    assert {name: means["questions"] for name, means in found.items()} == {
        "one": 1,
        "two": 1,
        UNANSWERABLE: 1,
        "overall": 2,
    }
    assert found["overall"]["R@10"] == 0.5
