"""What takes long is done beside the event loop, one piece after the other, and nobody waits for it without end."""

import asyncio
import threading

import pytest

from recollect_proxy.aside import Aside


async def test_work_is_done_beside_the_loop() -> None:
    loops_own = threading.get_ident()

    assert await Aside().do(threading.get_ident) != loops_own


async def test_two_pieces_of_work_are_done_one_after_the_other() -> None:
    aside, going_on, most = Aside(), threading.Semaphore(1), []

    def work() -> bool:
        alone = going_on.acquire(blocking=False)
        most.append(alone)
        going_on.release()
        return alone

    assert all(await asyncio.gather(*(aside.do(work) for _ in range(20))))


async def test_an_error_is_its_askers() -> None:
    def fail() -> None:
        raise KeyError("nothing")

    with pytest.raises(KeyError):
        await Aside().do(fail)


async def test_who_waits_too_long_goes_on_and_what_was_not_begun_is_never_done() -> None:
    aside, go_on, done = Aside(patience=0.05), threading.Event(), []
    try:
        with pytest.raises(TimeoutError):
            await aside.do(go_on.wait)
        with pytest.raises(TimeoutError):
            await aside.do(lambda: done.append("second"))
    finally:
        go_on.set()

    assert await Aside.do(aside, lambda: "third") == "third"
    assert done == []
