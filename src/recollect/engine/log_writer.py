"""Keeps each message in the spool at once, and writes it to the message log, or lets it wait in the spool while the log can't take it.

A store that is away or slow costs a chat a moment at most, and no message. Never: raises into a chat; decides which messages are
worth keeping.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID
from weakref import WeakSet, WeakValueDictionary

import structlog
from cachetools import LRUCache, TTLCache

from recollect.deadline import ends_before, happens
from recollect.engine import Engine
from recollect.engine.exchanges import Progress
from recollect.engine.masking_lanes import (
    entry_as_it_is,
    entry_without_secrets,
    masked_turn_of,
    masking_is_ready,
)
from recollect.errors import RecollectError, StoreError, StoreUnavailableError
from recollect.failures import place
from recollect.model import Became, LogEntry, Phase, Scope, Written
from recollect.spool import FullError, Kept, Spool, Waiting

_SOON_SECONDS = 0.5
"""How long a turn stays in the spool alone while its answer goes on. If the answer ends sooner, one statement writes both, and
none competes with the first byte."""

_AGAIN_SECONDS = 1.0
"""How long a store that failed is left alone."""

_LOOK_SECONDS = 30.0
"""The pause between two searches for files of dead processes."""

_KEPT, _CREDENTIAL_SECONDS = 10_000, 3600.0

log = structlog.get_logger(__name__)


class LogWriter:
    """Writes the phases of exchanges, those of a chat in the order in which they were said.

    Args:
        spool: Keeps the phases that the log can't take.
        engine: Returns the engine that writes to the log; None while there is none.
        keeps: Whether messages are kept of users whose own `record` setting is unknown while the store is away.
        patience: Seconds that the log may take with a phase before it waits in the spool, where someone waits for it.
        masks: Whether a phase's secrets are masked before it is kept.

    Attributes:
        lost: How many phases neither the log nor the spool could take.
        late: How many turns were sent on to the model before they would outlive this process.
    """

    def __init__(
        self,
        spool: Spool,
        engine: Callable[[], Engine | None],
        *,
        keeps: bool = True,
        patience: float = 0.1,
        masks: bool = True,
    ) -> None:
        self._spool = spool
        self._masks = masks
        self._successor: LogWriter | None = None
        self._patience = patience
        self._engine = engine
        self._keeps = keeps
        self._is_recorded: LRUCache[str, bool] = LRUCache(_KEPT)
        self._credentials: TTLCache[UUID, str] = TTLCache(_KEPT, _CREDENTIAL_SECONDS)
        self._later: WeakValueDictionary[tuple[UUID, Phase], asyncio.Future[Written]] = WeakValueDictionary()
        self._newest: WeakValueDictionary[Scope, asyncio.Task[Became]] = WeakValueDictionary()
        self._needed: WeakSet[asyncio.Event] = WeakSet()
        self._opened, self._adopted = asyncio.Event(), asyncio.Event()
        self._wake, self._tried = asyncio.Event(), asyncio.Event()
        self._closing, self._ending = asyncio.Event(), asyncio.Event()
        self._replaying: asyncio.Task[None] | None = None
        self.lost = self.late = 0

    @property
    def waiting(self) -> Waiting:
        """The count of phases that wait for the log."""
        return self._spool.waiting

    def start(self) -> None:
        """Begin to write what waits, whenever it can be written."""
        if self._replaying is None and not self._closing.is_set():
            self._replaying = asyncio.create_task(self._replay())

    def wake(self) -> None:
        """Try at once to write the waiting phases: the store is back, or files were left here."""
        self._adopted.clear()
        self._wake.set()

    async def write(self, entry: LogEntry, behind: asyncio.Task[Became] | None, progress: Progress) -> Became:
        """Write a phase; return what became of it in the log, once it will outlive this process. Never raises.

        Args:
            entry: Which phase.
            behind: The writing of the phase before it.
            progress: The exchange's progress, for the tasks that wait for it.
        """
        # Before the first await: tasks begin in the order in which they were made.
        waits_for = [behind, self._line_up(entry.exchange.turn.scope)]
        try:
            self.start()
            await happens(self._opened, self._patience)
            if self._masks:
                await masking_is_ready()
            progress.ready.set()
            if behind is not None:
                await progress.noted.wait()  # the turn is masked by then, and kept before its end
            entry = await self._as_kept(entry, progress)
            return await (self._successor or self).keep_and_write(entry, waits_for, progress)
        except FullError:
            self._lose(entry, "the spool is full")
        except Exception as error:  # noqa: BLE001 -- a bug must not end a chat, and would be there again
            log.error("remember_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
            self._lose(entry, "it can't be written")
        finally:
            progress.noted.set()
        return None

    def _line_up(self, scope: Scope) -> asyncio.Task[Became] | None:
        """Return the task that writes the phase before in a chat; the current task is the next to be waited for."""
        current: asyncio.Task[Became] | None = asyncio.current_task()
        assert current is not None  # noqa: S101 -- a coroutine runs in a task
        before, self._newest[scope] = self._newest.get(scope), current
        return before

    async def _as_kept(self, entry: LogEntry, progress: Progress) -> LogEntry:
        """Return a phase as it may be kept; the turn's secrets are masked once for all its phases."""
        if not self._masks:
            return entry_as_it_is(entry)
        if entry.phase is Phase.BEGUN:
            progress.masked = await masked_turn_of(entry.exchange)
        return await entry_without_secrets(entry, progress.masked)

    async def keep_and_write(
        self, entry: LogEntry, waits_for: Sequence[asyncio.Task[Became] | None], progress: Progress
    ) -> Became:
        """Keep a phase in the spool, and write it to the log or let it wait. Raises FullError."""
        begins = entry.phase is Phase.BEGUN
        kept = await self._spool.keep(entry) if self._records(entry) else None
        try:
            is_kept = kept is None or kept.is_on_disk
            progress.noted.set()
            if is_kept and begins:
                progress.kept.set()
            elif not begins:
                progress.alone = not is_kept or entry.phase is not Phase.ENDED
                progress.over.set()
            if before := {each for each in waits_for if each is not None and not each.done()}:
                await asyncio.wait(before)
            if begins and is_kept and await happens(progress.over, _SOON_SECONDS) and not progress.alone:
                return None  # what ended it is written, and this with it
            progress.takes_notes = False
            noting = progress.noting
            if noting is not None:
                entry = replace(entry, notes=noting.notes)
            written = await self._to_log(entry, progress.needed)
            if noting is not None and written is not None:
                progress.noting = None
                noting.end()
            return written or await self._let_wait(entry, kept)
        finally:
            if kept is not None and not kept.waits:
                self._spool.finish(kept)

    def _records(self, entry: LogEntry) -> bool:
        """Return whether the user wants a record, as far as is known."""
        return self._is_recorded.get(entry.exchange.turn.scope.user_id, self._keeps)

    async def _let_wait(self, entry: LogEntry, kept: Kept | None) -> asyncio.Future[Written] | None:
        exchange = entry.exchange
        if kept is None or not self._records(entry):
            return None
        await self._opened.wait()
        later = self._later[exchange.id, entry.phase] = asyncio.get_running_loop().create_future()
        if not await self._spool.wait(kept):
            later.set_result(Written.ERASED)
        if exchange.credential is not None:
            self._credentials[exchange.id] = exchange.credential
        self._wake.set()
        return later

    async def _to_log(self, entry: LogEntry, needed: asyncio.Event) -> Written | None:
        """Return the outcome of a phase in the log; None if the log can't take it, or not in time."""
        engine, user_id = self._engine(), entry.exchange.turn.scope.user_id
        # Messages that dead processes left are written first.
        if engine is None or not await happens(self._adopted, self._patience) or self._spool.has(user_id):
            return None
        self._needed.add(needed)
        if self._closing.is_set():
            needed.set()
        try:
            return await self._written(engine, entry, self._patience, needed)
        except StoreError as error:
            log.warning("remember_failed", error=type(error).__name__, detail=str(error))
            return None

    async def _written(
        self, engine: Engine, entry: LogEntry, seconds: float, given_up: asyncio.Event
    ) -> Written:
        """Write a phase to the log, for so many seconds, then until it is given up.

        Raises:
            StoreError: The log can't take it, or not in time.
        """
        writing = asyncio.create_task(engine.write(entry))
        if not (await ends_before(writing, seconds=seconds) or await ends_before(writing, given_up)):
            writing.cancel()  # and not waited for: to let go of a store that hangs takes time too
            writing.add_done_callback(_ended)
            raise StoreUnavailableError("The memory store is slow.")
        written = writing.result()
        if written is not Written.ERASED and entry.phase not in (Phase.FAILED, Phase.REFUSED):
            self._is_recorded[entry.exchange.turn.scope.user_id] = written is not Written.UNWANTED
        return written

    def _lose(self, entry: LogEntry, reason: str) -> None:
        """Count a phase that nothing could take, and log it."""
        self.lost += 1
        log.error("exchange_lost", reason=reason, step=entry.phase.value, count=self.lost)

    def count_late(self) -> None:
        """Count a turn whose chat could wait no longer; a process that is killed now loses it."""
        self.late += 1
        log.warning("exchange_late", count=self.late)

    # -- waiting phases ----------------------------------------------------------------------------------

    async def _replay(self) -> None:
        await self._spool.open()
        self._opened.set()
        while not self._ending.is_set():
            if not self._adopted.is_set():
                await self._spool.adopt()
                self._adopted.set()
            self._wake.clear()
            if self._engine() is not None and not await self._replayed():
                await happens(self._ending, _AGAIN_SECONDS)
            elif not self._ending.is_set() and not await happens(self._wake, _LOOK_SECONDS):
                await self._spool.adopt()

    async def _replayed(self) -> bool:
        """Write what waits; return whether nothing of it waits any more."""
        before = self._spool.waiting.exchanges
        try:
            is_done = await self._spool.replay(self._write_again)
        except Exception as error:  # noqa: BLE001 -- a disk that can't be read, or a bug: what waits, waits
            log.error("replay_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
            return False
        finally:
            self._tried.set()
        if before and is_done:
            log.info("spool_replayed", exchanges=before)
        return is_done

    async def _write_again(self, entry: LogEntry) -> None:
        engine = self._engine()
        if engine is None or self._ending.is_set():
            raise StoreUnavailableError
        credential = self._credentials.get(entry.exchange.id)
        whole = replace(entry, exchange=replace(entry.exchange, credential=credential))
        written = await self._written(engine, whole, 0.0, self._ending)
        later = self._later.get((entry.exchange.id, entry.phase))
        if later is not None and not later.done():
            later.set_result(written)

    async def settle(self) -> None:
        """Wait until nothing waits, while there is an engine to write it."""
        while self._engine() is not None and self._spool.waiting.exchanges:
            self._tried.clear()
            await self._tried.wait()

    def hurry(self) -> None:
        """Wait for the log no longer: phases that it has not taken by now go to the spool."""
        self._closing.set()
        for needed in self._needed:
            needed.set()

    async def close(self, successor: "LogWriter | None" = None) -> None:
        """Stop writing. Waiting phases stay for the next process, or go to a successor with another store.

        Every phase must have been written by now, or be waiting.
        """
        self._successor = successor
        self.hurry()
        self._ending.set()
        self._wake.set()
        try:
            if self._replaying is not None:
                # It ends between two lines: the work on a file is not cut off.
                await asyncio.wait({self._replaying})
            if successor is not None:
                await successor.take(self._spool)
        finally:
            waiting = await self._spool.close()
            if waiting.exchanges and waiting.on_disk:
                log.warning("exchanges_wait", count=waiting.exchanges, bytes=waiting.bytes)
            elif waiting.exchanges:
                log.error(
                    "exchange_lost", reason="shut down before the store was back", count=waiting.exchanges
                )

    async def take(self, spool: Spool) -> None:
        """Take over the phases in another spool, as far as there is room."""
        self.start()
        await self._opened.wait()

        async def take(entry: LogEntry) -> None:
            await self._spool.wait(await self._spool.keep(entry))

        await spool.replay(take)
        self._wake.set()


def _ended(writing: "asyncio.Task[Written]") -> None:
    """Log the error of a write that has no caller any more."""
    if not writing.cancelled() and isinstance(error := writing.exception(), RecollectError):
        log.debug("remember_failed", error=type(error).__name__)
