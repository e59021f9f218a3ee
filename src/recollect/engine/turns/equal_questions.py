"""Shares the work of equal questions within two seconds.

Several models that a person asks at once have equal questions, and so has an answer that is generated again.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_SHARED_SECONDS = 2.0  # an erasure is heeded everywhere within the same time
"""How long a result is shared."""
_RESULTS_AT_MOST = 256  # above it, each equal question is ranked alone


class EqualQuestions(Generic[T]):
    """Shares the results of equal work within two seconds; one that is not whole only with those who wait for it already."""

    def __init__(self, is_whole: Callable[[T], bool] = lambda _result: True) -> None:
        self._is_whole = is_whole
        self._results: dict[Hashable, asyncio.Task[T]] = {}

    def clear(self) -> None:
        """Share no earlier result any more."""
        self._results.clear()

    async def once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of ``work``, or that of equal work that began within the last two seconds."""
        # Others may wait for it if this caller is cancelled.
        return await asyncio.shield(self.begin(key, work))

    def begin(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> "asyncio.Task[T]":
        """Return a task with the result of ``work``, or that of equal work; it is not the caller's to cancel.

        ``key`` names the person and the question, and the versions of their memory if that is read.
        """
        task = self._results.get(key)
        if task is None:
            task = asyncio.create_task(work())
            if len(self._results) < _RESULTS_AT_MOST:
                self._results[key] = task
                asyncio.get_running_loop().call_later(_SHARED_SECONDS, self._results.pop, key, None)
            task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[T]") -> None:
        """Share no failure, and nothing that lacks something."""
        if task.cancelled() or task.exception() is not None or not self._is_whole(task.result()):
            for key in [key for key, each in self._results.items() if each is task]:
                del self._results[key]
