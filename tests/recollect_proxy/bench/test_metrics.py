"""The scores are those of their definitions, worked out by hand."""

from math import log2

import pytest

from recollect_proxy.bench.metrics import Scores, mean, percentile, score

TEN = tuple("abcdefghij")


def test_evidence_on_top_scores_full_marks() -> None:
    assert score(TEN, ["a"]) == Scores(1.0, 1.0, 1.0, 1.0)


def test_recall_is_the_share_of_the_evidence_within_the_depth() -> None:
    scores = score((*TEN, "k"), ["b", "g", "k", "z"])

    assert scores.recall_at_5 == 1 / 4
    assert scores.recall_at_10 == 2 / 4
    assert scores.hit_at_10 == 1.0


def test_the_gain_is_discounted_by_the_place_and_normalised_by_the_best_order() -> None:
    scores = score(TEN, ["b", "g", "z"])

    gain = 1 / log2(3) + 1 / log2(8)
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert scores.ndcg_at_10 == pytest.approx(gain / ideal)


def test_more_evidence_than_places_can_still_reach_a_full_gain() -> None:
    assert score(TEN, [*TEN, "k", "l"]).ndcg_at_10 == pytest.approx(1.0)


def test_nothing_found_scores_nothing_also_below_the_depth() -> None:
    assert score((), ["a"]) == Scores(0.0, 0.0, 0.0, 0.0)
    assert score((*TEN, "k"), ["k"]) == Scores(0.0, 0.0, 0.0, 0.0)


def test_evidence_named_twice_counts_once() -> None:
    assert score(TEN, ["a", "a"]) == Scores(1.0, 1.0, 1.0, 1.0)


def test_means_are_taken_over_questions() -> None:
    assert mean([Scores(1, 1, 1, 1), Scores(0, 0.5, 0.25, 1)]) == Scores(0.5, 0.75, 0.625, 1)
    assert mean([]) is None


def test_percentiles_are_interpolated() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5
    assert percentile(list(range(101)), 95) == 95.0
    assert percentile([], 50) is None
