"""Runs the slow work on long chat requests in one thread, by turns for their users, so that neither the event loop nor other users wait long."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakValueDictionary

Result = TypeVar("Result")

PATIENCE_SECONDS = 2.0
"""How long a chat waits at most for its work, queued and running."""


class FairExecutor:
    """Runs work in one thread, whose queue holds at most one piece per user. A caller waits at most ``patience`` seconds."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        # Two threads that compute would leave the event loop a third of the interpreter's time.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fair-executor")
        self._locks: WeakValueDictionary[str | None, asyncio.Lock] = WeakValueDictionary()

    async def submit(self, work: Callable[[], Result], user_id: str | None) -> Result:
        """Return the result of ``work``. All unknown users share the place of the user None.

        Raises:
            TimeoutError: It took too long. Work that had not begun is not begun any more.
        """
        lock = self._locks.setdefault(user_id, asyncio.Lock())
        async with asyncio.timeout(self._patience):
            await lock.acquire()
            running = self._thread.submit(work)
            done = asyncio.wrap_future(running)
            # Work that has begun goes on when its caller has given up, and holds its user's place until it ends.
            done.add_done_callback(partial(_release, lock))
            try:
                # Cancelled, `done` would release the lock while the work goes on.
                return await asyncio.shield(done)
            finally:
                running.cancel()


def _release(lock: asyncio.Lock, done: "asyncio.Future[Result]") -> None:
    """Start the user's next piece of work; an error without a waiting caller is dropped."""
    lock.release()
    if not done.cancelled():
        done.exception()
