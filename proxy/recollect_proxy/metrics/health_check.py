"""Checks the health of the store, within a time limit. Never: user data."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog

from recollect.engine import Engine
from recollect.engine.background.counts import ModelUse
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Backlog
from recollect.spool import Waiting

_PATIENCE_SECONDS = 1.0

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Inquiry(Generic[T]):
    """Asks the engine something that the store has to answer.

    At most one question is under way, however many ask us: a store that hangs is not drowned in
    questions, and the connections stay with the chats.
    """

    def __init__(
        self, live: LiveEngine, question: Callable[[Engine], Coroutine[Any, Any, T]], *, patience: float
    ) -> None:
        """Take what asks, and how many seconds the answer may take."""
        self._live = live
        self._question = question
        self._patience = patience
        self._asking: asyncio.Task[T] | None = None

    async def answer(self) -> T | None:
        """Return the answer; None if the store does not answer in time. Never raises."""
        engine = self._live.engine
        if engine is None:
            return None
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._question(engine))
            self._asking.add_done_callback(_note)
        asking = self._asking
        await asyncio.wait({asking}, timeout=self._patience)
        if asking.done() and not asking.cancelled() and asking.exception() is None:
            return asking.result()
        if not asking.cancelling():
            asking.cancel()  # and not waited for: to let go of a store that hangs takes time too
        return None


@dataclass(frozen=True, slots=True)
class Condition:
    """How things stand, over all users.

    Attributes:
        backlog: The backlog of formation.
        model_use: The tokens of background calls, and the state of the circuit breaker.
    """

    backlog: Backlog
    model_use: ModelUse


class HealthCheck:
    """Checks the health of the store."""

    def __init__(self, live: LiveEngine, *, patience: float = _PATIENCE_SECONDS) -> None:
        self._live = live
        self._inquiry = Inquiry(live, read_condition, patience=patience)

    @property
    def waiting(self) -> Waiting:
        """The exchanges of this process that wait to be written to the store."""
        return self._live.log_writer.waiting

    async def condition(self) -> Condition | None:
        """Return the health of the store; None if it does not answer in time. Never raises."""
        return await self._inquiry.answer()


async def read_condition(engine: Engine) -> Condition:
    """Return how things stand.

    Raises:
        StoreError: The store failed.
    """
    return Condition(await engine.backlog(), await engine.model_use())


def _note(asking: asyncio.Task[T]) -> None:
    error = TimeoutError() if asking.cancelled() else asking.exception()
    if error is not None:
        log.warning("health_check_failed", error=type(error).__name__)
