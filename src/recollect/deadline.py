"""Waits for work until a deadline, and not for its end. Never: what the work is."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_running: set[asyncio.Task[Any]] = set()


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` returns, if it does within ``seconds``.

    ``asyncio.timeout`` waits until what it cancelled has ended, which a database that stopped
    answering puts off by seconds. This one cancels late work and leaves it to end by itself.

    Raises:
        TimeoutError: The work is late.
    """
    task = asyncio.create_task(work)
    _running.add(task)  # the loop itself holds tasks but weakly
    task.add_done_callback(_ended)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()  # late, or nobody waits for it any more


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled():
        task.exception()  # of late work nobody wants to know it
