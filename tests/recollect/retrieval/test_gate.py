from tests.recollections import recollection

from recollect.retrieval import gated


def test_nothing_ranked_is_nothing_recalled() -> None:
    assert gated([], threshold=-1) == ()


def test_a_turn_whose_best_match_means_nothing_recalls_nothing() -> None:
    assert gated([recollection("tea", score=0.29), recollection("cake", score=0.1)], threshold=0.3) == ()


def test_one_good_match_lets_all_of_them_in() -> None:
    ranked = [recollection("tea", score=0.1), recollection("cake", score=0.3)]

    assert gated(ranked, threshold=0.3) == tuple(ranked)
