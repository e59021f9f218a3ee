"""What takes long is done beside the event loop, one piece after the other, and nobody waits for it without end."""

import asyncio
import threading
from functools import partial

import pytest

from recollect_proxy.chat.fair_executor import FairExecutor

ANNA, BEN = "anna", "ben"


async def test_work_is_done_beside_the_loop() -> None:
    loops_own = threading.get_ident()

    assert await FairExecutor().submit(threading.get_ident, ANNA) != loops_own


async def test_two_pieces_of_work_are_done_one_after_the_other() -> None:
    executor, going_on, most = FairExecutor(), threading.Semaphore(1), []

    def work() -> bool:
        alone = going_on.acquire(blocking=False)
        most.append(alone)
        going_on.release()
        return alone

    assert all(await asyncio.gather(*(executor.submit(work, f"user {n}") for n in range(20))))


async def test_an_error_is_its_askers() -> None:
    def fail() -> None:
        raise KeyError("nothing")

    with pytest.raises(KeyError):
        await FairExecutor().submit(fail, ANNA)


@pytest.mark.parametrize("second", [ANNA, BEN])
async def test_who_waits_too_long_goes_on_and_what_was_not_begun_is_never_done(second: str) -> None:
    executor, go_on, done = FairExecutor(patience=0.05), threading.Event(), []
    try:
        with pytest.raises(TimeoutError):
            await executor.submit(go_on.wait, ANNA)
        with pytest.raises(TimeoutError):
            await executor.submit(lambda: done.append("second"), second)
        # What is begun is its user's turn until it ends, though nobody waits for it.
        assert second == BEN or executor._thread._work_queue.qsize() == 0
    finally:
        go_on.set()

    assert await executor.submit(lambda: "third", second) == "third"
    assert done == []


async def test_however_much_one_asks_for_the_others_have_their_turn_after_one_piece_of_it() -> None:
    executor, go_on, order = FairExecutor(patience=60), threading.Event(), []

    def slow(number: int) -> None:
        go_on.wait()
        order.append(f"{ANNA} {number}")

    annas = [asyncio.create_task(executor.submit(partial(slow, number), ANNA)) for number in range(20)]
    await asyncio.sleep(0)
    bens = asyncio.create_task(executor.submit(lambda: order.append(BEN), BEN))
    nobodys = asyncio.create_task(executor.submit(lambda: order.append("nobody"), None))
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*annas, bens, nobodys)

    assert order == ["anna 0", BEN, "nobody", *(f"anna {number}" for number in range(1, 20))]
