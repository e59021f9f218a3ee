"""A replay's clock follows the conversation, runs on, and never goes back within one."""

from datetime import UTC, datetime, timedelta

from bench.recall.clock import ReplayClock

MAY = datetime(2023, 5, 8, tzinfo=UTC)
JUNE = datetime(2023, 6, 1, tzinfo=UTC)
A_WHILE = timedelta(minutes=10)


def test_it_tells_the_time_of_what_is_said_and_runs_on() -> None:
    clock = ReplayClock()

    clock.move_to(MAY)

    first, second = clock(), clock()
    assert MAY <= first <= second < MAY + A_WHILE
    while clock() == first:
        pass
    assert clock() > first


def test_it_never_goes_back_within_a_conversation() -> None:
    clock = ReplayClock()

    clock.move_to(JUNE)
    clock.move_to(MAY)
    clock.move_to(None)

    assert JUNE <= clock() < JUNE + A_WHILE


def test_another_conversation_may_lie_before() -> None:
    clock = ReplayClock()
    clock.move_to(JUNE)

    clock.restart()
    clock.move_to(MAY)

    assert MAY <= clock() < MAY + A_WHILE


def test_a_conversation_without_dates_has_times_all_the_same() -> None:
    clock = ReplayClock()

    clock.move_to(None)

    assert clock().tzinfo is UTC
