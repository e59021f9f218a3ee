"""Keeps each message in the spool at once, and has `exchange_recorder` write it to the message log when the log can take it.

A store that is away or slow costs a chat a moment at most, and no message. It never raises into a chat, and does not decide which messages are
worth keeping.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache, TTLCache

from recollect.engine import Engine
from recollect.engine.exchange_recorder import ExchangeRecord, Noting
from recollect.engine.kept_credentials import CREDENTIAL_SECONDS, CREDENTIALS_KEPT
from recollect.engine.masking_lanes import (
    entry_as_it_is,
    entry_without_secrets,
    masked_turn_of,
    masking_is_ready,
)
from recollect.errors import RecollectError, StoreError, StoreUnavailableError, raised_at
from recollect.model import Became, LogEntry, Phase, Scope, Turn, TurnNotes, Written
from recollect.runtime.deadline import happens, wait_until_done
from recollect.spool import FullError, Spool, Waiting
from recollect.spool_segments import Line

NOTES_AT_MOST = 200
"""Notes that may wait. Without one a chat goes on."""

_PATIENCE_SECONDS = 0.05
"""How long a turn waits for the last notes of its chat: its prompt is given the same blocks again."""


class NotesInBackground:
    """The notes on their way to the store; ``tasks`` holds those that write notes alone."""

    def __init__(self, engine: Callable[[], Engine | None], tasks: set[asyncio.Task[None]]) -> None:
        self._engine = engine
        self._tasks = tasks
        self._under_way: dict[Noting, None] = {}

    def keep_notes(self, turn: Turn, notes: TurnNotes, record: ExchangeRecord | None) -> None:
        """Begin to write the notes of a turn: with its exchange, or alone if that is over or its answer takes long."""
        noting = Noting(turn, notes, record)
        self._under_way[noting] = None
        if record is None or not record.takes(noting):
            self.write_alone(noting)

    async def caught_up(self, scope: Scope) -> None:
        """Wait a moment until the last notes of a chat are written."""
        of_chat = [each for each in self._under_way if each.turn.scope == scope]
        for noting in of_chat:
            # A request with a tool's results comes before the end of the answer that they wait for.
            if noting.record is not None and noting.record.gives_back(noting):
                self.write_alone(noting)
        if of_chat:
            await happens(of_chat[-1].ended, _PATIENCE_SECONDS)

    async def ended(self, request_id: UUID, seconds: float) -> bool:
        """Wait ``seconds`` at most until the notes with a request are written; return whether they are."""
        for noting in self._under_way:
            if noting.notes.request is not None and noting.notes.request.id == request_id:
                return await happens(noting.ended, seconds)
        return True

    def release(self, noting: Noting) -> None:
        """Let go on the tasks that wait for notes: the store has them, or never will."""
        noting.ended.set()
        self._under_way.pop(noting, None)

    def write_alone(self, noting: Noting) -> None:
        """Write notes without a phase."""
        engine = self._engine()
        if engine is None or len(self._tasks) >= NOTES_AT_MOST:
            log.debug(
                "notes_dropped", reason="too many are waiting for the store" if engine else "it is away"
            )
            self.release(noting)
            return
        task = asyncio.create_task(engine.write_notes(noting.turn, noting.notes))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self.release(noting))


# If the answer ends sooner, one statement writes both, and none competes with the first byte.
_SOON_SECONDS = 0.5
"""How long a turn stays in the spool alone while its answer goes on."""

_AGAIN_SECONDS = 1.0
"""How long a store that failed is left alone."""

_CLOSE_SECONDS = 5.0
"""How long a writer that closes waits for phases that are being masked and kept."""

_LOOK_SECONDS = 30.0
"""The pause between two searches for files of dead processes."""

_KEPT = 10_000
"""The most people whose wish to be recorded is cached."""

log = structlog.get_logger(__name__)


class LogWriter:
    """Writes the phases of exchanges, those of a chat in the order in which they were said; arguments as ``LiveEngine``'s.

    Attributes:
        ready: Set once phases can be masked and kept at once.
        writing: The tasks that write phases.
        lost: How many phases neither the log nor the spool could take.
        late: How many turns were sent on to the model before they would outlive this process.
    """

    def __init__(
        self,
        spool: Spool,
        engine: Callable[[], Engine | None],
        notes: NotesInBackground,
        *,
        keeps: bool,
        patience: float,
        masks: bool,
    ) -> None:
        self._spool, self._engine, self._notes = spool, engine, notes
        self._keeps, self._patience, self._masks = keeps, patience, masks
        self._successor: LogWriter | None = None
        self._is_recorded: LRUCache[str, bool] = LRUCache(_KEPT)
        self._credentials: TTLCache[UUID, str] = TTLCache(CREDENTIALS_KEPT, CREDENTIAL_SECONDS)
        self._later: WeakValueDictionary[tuple[UUID, Phase], asyncio.Future[Written]] = WeakValueDictionary()
        self._newest: WeakValueDictionary[Scope, asyncio.Task[Became]] = WeakValueDictionary()
        self._opened, self._adopted = asyncio.Event(), asyncio.Event()
        self._wake, self._tried, self._closing = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._replaying: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()
        self.writing: set[asyncio.Task[Became]] = set()
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

    def write_soon(self, entry: LogEntry, record: ExchangeRecord) -> asyncio.Task[Became]:
        """Write a phase in the background, after those before it in its exchange and its chat; never raises, never waits.

        The task returns the outcome in the log, once the phase will outlive this process.
        """
        if self._successor is not None:
            return self._successor.write_soon(entry, record)
        scope = entry.exchange.turn.scope
        before = [each for each in (record.begun, self._newest.get(scope)) if each is not None]
        task = self._newest[scope] = asyncio.create_task(self._write(entry, record, before))
        self.writing.add(task)
        task.add_done_callback(self.writing.discard)
        return task

    async def _write(
        self, entry: LogEntry, record: ExchangeRecord, before: Sequence[asyncio.Task[Became]]
    ) -> Became:
        try:
            await self._get_ready()
            if record.begun is not None and entry.phase is not Phase.BEGUN:
                # The turn is masked by then, and kept before its end.
                await wait_until_done(record.begun, record.kept)
            return await self._keep_and_write(await self._as_kept(entry, record), record, before)
        except FullError:
            self._lose(entry, "the spool is full")
        except Exception as error:  # noqa: BLE001 -- a bug must not end a chat, and would be there again
            log.error("exchange_recording_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- no text
            self._lose(entry, "it can't be written")
        return None

    async def _get_ready(self) -> None:
        self.start()
        if not self.ready.is_set():
            await happens(self._opened, self._patience)
            if self._masks:
                await masking_is_ready()
            self.ready.set()

    async def _as_kept(self, entry: LogEntry, record: ExchangeRecord) -> LogEntry:
        """Return a phase as it may be kept; the turn's secrets are masked once for all its phases."""
        if not self._masks:
            return entry_as_it_is(entry)
        if entry.phase is Phase.BEGUN:
            record.masked = await masked_turn_of(entry.exchange)
        return await entry_without_secrets(entry, record.masked)

    async def _keep_and_write(
        self, entry: LogEntry, record: ExchangeRecord, before: Sequence[asyncio.Task[Became]]
    ) -> Became:
        """Keep a phase in the spool, and write it to the log or let it wait. Raises FullError."""
        begins = entry.phase is Phase.BEGUN
        kept = await self._spool.keep(entry) if self._records(entry) else None
        try:
            is_kept = kept is None or kept.is_on_disk
            if is_kept and begins:
                record.kept.set()
            elif not begins:
                record.alone = not is_kept or entry.phase is not Phase.ENDED
                record.over.set()
            if unfinished := {each for each in before if not each.done()}:
                await asyncio.wait(unfinished)
            if begins and is_kept and await happens(record.over, _SOON_SECONDS) and not record.alone:
                return None  # the entry that ended it is written, and this with it
            return await self._with_notes(entry, record) or await self._let_wait(entry, kept)
        finally:
            if kept is not None and not kept.waits:
                self._spool.finish(kept)

    async def _with_notes(self, entry: LogEntry, record: ExchangeRecord) -> Written | None:
        """Write a phase and the notes that wait for it."""
        record.takes_notes = False
        noting, record.noting = record.noting, None
        if noting is None:
            return await self._to_log(entry)
        written = None
        try:
            written = await self._to_log(replace(entry, notes=noting.notes))
        finally:
            if written is None:  # no spool keeps notes
                self._notes.write_alone(noting)
            else:
                self._notes.release(noting)
        return written

    def _records(self, entry: LogEntry) -> bool:
        """Return whether the user wants a record, as far as is known."""
        return self._is_recorded.get(entry.exchange.turn.scope.user_id, self._keeps)

    async def _let_wait(self, entry: LogEntry, kept: Line | None) -> asyncio.Future[Written] | None:
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

    async def _to_log(self, entry: LogEntry) -> Written | None:
        """Return the outcome of a phase in the log; None if the log can't take it, or not in time."""
        engine, user_id = self._engine(), entry.exchange.turn.scope.user_id
        # Messages that dead processes left are written first.
        if engine is None or not await happens(self._adopted, self._patience) or self._spool.has(user_id):
            return None
        try:
            return await self._written(engine, entry, self._patience)
        except StoreError as error:  # it waits in the spool
            log.warning("exchange_recording_failed", error=type(error).__name__, detail=str(error))
            return None

    async def _written(self, engine: Engine, entry: LogEntry, seconds: float | None = None) -> Written:
        """Write a phase to the log, for so many seconds, or until this writer closes. Raises StoreError."""
        writing = asyncio.create_task(engine.write_phase(entry))
        if not await wait_until_done(writing, self._closing if seconds is None else None, seconds):
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
        log.warning("exchange_spooled_late", count=self.late)

    async def _replay(self) -> None:
        await self._spool.open()
        self._opened.set()
        while not self._closing.is_set():
            if not self._adopted.is_set():
                await self._spool.adopt()
                self._adopted.set()
            self._wake.clear()
            if self._engine() is not None and not await self._replayed():
                await happens(self._closing, _AGAIN_SECONDS)
            elif not self._closing.is_set() and not await happens(self._wake, _LOOK_SECONDS):
                await self._spool.adopt()

    async def _replayed(self) -> bool:
        """Write what waits; return whether nothing of it waits any more."""
        before = self._spool.waiting.exchanges
        try:
            is_done = await self._spool.replay(self._write_again)
        except Exception as error:  # noqa: BLE001 -- a disk that can't be read, or a bug: what waits, waits
            log.error("spool_replay_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- no text
            return False
        finally:
            self._tried.set()
        if before and is_done:
            log.info("spool_replayed", exchanges=before)
        return is_done

    async def _write_again(self, entry: LogEntry) -> None:
        engine = self._engine()
        if engine is None or self._closing.is_set():
            raise StoreUnavailableError
        credential = self._credentials.get(entry.exchange.id)
        whole = replace(entry, exchange=replace(entry.exchange, credential=credential))
        written = await self._written(engine, whole)
        later = self._later.get((entry.exchange.id, entry.phase))
        if later is not None and not later.done():
            later.set_result(written)

    async def settle(self) -> None:
        """Wait until all phases so far are written, while there is an engine to write them."""
        if self.writing:
            await asyncio.wait(self.writing)
        while self._engine() is not None and self._spool.waiting.exchanges:
            self._tried.clear()
            await self._tried.wait()

    def give_way(self, successor: "LogWriter") -> None:
        """Let another writer have all later phases, and those that still wait when this one closes."""
        self._successor = successor

    async def close(self) -> None:
        """Stop writing: phases that the log has not taken wait in the spool, for the next process or the successor."""
        self._closing.set()
        self._wake.set()
        if self.writing:
            await asyncio.wait(self.writing, timeout=_CLOSE_SECONDS)
        if self.writing:
            log.error("exchange_lost", reason="shut down before it was read", count=len(self.writing))
        try:
            if self._replaying is not None:
                # It ends between two lines: the work on a file is not cut off.
                await asyncio.wait({self._replaying})
            if self._successor is not None:
                await self._successor.take(self._spool)
        finally:
            waiting = await self._spool.close()
            if waiting.exchanges and waiting.on_disk:
                log.warning("exchanges_left_in_spool", count=waiting.exchanges, bytes=waiting.bytes)
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
        log.debug("exchange_recording_failed", error=type(error).__name__)
