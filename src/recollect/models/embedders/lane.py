"""Runs a model's jobs one after another in a thread, off the event loop."""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import TypeVar, TypeVarTuple

from recollect.errors import EmbedderError

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")

_STEP = 200
"""Characters of a question that a model reads in about ten milliseconds."""

_NICENESS = 10

LISTED = sys.maxsize - 1
"""The size of a text of a list, which comes after every question."""


class Lane:
    """A single worker thread with a queue. A job that is cancelled before its turn is never run.

    Small jobs come first: a person's short question does not wait for other people's long ones.

    Args:
        name: The prefix of the thread's name.
        is_nice: Whether everything else that has work to do on this machine comes first.
    """

    def __init__(self, name: str, *, is_nice: bool = False) -> None:
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix=name, initializer=_be_nice if is_nice else None
        )
        self._closed = False
        self._is_busy = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def submit(
        self,
        work: Callable[[*_Arguments], _Result],
        *arguments: *_Arguments,
        size: int = 0,
        patience: float | None = None,
    ) -> _Result:
        """Run ``work(*arguments)`` in the thread, and return its result.

        Args:
            work: The job.
            arguments: Its arguments.
            size: Jobs of a smaller size come first; of equal ones the first that came.
            patience: The most seconds that the job may wait in the queue. One that waited longer fails without being run,
                since its caller has given up. None: no limit.

        Raises:
            EmbedderError: The lane was closed, or the job waited for too long. ``work`` may raise anything.
        """
        if self._closed:
            raise EmbedderError("The local embedder was closed.")
        asked = time.monotonic()
        await self._turn(size)
        if patience is not None and time.monotonic() - asked > patience:
            self._pass_on()
            raise EmbedderError("The local embedder is overloaded: the text waited too long in its queue.")
        ended: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._thread.submit(self._run, partial(work, *arguments), ended)
        return await ended

    def _run(self, work: Callable[[], _Result], ended: asyncio.Future[_Result]) -> None:
        """Run a job, and wake the loop once for its result and the next job. Runs in the thread."""
        try:
            settle = partial(ended.set_result, work())
        except Exception as error:  # noqa: BLE001 -- it is the caller's
            settle = partial(ended.set_exception, error)
        loop = ended.get_loop()
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._end, ended, settle)

    def _end(self, ended: asyncio.Future[_Result], settle: Callable[[], None]) -> None:
        # A job that has begun keeps the turn until it ends, whether or not its caller still waits.
        self._pass_on()
        if not ended.done():
            settle()

    async def _turn(self, size: int) -> None:
        """Wait for the job's turn, and take it."""
        if not self._is_busy:
            self._is_busy = True
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (size, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()  # it was given the turn in the same moment
            raise

    def _pass_on(self) -> None:
        """Give the turn to the smallest job that still waits."""
        while self._waiting:
            *_, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._is_busy = False

    async def aclose(self) -> None:
        """Refuse further jobs, finish those in the queue, and end the thread."""
        self._closed = True
        await self._turn(sys.maxsize)  # behind every job in the queue
        try:
            await asyncio.to_thread(self._thread.shutdown)
        finally:
            self._pass_on()


def size_of(text: str) -> int:
    """Return the size of a job for a question: in steps, so that those of about one length keep their order; 0 is short."""
    return len(text) // _STEP


def _be_nice() -> None:
    """Lower the priority of this thread, where the system knows a thread's."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)
