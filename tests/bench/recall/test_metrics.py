"""The scores are those of their definitions, worked out by hand."""

from dataclasses import astuple
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.recall.metrics import DEPTH, Scores, mean, score

TEN = tuple("abcdefghij")
TWENTY = tuple("abcdefghijklmnopqrst")
FULL = Scores(*[1.0] * 10)
NONE = Scores(*[0.0] * 10)


def test_evidence_on_top_scores_full_marks() -> None:
    assert score(TEN, ["a"]) == FULL


def test_recall_is_the_share_of_the_evidence_within_each_depth() -> None:
    scores = score((*TWENTY, "u"), ["b", "g", "k", "u"])

    assert scores.recall_at_5 == 1 / 4
    assert scores.recall_at_10 == 2 / 4
    assert scores.recall_at_20 == 3 / 4


def test_a_hit_is_any_evidence_within_each_depth() -> None:
    seventh, twelfth = score(TWENTY, ["g", "z"]), score(TWENTY, ["l"])

    assert (seventh.hit_at_1, seventh.hit_at_5, seventh.hit_at_10, seventh.hit_at_20) == (0, 0, 1, 1)
    assert (twelfth.hit_at_1, twelfth.hit_at_5, twelfth.hit_at_10, twelfth.hit_at_20) == (0, 0, 0, 1)


def test_the_gain_is_discounted_by_the_place_and_normalised_by_the_best_order() -> None:
    scores = score(TEN, ["b", "g", "z"])

    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert scores.ndcg_at_5 == pytest.approx((1 / log2(3)) / ideal)
    assert scores.ndcg_at_10 == pytest.approx((1 / log2(3) + 1 / log2(8)) / ideal)


def test_more_evidence_than_places_can_still_reach_a_full_gain() -> None:
    scores = score(TEN, [*TEN, "k", "l"])

    assert [scores.ndcg_at_5, scores.ndcg_at_10] == pytest.approx([1.0, 1.0])


def test_the_rank_is_that_of_the_first_evidence_however_deep() -> None:
    deep = tuple(map(str, range(100)))

    assert score(deep, ["39", "70"]).reciprocal_rank == 1 / 40
    assert score(TEN, ["c", "d"]).reciprocal_rank == 1 / 3


def test_nothing_found_scores_nothing() -> None:
    assert score((), ["a"]) == NONE
    assert score(TEN, ["z"]) == NONE


def test_below_the_depth_there_is_a_rank_and_nothing_else() -> None:
    scores = score((*TWENTY, "u"), ["u"])

    assert len(TWENTY) == DEPTH
    assert astuple(scores) == (0, 0, 0, 0, 0, 1 / 21, 0, 0, 0, 0)


def test_evidence_named_twice_counts_once() -> None:
    assert score(TEN, ["a", "a"]) == FULL


@given(st.permutations(TWENTY), st.sets(st.sampled_from(TWENTY), min_size=1))
def test_every_score_lies_between_none_and_full_and_deeper_finds_no_less(
    ranked: list[str], evidence: set[str]
) -> None:
    scores = score(ranked, evidence)

    assert all(0 <= each <= 1 + 1e-9 for each in astuple(scores))
    assert scores.recall_at_5 <= scores.recall_at_10 <= scores.recall_at_20 == 1.0
    assert scores.hit_at_1 <= scores.hit_at_5 <= scores.hit_at_10 <= scores.hit_at_20 == 1.0


def test_means_are_taken_over_questions() -> None:
    halves = mean([FULL, NONE, Scores(1, 0, 1, 0, 1, 0, 1, 0, 1, 0), Scores(0, 1, 0, 1, 0, 1, 0, 1, 0, 1)])

    assert halves == Scores(*[0.5] * 10)
    assert mean([]) is None
