"""Whether Recollect works, said quickly: the store is asked, but never waited for long. Never: user data."""

import asyncio
from typing import Annotated, Literal, Self, TypeAlias

import structlog
from msgspec import Meta, Struct

from recollect.live_engine import LiveEngine
from recollect.model import Backlog
from recollect_proxy.memory_api.shapes import Formation

_PATIENCE_SECONDS = 1.0

Status: TypeAlias = Literal["ok", "degraded"]
StoreStatus: TypeAlias = Literal["ok", "unavailable"]

log = structlog.get_logger(__name__)


class Health(Struct):
    """Whether Recollect works. That there is an answer at all says that the process lives."""

    status: Annotated[
        Status,
        Meta(description="degraded while the store is unavailable or exchanges are held as failed."),
    ]
    store: Annotated[StoreStatus, Meta(description="Whether the memory store answered within a second.")]
    formation: Annotated[
        Formation | None, Meta(description="How formation stands; null while the store is unavailable.")
    ]

    @classmethod
    def of(cls, backlog: Backlog | None) -> Self:
        """Return the JSON of what the store said; None: it did not answer."""
        if backlog is None:
            return cls("degraded", "unavailable", None)
        return cls("degraded" if backlog.failed else "ok", "ok", Formation.of(backlog))


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
