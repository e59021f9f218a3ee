from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.retrieval.fusion import FusedRanking, Signals, SignalWeights, fuse
from recollect.retrieval.signals import first_cosines, pool

NAN = float("nan")
SHIPPED = SignalWeights()

shares = st.one_of(st.floats(0, 1), st.just(NAN))


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def whole(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def some(size: int, seed: int) -> Signals:
    """What might be known of ``size`` candidates of a few sessions."""
    random = np.random.default_rng(seed)
    flag = (random.random((3, size)) < 0.5).astype(np.float64)
    return Signals(
        cosine=random.uniform(-0.1, 0.9, size),
        first_cosine=random.uniform(-0.1, 0.9, size),
        coverage=random.random(size),
        own_matched=random.random(size),
        role=flag[0],
        speaker=flag[1],
        date=random.random(size),
        session=random.integers(-1, 5, size),
        states_taste=flag[2],
        importance=random.random(size),
        seeks_advice=True,
    )


def order(fused: FusedRanking) -> list[int]:
    return [int(place) for place in np.argsort(-fused.scores, kind="stable")]


@given(st.integers(0, 60), st.integers(0, 1000))
def test_the_parts_add_up_to_the_score_and_nothing_is_left_to_chance(size: int, seed: int) -> None:
    fused = fuse(some(size, seed), SHIPPED)
    total = sum(fused.parts.values(), np.zeros(size))
    assert fused.scores.shape == (size,)
    assert np.allclose(fused.scores, np.where(total > 0, total * fused.multiplier, total))
    assert np.array_equal(fused.scores, fuse(some(size, seed), SHIPPED).scores)


@given(st.integers(1, 40), st.integers(0, 1000), st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_changes_nothing(size: int, seed: int, random: Random) -> None:
    straight = some(size, seed)
    places = list(range(size))
    random.shuffle(places)
    shuffled: dict[str, Any] = {}
    for name in Signals.__slots__:
        value = getattr(straight, name)
        shuffled[name] = value[places] if isinstance(value, np.ndarray) else value
    assert np.allclose(fuse(Signals(**shuffled), SHIPPED).scores, fuse(straight, SHIPPED).scores[places])


@given(st.lists(st.tuples(shares, shares, shares, shares), max_size=30))
def test_whatever_is_unknown_the_scores_are_numbers(known: list[tuple[float, float, float, float]]) -> None:
    columns = np.array(known, np.float64).reshape(-1, 4).T
    cosine, coverage, date, importance = columns
    fused = fuse(Signals(cosine=cosine, coverage=coverage, date=date, importance=importance), SHIPPED)
    assert np.isfinite(fused.scores).all()
    assert len(fused.scores) == len(known)


def test_no_candidates_have_no_scores() -> None:
    assert fuse(Signals(), SHIPPED).scores.shape == (0,)
    assert fuse(some(0, 0), SHIPPED).scores.shape == (0,)


def test_signals_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        fuse(Signals(cosine=floats(0.1, 0.2), coverage=floats(0.5)), SHIPPED)


def test_without_an_embedding_words_rank_and_without_words_meaning_does() -> None:
    assert order(fuse(Signals(coverage=floats(0.1, 0.9, 0.4)), SHIPPED)) == [1, 2, 0]
    assert order(fuse(Signals(cosine=floats(0.1, 0.3, 0.6)), SHIPPED)) == [2, 1, 0]


def test_a_message_that_waits_for_its_embedding_is_neither_near_nor_far() -> None:
    fused = fuse(Signals(cosine=floats(0.2, NAN, 0.8)), SHIPPED)
    assert order(fused) == [2, 1, 0]
    assert fused.parts["dense"][1] == pytest.approx(0.6 * 0.5)


def test_the_nearest_parts_cosine_counts_where_the_firsts_is_unknown() -> None:
    known = Signals(cosine=floats(0.6, NAN, 0.5), first_cosine=floats(NAN, 0.2, 0.3))
    assert first_cosines(known).tolist() == [0.6, 0.2, 0.3]
    assert first_cosines(Signals(coverage=floats(0.5))).tolist() == [0.0]


def test_the_beginning_of_a_message_counts() -> None:
    signals = Signals(cosine=floats(0.9, 0.5), first_cosine=floats(0.1, 0.4))
    assert order(fuse(signals, SHIPPED)) == [1, 0]


@table(
    ("signal", "part"),
    [
        ("speaker", "speaker"),
        ("date", "date"),
        ("own_matched", "matched"),
        ("role", "role"),
    ],
)
def test_each_signal_lifts_who_has_it_by_its_weight(signal: str, part: str) -> None:
    known: dict[str, Any] = {signal: floats(0.0, 1.0)}
    fused = fuse(Signals(cosine=floats(0.4, 0.4), **known), SHIPPED)
    assert fused.scores[1] - fused.scores[0] == pytest.approx(getattr(SHIPPED, part))
    assert fused.parts[part].tolist() == [0.0, pytest.approx(getattr(SHIPPED, part))]


@pytest.mark.parametrize("asked", ["asks_about_reply", "names_code"])
def test_who_said_it_does_not_count_where_the_answer_may_be_the_assistants(asked: str) -> None:
    question: dict[str, Any] = {asked: True}
    signals = Signals(cosine=floats(0.4, 0.4), role=floats(0.0, 1.0), **question)
    assert fuse(signals, SHIPPED).parts["role"].tolist() == [0.0, 0.0]


def test_a_taste_counts_where_advice_is_sought_and_the_user_stated_it() -> None:
    told: dict[str, Any] = {
        "role": floats(1.0, 0.0),
        "states_taste": floats(1.0, 1.0),
    }
    assert fuse(Signals(**told, seeks_advice=True), SHIPPED).parts["taste"].tolist() == [0.05, 0.0]
    assert fuse(Signals(**told), SHIPPED).parts["taste"].tolist() == [0.0, 0.0]


def test_a_session_with_several_matches_lifts_all_that_was_said_in_it() -> None:
    signals = Signals(cosine=floats(0.5, 0.5, 0.6, 0.6), session=whole(0, 1, 1, 1))
    fused = fuse(signals, SHIPPED)
    assert fused.scores[1] > fused.scores[0]
    assert fused.parts["session"][1] == pytest.approx(0.5 * 0.6 * (0.5 + 0.6 + 0.6) / 3)


def test_a_session_is_told_by_its_three_best_and_no_session_by_the_candidate_alone() -> None:
    scores = floats(4.0, 1.0, 3.0, 2.0, 9.0, 7.0)
    pooled = pool(scores, whole(2, 2, 2, 2, -1, -1))
    assert pooled.tolist() == [3.0, 3.0, 3.0, 3.0, 9.0, 7.0]


def test_importance_adds_at_most_half() -> None:
    signals = Signals(cosine=floats(0.5, 0.5, 0.5), importance=floats(0.0, 1.0, 7.0))
    assert fuse(signals, SHIPPED).multiplier.tolist() == [1.0, 1.5, 1.5]


def test_nothing_multiplies_what_scores_below_nothing() -> None:
    fused = fuse(Signals(cosine=floats(-0.5), importance=floats(1.0)), SHIPPED)
    assert fused.scores.tolist() == [pytest.approx(-0.3)]
