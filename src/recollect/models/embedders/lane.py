"""A thread that a model's texts go through one after another, beside the event loop. Never: what a model is."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from recollect.errors import EmbedderError

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


class Lane:
    """One thread. Whoever gives up before his turn costs it nothing.

    Args:
        name: The thread's.
        patience: Seconds after which nobody waits any more for what was asked: what is due later than that is not begun.
            None: all is done.
    """

    def __init__(self, name: str, *, patience: float | None = None) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._patience = patience
        self._closed = False

    async def run(self, work: Callable[[*_Arguments], _Result], *arguments: *_Arguments) -> _Result:
        """Return what ``work`` returns.

        Raises:
            EmbedderError: The lane was closed, or too much stood before this.
        """
        if self._closed:
            raise EmbedderError("The local embedder was closed.")
        asked = time.monotonic()

        def begin() -> _Result:
            if self._patience is not None and time.monotonic() - asked > self._patience:
                raise EmbedderError("The local embedder has more to do than it can in time.")
            return work(*arguments)

        return await asyncio.get_running_loop().run_in_executor(self._thread, begin)

    async def aclose(self) -> None:
        """Let the texts that are waiting finish, then let go of the thread."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)
