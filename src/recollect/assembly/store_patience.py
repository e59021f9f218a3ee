"""How long a start waits for its store before it goes on without. Never: opens one."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

_PATIENCE_SECONDS = 10.0
"""An empty database takes a second; a migration of much, another process's too, may take an hour."""

log = structlog.get_logger(__name__)


class StorePatience:
    """Tells that the store is late, while it is waited for; the waiting goes on.

    Its patience is one for all of a start: what was waited once is not granted again.

    Args:
        goes_on: Set when the start is to go on without the store; None: nobody but who waits is concerned.
    """

    def __init__(self, goes_on: asyncio.Event | None = None) -> None:
        self._goes_on = goes_on
        self._left = _PATIENCE_SECONDS

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for the store in the body."""
        loop = asyncio.get_running_loop()
        began, late = loop.time(), loop.call_later(self._left, self._tell)
        try:
            yield
        finally:
            late.cancel()
            self._left = max(0.0, self._left - (loop.time() - began))

    def _tell(self) -> None:
        if self._goes_on is None or not self._goes_on.is_set():
            log.warning(
                "store_late",
                waited_seconds=_PATIENCE_SECONDS,
                why="it is slow, or its schema is being changed",
            )
        if self._goes_on is not None:
            self._goes_on.set()
