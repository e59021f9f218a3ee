"""An open loop keeps its rate."""

from bench.speed.schedule import Schedule

SECOND = 1_000_000_000


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
    assert [len(schedule.take_due(now * SECOND)) for now in (0, 100, 100)] == [0, 4, 0]


def test_a_slow_rate_still_sends_one_request() -> None:
    assert Schedule(began=0, rate=0.1, seconds=1).count == 1
