"""Does what takes long beside the event loop, so that nobody else's chat waits for it. Never: what is done."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

PATIENCE_SECONDS = 2.0
"""How long a chat waits for it at most, in the queue and at work."""


class Aside:
    """One thread, as two that compute would leave the loop a third of its time."""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        """Start nothing yet.

        Args:
            patience: Seconds that who asks for work waits for it.
        """
        self._patience = patience
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")

    async def do(self, work: Callable[[], Result]) -> Result:
        """Return what ``work`` returns.

        Raises:
            TimeoutError: It took too long. What is not begun is not done any more.
        """
        doing = self._thread.submit(work)
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.wrap_future(doing)
        finally:
            doing.cancel()
