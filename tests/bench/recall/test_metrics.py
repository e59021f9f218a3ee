"""The scores are those of their definitions, worked out by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.recall.command import DEPTH, score

TEN = tuple("abcdefghij")
TWENTY = tuple("abcdefghijklmnopqrst")
FULL = dict.fromkeys(score(TEN, TEN), 1.0)
NONE = dict.fromkeys(FULL, 0.0)


def test_evidence_on_top_scores_full_marks() -> None:
    assert score(TEN, ["a"]) == FULL


def test_recall_is_the_share_of_the_evidence_within_each_depth() -> None:
    scores = score((*TWENTY, "u"), ["b", "g", "k", "u"])

    assert scores["R@5"] == 1 / 4
    assert scores["R@10"] == 2 / 4
    assert scores["R@20"] == 3 / 4


def test_a_hit_is_any_evidence_within_each_depth() -> None:
    seventh, twelfth = score(TWENTY, ["g", "z"]), score(TWENTY, ["l"])

    assert (seventh["H@1"], seventh["H@5"], seventh["H@10"], seventh["H@20"]) == (0, 0, 1, 1)
    assert (twelfth["H@1"], twelfth["H@5"], twelfth["H@10"], twelfth["H@20"]) == (0, 0, 0, 1)


def test_the_gain_is_discounted_by_the_place_and_normalised_by_the_best_order() -> None:
    scores = score(TEN, ["b", "g", "z"])

    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert scores["N@5"] == pytest.approx((1 / log2(3)) / ideal)
    assert scores["N@10"] == pytest.approx((1 / log2(3) + 1 / log2(8)) / ideal)


def test_more_evidence_than_places_can_still_reach_a_full_gain() -> None:
    scores = score(TEN, [*TEN, "k", "l"])

    assert [scores["N@5"], scores["N@10"]] == pytest.approx([1.0, 1.0])


def test_the_rank_is_that_of_the_first_evidence_however_deep() -> None:
    assert score(tuple(map(str, range(100))), ["39", "70"])["MRR"] == 1 / 40
    assert score(TEN, ["c", "d"])["MRR"] == 1 / 3


def test_nothing_found_scores_nothing() -> None:
    assert score((), ["a"]) == NONE
    assert score(TEN, ["z"]) == NONE


def test_below_the_depth_there_is_a_rank_and_nothing_else() -> None:
    scores = score((*TWENTY, "u"), ["u"])

    assert len(TWENTY) == DEPTH
    assert scores == NONE | {"MRR": 1 / 21}


def test_evidence_named_twice_counts_once() -> None:
    assert score(TEN, ["a", "a"]) == FULL


@given(st.permutations(TWENTY), st.sets(st.sampled_from(TWENTY), min_size=1))
def test_scores_lie_within_bounds_and_deeper_finds_no_less(ranked: list[str], evidence: set[str]) -> None:
    scores = score(ranked, evidence)

    assert all(0 <= each <= 1 + 1e-9 for each in scores.values())
    assert scores["R@5"] <= scores["R@10"] <= scores["R@20"] == 1.0
    assert scores["H@1"] <= scores["H@5"] <= scores["H@10"] <= scores["H@20"] == 1.0
