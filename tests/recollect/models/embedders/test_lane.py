"""A model's thread works in order, and skips calls that were given up."""

import asyncio
import os
import threading

import pytest

from recollect.errors import EmbedderError
from recollect.models.embedders.multilingual_e5 import Lane


async def test_work_is_done_in_order_in_a_thread_of_its_own() -> None:
    lane, done = Lane("test"), list[int]()

    def work(number: int) -> str:
        done.append(number)
        return threading.current_thread().name

    names = await asyncio.gather(*(lane.submit(work, number) for number in range(5)))

    assert done == [0, 1, 2, 3, 4]
    assert set(names) == {"test_0"}
    await lane.aclose()


async def test_what_is_due_too_late_is_not_begun() -> None:
    lane, go_on, begun = Lane("test"), threading.Event(), list[str]()
    first = asyncio.create_task(lane.submit(go_on.wait))
    late = asyncio.create_task(lane.submit(begun.append, "late", patience=0.05))
    await asyncio.sleep(0.1)  # longer than anybody waits
    go_on.set()

    with pytest.raises(EmbedderError, match="overloaded"):
        await late
    await lane.submit(begun.append, "next")

    assert await first
    assert begun == ["next"]
    await lane.aclose()


async def test_a_closed_lane_takes_nothing_and_finishes_what_it_has() -> None:
    lane, go_on = Lane("test"), threading.Event()
    running = asyncio.create_task(lane.submit(go_on.wait))
    await asyncio.sleep(0)
    closing = asyncio.create_task(lane.aclose())
    await asyncio.sleep(0)
    go_on.set()

    assert await running
    await closing
    with pytest.raises(EmbedderError, match="closed"):
        await lane.submit(go_on.wait)


async def test_a_short_question_does_not_wait_for_long_ones() -> None:
    lane, go_on, done = Lane("test"), threading.Event(), list[str]()
    running = asyncio.create_task(lane.submit(go_on.wait))
    await asyncio.sleep(0)
    long = [asyncio.create_task(lane.submit(done.append, f"long {n}", size=9)) for n in range(3)]
    await asyncio.sleep(0)
    short = asyncio.create_task(lane.submit(done.append, "short", size=1))
    left = asyncio.create_task(lane.submit(done.append, "left", size=0))
    await asyncio.sleep(0)
    left.cancel()
    go_on.set()

    await asyncio.gather(running, short, *long)

    assert done == ["short", "long 0", "long 1", "long 2"]
    await lane.aclose()
    await lane.aclose()


async def test_only_the_thread_of_a_nice_lane_is_nice() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    lanes = Lane("test"), Lane("nice", is_nice=True)
    plain, nice = [await each.submit(niceness) for each in lanes]
    assert plain == niceness() < nice
    for each in lanes:
        await each.aclose()
