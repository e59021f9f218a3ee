"""The bench's arithmetic does what its tables say."""

import pytest

from bench.speed.arithmetic import (
    Schedule,
    Spread,
    added,
    over_rounds,
    share_of_core,
)

SECOND = 1_000_000_000


def test_what_is_added_is_taken_pair_by_pair() -> None:
    assert added([5.0, 30.0], [1.0, 20.0]) == [4.0, 10.0]
    with pytest.raises(ValueError, match="zip"):
        added([1.0], [])


def test_a_figure_over_rounds_is_their_median_and_quartiles() -> None:
    assert over_rounds([4.0, None, 1.0, 2.0, 3.0, 100.0]) == Spread(3.0, 2.0, 4.0, 5)
    assert over_rounds([None]) is None


def test_an_open_loop_is_due_at_a_constant_rate_without_drift() -> None:
    schedule = Schedule(began=SECOND, rate=3, seconds=2)

    assert schedule.count == 6
    assert [schedule.due_at(number) for number in (0, 1, 3, 300)] == [
        SECOND,
        SECOND + 333_333_333,
        2 * SECOND,
        101 * SECOND,
    ]


def test_what_became_due_while_nobody_looked_keeps_its_due_time() -> None:
    schedule = Schedule(began=0, rate=10, seconds=1)

    assert schedule.take_due(0) == [0]
    assert schedule.take_due(SECOND // 20) == []
    assert schedule.take_due(SECOND // 2) == [SECOND * tenth // 10 for tenth in (1, 2, 3, 4, 5)]
    taken = [(len(schedule.take_due(now * SECOND)), schedule.over) for now in (0, 100, 100)]
    assert taken == [(0, False), (4, True), (0, True)]


def test_a_slow_rate_still_sends_one_request() -> None:
    assert Schedule(began=0, rate=0.1, seconds=1).count == 1


def test_the_share_of_a_core_is_the_time_used_over_the_time_passed() -> None:
    before, after = {"cpu_seconds": 10.0, "at": 100.0}, {"cpu_seconds": 10.5, "at": 102.0}

    assert share_of_core(before, after) == pytest.approx(0.25)
