"""Work is waited for until its deadline: late work is cancelled, and not waited for."""

import asyncio

import pytest
from tests.support.waiting import until

from recollect.runtime.deadline import happens, wait_until_done, within


class Work:
    """Work that does not end by itself; when it is cancelled it takes a while to notice."""

    def __init__(self) -> None:
        self.was_cancelled = False
        self.may_end = asyncio.Event()

    async def __call__(self) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            await asyncio.wait({asyncio.ensure_future(self.may_end.wait())}, timeout=1)
            raise


async def test_what_is_done_in_time_is_returned() -> None:
    async def work() -> str:
        return "done"

    assert await within(60, work()) == "done"


async def test_what_fails_in_time_fails() -> None:
    async def work() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        await within(60, work())


async def test_late_work_is_cancelled_and_its_end_not_waited_for() -> None:
    work = Work()

    with pytest.raises(TimeoutError):
        await within(0.01, work())

    await until(lambda: work.was_cancelled, seconds=5)
    work.may_end.set()


async def test_work_that_nobody_waits_for_any_more_is_cancelled() -> None:
    work = Work()
    waiting = asyncio.create_task(within(60, work()))
    await asyncio.sleep(0.01)

    waiting.cancel()
    await asyncio.wait({waiting})

    assert waiting.cancelled()
    await until(lambda: work.was_cancelled, seconds=5)
    work.may_end.set()


async def test_what_happens_in_time_is_told_as_soon_as_it_does() -> None:
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, event.set)

    assert await happens(event, 60)
    assert await happens(event, 0)


async def test_what_does_not_happen_is_waited_for_so_long() -> None:
    assert not await happens(asyncio.Event(), 0.01)


async def test_work_that_ends_before_anything_happens_is_known_to_have_ended() -> None:
    work = asyncio.create_task(asyncio.sleep(0.01))

    assert await wait_until_done(work, asyncio.Event(), 60)
    assert await wait_until_done(work)


@pytest.mark.parametrize("seconds", [None, 0.01])
async def test_late_work_goes_on_whatever_it_was_late_for(seconds: float | None) -> None:
    work, event = asyncio.create_task(asyncio.Event().wait()), asyncio.Event()
    if seconds is None:
        asyncio.get_running_loop().call_later(0.01, event.set)

    assert not await wait_until_done(work, event, seconds)

    assert not work.cancelling()
    work.cancel()
