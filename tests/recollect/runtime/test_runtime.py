"""Work is waited for until its deadline: late work is cancelled, and not waited for."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.waiting import until

from recollect.runtime.deadline import happens, wait_until_done, within
from recollect.runtime.file_lock import FileLock


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


async def test_work_without_time_is_not_begun() -> None:
    begun = []

    async def work() -> None:
        begun.append(True)

    with pytest.raises(TimeoutError):
        await within(0, work())

    await asyncio.sleep(0)
    assert not begun


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


# -- A lock on a file is held by one, and let go of once --


def test_it_is_held_by_one_until_it_is_closed(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    assert first.take()
    assert not second.take()
    first.close()
    assert second.take()
    second.close()


def test_closed_twice_it_closes_nothing_of_anybody_elses(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.close()
    another = os.open(tmp_path / "another", os.O_WRONLY | os.O_CREAT)
    assert another == lock.descriptor  # the number is free, and given again

    lock.close()

    os.write(another, b"still open")
    os.close(another)


# -- A process of ours gives back what a large text took --


_HOLES = """
import sys
import numpy as np
from recollect.runtime.memory_allocator import give_memory_back

def resident():
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmRSS"))

print(sys.argv[1] == "yes" and give_memory_back())
before = resident()
np.ones(4_000_000)  # 32 MB, freed at once: glibc takes what is smaller from its heap from now on
large, small = [], []
for _ in range(100):
    large.append(np.ones(125_000))
    small.append(np.ones(100))  # lies between two large ones, and stays
del large
print(resident() - before)
"""


def _kept(*, is_set: bool) -> tuple[bool, int]:
    """Return whether it could be set, and the MiB that a process kept of 100 that it freed."""
    command = [sys.executable, "-c", _HOLES, "yes" if is_set else "no"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    told, kept = done.stdout.split()
    return told == "True", int(kept)


@pytest.mark.process
def test_what_is_freed_between_what_stays_is_given_back() -> None:
    is_set, kept = _kept(is_set=True)
    if not is_set:
        pytest.skip("this system's allocator has no such settings")
    _, kept_otherwise = _kept(is_set=False)

    assert kept < 20
    assert kept_otherwise > 60
