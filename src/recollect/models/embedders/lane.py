"""Runs a model's work one job after another in a thread, off the event loop. Never: what a model is."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

from recollect.errors import EmbedderError

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


class Lane:
    """A single worker thread with a queue. A job that is cancelled before its turn is never run.

    Args:
        name: The prefix of the thread's name.
        patience: The most seconds that a job may wait in the queue. A job that waited longer fails without being run,
            since its caller has given up. None: no limit.
    """

    def __init__(self, name: str, *, patience: float | None = None) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._patience = patience
        self._closed = False

    async def run(self, work: Callable[[*_Arguments], _Result], *arguments: *_Arguments) -> _Result:
        """Run ``work(*arguments)`` in the thread, and return its result.

        Raises:
            EmbedderError: The lane was closed, or the job waited longer than ``patience``. ``work`` may raise anything.
        """
        if self._closed:
            raise EmbedderError("The local embedder was closed.")
        asked = time.monotonic()

        def begin() -> _Result:
            if self._patience is not None and time.monotonic() - asked > self._patience:
                raise EmbedderError(
                    "The local embedder is overloaded: the text waited too long in its queue."
                )
            return work(*arguments)

        return await asyncio.get_running_loop().run_in_executor(self._thread, begin)

    async def aclose(self) -> None:
        """Accept no more jobs, wait until those in the queue are done, and end the thread."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)
