"""Asks the store how formation stands, quickly or not at all. Never: user data, who wants to know."""

import asyncio

import structlog

from recollect.live_engine import LiveEngine
from recollect.model import Backlog

_PATIENCE_SECONDS = 1.0

log = structlog.get_logger(__name__)


class HealthCheck:
    """Asks the store how formation stands.

    At most one question is under way, however many ask us: a store that hangs is not drowned in
    questions, and the connections stay with the chats.
    """

    def __init__(self, live: LiveEngine, *, patience: float = _PATIENCE_SECONDS) -> None:
        self._live = live
        self._patience = patience
        self._counting: asyncio.Task[Backlog] | None = None

    async def backlog(self) -> Backlog | None:
        """Return how formation stands; None where the store does not say so in time. Never raises."""
        engine = self._live.engine
        if engine is None:
            return None
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(engine.backlog())
            self._counting.add_done_callback(_note)
        counting = self._counting
        await asyncio.wait({counting}, timeout=self._patience)
        if counting.done() and not counting.cancelled() and counting.exception() is None:
            return counting.result()
        if not counting.cancelling():
            counting.cancel()  # and not waited for: to let go of a store that hangs takes time too
        return None


def _note(counting: asyncio.Task[Backlog]) -> None:
    error = TimeoutError() if counting.cancelled() else counting.exception()
    if error is not None:
        log.warning("health_store_unavailable", error=type(error).__name__)
