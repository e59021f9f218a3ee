"""An attempt is counted before it begins; what did not end is tried alone; what takes too long is known."""

import asyncio
import time
from datetime import datetime

import pytest
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Outage, breakable

from recollect.errors import StoreUnavailableError
from recollect.models import background_limits as steps
from recollect.models.background_limits import Step, Steps, waiting_for_others
from recollect.store.user_leases import Attempts


def steps_of(attempts: Attempts) -> Steps:
    return Steps(attempts, lambda: NOON)


async def dies(store: Store, step: Step = Step.FORM, subject: str = "1", *, user: str | None = None) -> None:
    """Begin a step as a worker that dies of it does."""
    await store.attempts.count_attempt(user or store.anna, step, subject, at=NOON, afresh=False)


async def tries_of(store: Store, step: Step = Step.FORM, subject: str = "1") -> int:
    async with steps_of(store.attempts).step(store.anna, step, subject) as begun:
        return begun


async def test_one_that_fails_has_ended(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        async with steps_of(store.attempts).step(store.anna, Step.FORM, "1"):
            raise ZeroDivisionError

    assert await tries_of(store) == 1


async def test_one_that_a_worker_died_of_is_counted(store: Store) -> None:
    await dies(store)
    await dies(store)

    assert await store.attempts.unended(store.anna, Step.FORM, "1") == 2
    assert await tries_of(store) == 3
    assert await tries_of(store) == 1


async def test_another_subject_step_or_user_is_another(store: Store) -> None:
    await dies(store)

    assert await store.attempts.unended(store.anna, Step.FORM, "2") == 0
    assert await store.attempts.unended(store.anna, Step.INDEX, "1") == 0
    assert await store.attempts.unended(store.ben, Step.FORM, "1") == 0
    assert await tries_of(store, subject="2") == 1


async def test_a_store_that_can_not_note_the_end_counts_no_try(store: Store) -> None:
    outage = Outage(StoreUnavailableError("away"), ("count_end",))
    subject = steps_of(breakable(store, outage).attempts)
    counted = []
    for _ in range(4):
        async with subject.step(store.anna, Step.FORM, "1") as begun:
            counted.append(begun)
    outage.failure = None
    async with subject.step(store.anna, Step.FORM, "1") as begun:
        counted.append(begun)

    assert counted == [1] * 5
    assert await store.attempts.unended(store.anna, Step.FORM, "1") == 0


async def test_what_did_not_end_is_tried_alone_and_counted_only_then(store: Store) -> None:
    await dies(store, user=store.ben)
    subject, seen = steps_of(store.attempts), []
    annas, bens = asyncio.Event(), asyncio.Event()

    async def take(user: str, step: Step, leave: asyncio.Event | None = None) -> None:
        async with subject.step(user, step, "1") as begun:
            seen.append((user, step, begun))
            if leave is not None:
                await leave.wait()

    first = asyncio.create_task(take(store.anna, Step.FORM, annas))
    await until(lambda: bool(seen))
    suspect = asyncio.create_task(take(store.ben, Step.FORM, bens))
    await until(lambda: len(subject._gate._waiting) == 1)
    later = asyncio.create_task(take(store.anna, Step.INDEX))
    await until(lambda: len(subject._gate._waiting) == 2)
    assert seen == [(store.anna, Step.FORM, 1)]
    assert await store.attempts.unended(store.ben, Step.FORM, "1") == 1

    annas.set()
    await first
    await until(lambda: len(seen) > 1)
    assert seen[1:] == [(store.ben, Step.FORM, 2)]
    bens.set()
    await asyncio.gather(suspect, later)
    assert seen[2:] == [(store.anna, Step.INDEX, 1)]


async def test_who_gives_up_waiting_lets_the_next_one_in(store: Store) -> None:
    await dies(store, user=store.ben)
    subject, leaves = steps_of(store.attempts), asyncio.Event()

    async def take(user: str, step: Step, leave: asyncio.Event) -> None:
        async with subject.step(user, step, "1"):
            await leave.wait()

    first = asyncio.create_task(take(store.anna, Step.FORM, leaves))
    await until(lambda: subject._gate._within == 1)
    suspect = asyncio.create_task(take(store.ben, Step.FORM, leaves))
    await until(lambda: len(subject._gate._waiting) == 1)
    done = asyncio.Event()
    done.set()
    later = asyncio.create_task(take(store.anna, Step.INDEX, done))
    await until(lambda: len(subject._gate._waiting) == 2)

    suspect.cancel()
    await asyncio.wait_for(later, 5)
    leaves.set()
    await first


async def test_a_step_within_another_waits_for_nobody(store: Store) -> None:
    await dies(store, Step.MESSAGE)
    subject = steps_of(store.attempts)

    async with (
        subject.step(store.anna, Step.INDEX, ""),
        asyncio.timeout(5),
        subject.step(store.anna, Step.MESSAGE, "1") as begun,
    ):
        assert begun == 2


async def test_what_takes_too_long_is_known(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    subject = steps_of(store.attempts)
    longest = steps.SECONDS[Step.FORM]

    async with subject.step(store.anna, Step.FORM, "1"):
        now += longest
        assert subject.overdue() is None
        with waiting_for_others(), waiting_for_others():
            now += 1000
            assert subject.overdue() is None
        assert subject.overdue() is None
        now += 0.5
        assert subject.overdue() is Step.FORM
    assert subject.overdue() is None


def test_what_waits_outside_of_any_step_is_not_counted() -> None:
    with waiting_for_others():
        assert datetime.now(tz=NOON.tzinfo) > NOON


async def test_a_waiter_that_is_cancelled_as_the_one_before_it_leaves_locks_nobody_out(store: Store) -> None:
    subject = steps_of(store.attempts)
    leaves: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def take(*, alone: bool) -> None:
        async with subject._gate.passing(alone=alone):
            await leaves

    first = asyncio.create_task(take(alone=False))
    await asyncio.sleep(0)
    suspect = asyncio.create_task(take(alone=True))
    await asyncio.sleep(0)
    leaves.set_result(None)  # who is within wakes in the loop's next turn
    suspect.cancel()  # who waits is cancelled in this one

    await asyncio.wait({first, suspect})
    assert first.exception() is None
    assert suspect.cancelled()
    async with asyncio.timeout(5), subject._gate.passing(alone=False):
        pass


async def test_waiting_in_a_part_is_not_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    subject = steps_of(store.attempts)

    async with subject.step(store.anna, Step.INDEX, ""), subject.step(store.anna, Step.MESSAGE, "1"):
        with waiting_for_others():
            now += 1000
        assert subject.overdue() is None
        now += steps.SECONDS[Step.MESSAGE] + 1
        assert subject.overdue() is Step.MESSAGE
