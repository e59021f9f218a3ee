"""Checks the health of the store within a time limit, and answers liveness and readiness: two paths, in raw ASGI.

Never: user data, a framework, an upstream; nor the admin token, so that any orchestrator can ask.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import structlog

from recollect.engine import Engine
from recollect.engine.counters import ModelUse
from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Awaits, Backlog
from recollect_proxy.web.asgi import Receive, Scope, Send, respond

_PATIENCE_SECONDS = 1.0

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Inquiry(Generic[T]):
    """Asks the engine something that the store has to answer.

    At most one question is under way, however many ask us: a store that hangs is not drowned in
    questions, and the connections stay with the chats.
    """

    def __init__(
        self,
        live: LiveEngine,
        question: Callable[[Engine], Coroutine[Any, Any, T]],
        *,
        patience: float = _PATIENCE_SECONDS,
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
    """The backlog of formation, and the use of background models, over all users."""

    backlog: Backlog
    model_use: ModelUse

    @property
    def is_degraded(self) -> bool:
        """Whether exchanges failed, or wait for something that needs an action, or the model's server is left alone."""
        # A spent budget is the operator's wish, a full list its person's, and a given-up exchange needs no action.
        waits = self.backlog.waiting.keys() - {Awaits.BUDGET, Awaits.GIVEN_UP, Awaits.APPROVAL}
        return bool(self.backlog.failed or waits) or self.model_use.left_alone_until is not None


async def read_condition(engine: Engine) -> Condition:
    """Return how things stand."""
    return Condition(await engine.backlog(), await engine.model_use())


def _note(asking: asyncio.Task[T]) -> None:
    error = TimeoutError() if asking.cancelled() else asking.exception()
    if error is not None:
        log.warning("health_check_failed", error=type(error).__name__)


LIVE = b"/memory/live"
READY = b"/memory/ready"
PROBES = frozenset({LIVE, READY})

_NO_STORE = [(b"cache-control", b"no-store")]


class Probes:
    """Answers `/memory/live` and `/memory/ready`.

    ``live`` is 200 whenever the process serves. ``ready`` is 200 from the end of the start until the signal to stop, then 503,
    so that a balancer turns away before the socket closes. It stays 200 while the store is down, as chats pass all the same,
    and a restart would not bring the store back. The body says so, with the number of exchanges that wait for the store:
    ``{"ready": true, "memory": "unavailable", "waiting": 12}``.

    Attributes:
        is_started: Whether the start is complete.
        draining: Whether the signal to stop has come.
    """

    def __init__(self, live: LiveEngine, *, patience: float = _PATIENCE_SECONDS) -> None:
        """Take the engine to ask, and the seconds that ``ready`` may take."""
        self._live = live
        self._inquiry = Inquiry(live, read_condition, patience=patience)
        self.is_started = False
        self.draining = False

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] not in {"GET", "HEAD"}:  # the server leaves out the body for a HEAD
            allow = [(b"allow", b"GET, HEAD"), *_NO_STORE]
            await respond(send, 405, b"", content_type=b"application/json", headers=allow)
        elif scope["raw_path"] == LIVE:
            await _say(send, 200, {"live": True})
        else:
            ready = self.is_started and not self.draining
            memory = "unavailable" if await self._inquiry.answer() is None else "available"
            await _say(
                send,
                200 if ready else 503,
                {"ready": ready, "memory": memory, "waiting": self._live.log_writer.waiting.exchanges},
            )


async def _say(send: Send, status: int, said: dict[str, object]) -> None:
    body = msgspec.json.encode(said)
    await respond(send, status, body, content_type=b"application/json", headers=_NO_STORE)
