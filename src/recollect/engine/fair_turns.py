"""Lets each person have a few recalls at a time, so that many requests of one don't hold up those of others. Never: a recall."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

_AT_ONCE = 2
"""Recalls of one person at a time. Each computes for milliseconds, so that more would not end sooner."""


class FairTurns:
    """Counts the recalls of each person that are under way."""

    def __init__(self) -> None:
        self._of: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, user_id: str, seconds: float) -> AsyncIterator[None]:
        """Wait for one of the person's turns, first come, first served, and hold it.

        Raises:
            TimeoutError: None came within ``seconds``.
        """
        turns = self._of.setdefault(user_id, asyncio.Semaphore(_AT_ONCE))
        async with asyncio.timeout(seconds):
            await turns.acquire()
        try:
            yield
        finally:
            turns.release()
