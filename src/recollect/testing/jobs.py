"""A queue of jobs in this process's memory. Never: what a job does."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import timedelta

from recollect.errors import StoreError

_WORKERS = 4
_RETRY_SECONDS = 0.05


class JobQueue:
    """Users that have something to form, in the order they were enqueued.

    Attributes:
        held: Users whose job raised.
    """

    def __init__(self) -> None:
        self.held: list[str] = []
        self._waiting: deque[str] = deque()
        self._enqueued = asyncio.Event()

    def enqueue(self, user_id: str) -> None:
        """Add a job for this user."""
        self._waiting.append(user_id)
        self._enqueued.set()

    def requeue_held(self) -> None:
        """Try the jobs that raised once more."""
        while self.held:
            self.enqueue(self.held.pop())

    def erase(self, user_id: str) -> int:
        """Delete the jobs of this user, and return how many there were."""
        count = self._waiting.count(user_id) + self.held.count(user_id)
        self._waiting = deque(each for each in self._waiting if each != user_id)
        self.held = [each for each in self.held if each != user_id]
        return count

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several at once."""
        async with asyncio.TaskGroup() as workers:
            for _ in range(_WORKERS):
                workers.create_task(self._work(drain))

    async def _work(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        loop = asyncio.get_running_loop()
        while True:
            while not self._waiting:
                self._enqueued.clear()
                await self._enqueued.wait()
            user_id = self._waiting.popleft()
            try:
                again_after = await drain(user_id)
            except asyncio.CancelledError:
                self.enqueue(user_id)
                raise
            except StoreError:
                loop.call_later(_RETRY_SECONDS, self.enqueue, user_id)
            except Exception:  # noqa: BLE001 - whatever it is: held, and visible
                self.held.append(user_id)
            else:
                if again_after is not None:
                    loop.call_later(again_after.total_seconds(), self.enqueue, user_id)
