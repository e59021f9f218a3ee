"""The engine as a host has it: open, or being opened again and again until it is.

A chat never waits for it: while there is no engine nothing is recalled, and what is to be
remembered waits, so that a database that starts late costs no memory.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, TypeVar
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.engine import Engine
from recollect.errors import RecollectError, StoreUnavailableError
from recollect.model import Recall, Recollection, Skip, Turn
from recollect.recalling import Prepared, Wishes
from recollect.story import tell

_REOPEN_SECONDS = 5.0
_PATIENCE_SECONDS = 600.0
_CLOSE_SECONDS = 5.0
_WAITING_AT_MOST = 1000
_NOTES_AT_MOST = 200
"""Notes that may wait. Without one a chat goes on; it must take no place of an exchange."""

log = structlog.get_logger(__name__)

_Result = TypeVar("_Result")

OpenEngine = Callable[[], AbstractAsyncContextManager[Engine]]


class LiveEngine:
    """Keeps an engine open, and remembers in the background."""

    def __init__(self, open_engine: OpenEngine) -> None:
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self._opened = asyncio.Event()
        self._first_try = asyncio.Event()
        self._closing = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._remembering: set[asyncio.Task[bool]] = set()
        self._notes: set[asyncio.Task[None]] = set()
        self._successor: LiveEngine | None = None
        self.failure: RecollectError | None = None

    @property
    def engine(self) -> Engine | None:
        """The engine, or None while it is not open; ``failure`` then says why."""
        return self._engine

    def open(self) -> None:
        """Begin to open the engine, and wait for nothing."""
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep_open())

    async def ready(self, seconds: float) -> bool:
        """Wait ``seconds`` at most for the engine to be open; return whether it is."""
        opened = asyncio.create_task(self._opened.wait())
        keeper = (self._keeper,) if self._keeper is not None else ()
        try:
            await asyncio.wait({opened, *keeper}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opened.cancel()
        return self._engine is not None

    async def start(self) -> None:
        """Open the engine; return when that has succeeded or failed once.

        Raises:
            RecollectError: It can't be opened, and trying again would not help.
        """
        self._keeper = keeper = asyncio.create_task(self._keep_open())
        tried = asyncio.create_task(self._first_try.wait())
        try:
            await asyncio.wait({keeper, tried}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tried.cancel()
        if keeper.done():
            keeper.result()

    async def _keep_open(self) -> None:
        while not self._closing.is_set():
            try:
                async with self._open_engine() as engine:
                    self._engine, self.failure = engine, None
                    self._opened.set()
                    self._first_try.set()
                    await self._closing.wait()
                    self._engine = None  # before it closes: nobody begins anything with it any more
            except StoreUnavailableError as error:
                self.failure = error
                log.warning("store_unavailable", detail=str(error), again=_REOPEN_SECONDS)
                await self._pause()
            except RecollectError as error:
                self.failure = error
                log.error("engine_unusable", error=type(error).__name__, detail=str(error))  # noqa: TRY400 -- the message says it all
                if not self._first_try.is_set():
                    raise  # a start fails clearly; later on nobody would see it end
                await self._pause()
            finally:
                self._engine = None
                self._opened.clear()

    async def _pause(self) -> None:
        """Tell that it was tried, and wait until it is time to try again, or to close."""
        self._first_try.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), _REOPEN_SECONDS)

    async def prepare(self, turn: Turn, wishes: Wishes, *, count: Callable[[str], int]) -> Prepared:
        """Return what the prompt of a turn is given; never raises."""
        if self._engine is None:
            return Prepared(Recall(skipped=Skip.STORE))
        return await self._engine.prepare(turn, wishes, count=count)

    def note(
        self, turn: Turn, prepared: Prepared, *, request_id: UUID | None = None, api: str = "completions"
    ) -> None:
        """Note in the background what a turn was given, and what its request was like; never raises, never waits."""
        if self._engine is None:
            return
        if len(self._notes) >= _NOTES_AT_MOST:
            log.debug("note_dropped", reason="too many are waiting for the store")
            return
        _keep(_note(self._engine, turn, prepared, request_id or uuid7(), api), self._notes)

    def remember(
        self, turn: Turn, reply: str, *, recollections: Sequence[Recollection], credential: str | None
    ) -> asyncio.Task[bool] | None:
        """Remember an exchange in the background; never raises, never waits.

        Returns:
            What tells, once it is done, whether it was a new exchange that is now logged; None where it is lost.
        """
        if self._successor is not None:
            return self._successor.remember(turn, reply, recollections=recollections, credential=credential)
        if len(self._remembering) >= _WAITING_AT_MOST:
            log.error("exchange_lost", reason="too many are waiting for the store")
            return None
        return _keep(self._remember(turn, reply, recollections, credential), self._remembering)

    async def _remember(
        self, turn: Turn, reply: str, recollections: Sequence[Recollection], credential: str | None
    ) -> bool:
        await self.ready(_PATIENCE_SECONDS)
        if self._engine is None and self._successor is not None:
            handed_on = self._successor.remember(
                turn, reply, recollections=recollections, credential=credential
            )
            return handed_on is not None and await handed_on
        if self._engine is None:
            log.error("exchange_lost", reason="the store stayed away")
            return False
        return await self._engine.remember(turn, reply, recollections=recollections, credential=credential)

    async def settle(self, seconds: float) -> None:
        """Wait until everything that was to be remembered or noted is written, ``seconds`` at most."""
        if waiting := self._remembering | self._notes:
            await asyncio.wait(waiting, timeout=seconds)

    async def aclose(self) -> None:
        """Log what still waits, then close the engine."""
        await self.settle(_CLOSE_SECONDS if self._engine is not None else 0.0)
        for task in self._remembering | self._notes:
            task.cancel()
        if self._remembering:
            log.error(
                "exchange_lost", reason="shut down before the store was back", count=len(self._remembering)
            )
        await self._close()

    async def give_way(self, successor: "LiveEngine") -> None:
        """Log what still waits, then close the engine.

        What waits for an engine that is not open, ``successor`` remembers, and whatever comes from now on.
        """
        self._successor = successor
        if self._engine is not None:
            await self.settle(_PATIENCE_SECONDS)
        await self._close()  # at once where it is not open, so that it does not open now

    async def _close(self) -> None:
        self._closing.set()
        if self._keeper is None:
            return
        if self._engine is None:
            self._keeper.cancel()  # within an opening, which may take long
        await asyncio.wait({self._keeper})
        if not self._keeper.cancelled():
            self._keeper.exception()  # told of when it was raised


def _keep(work: Coroutine[Any, Any, _Result], tasks: set[asyncio.Task[_Result]]) -> asyncio.Task[_Result]:
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def _note(engine: Engine, turn: Turn, prepared: Prepared, request_id: UUID, api: str) -> None:
    await engine.inject(turn, prepared.placed)  # first: the chat's next turn may come soon
    await engine.record(tell(prepared, turn, request_id=request_id, at=turn.at, api=api), turn)
