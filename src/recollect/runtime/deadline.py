"""Waits for work, or for something to happen, until a deadline, and not for its end."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns, if it does within ``seconds``.

    ``asyncio.timeout`` waits until the cancelled work has ended, which takes seconds with a database that stopped
    answering. This one cancels late work and does not wait for its end. Work that has no time left is not begun.

    Raises:
        TimeoutError: The work is late.
    """
    if seconds <= 0:
        work.close()
        raise TimeoutError
    task = asyncio.create_task(work)
    _running.add(task)  # the loop itself holds tasks but weakly
    task.add_done_callback(_ended)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()  # late, or without a caller by now


async def happens(event: asyncio.Event, seconds: float) -> bool:
    """Return whether something happens within so many seconds, as soon as it does."""
    if not event.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
    return event.is_set()


async def wait_until_done(
    work: asyncio.Future[Any], event: asyncio.Event | None = None, seconds: float | None = None
) -> bool:
    """Wait until ``work`` has ended, something happens, or so many seconds have passed; return whether it has ended.

    Late work goes on.
    """
    if work.done() or (event is not None and event.is_set()):
        return work.done()
    happening = None if event is None else asyncio.create_task(event.wait())
    try:
        awaited: set[asyncio.Future[Any]] = {work} if happening is None else {work, happening}
        await asyncio.wait(awaited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if happening is not None:
            happening.cancel()
    return work.done()


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled():
        task.exception()  # no caller wants the result of late work
