"""The engine as a host uses it: it opens in the background, prepares turns, and logs them.

No chat waits for its opening. Until then nothing is recalled, and messages wait in a spool, so a database that starts late
or goes away costs no memory.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.engine import Engine, system_clock
from recollect.engine.counters import AnswerCounts, RecallCounts
from recollect.engine.exchange_recorder import ExchangeRecord, is_storable, new_exchange
from recollect.engine.live.log_writer import NOTES_AT_MOST, LogWriter, NotesInBackground
from recollect.engine.live.recent_exchanges import AskedRequest, RecentExchanges
from recollect.engine.masking_lanes import begin_masking
from recollect.engine.turns.explain import request_record
from recollect.engine.turns.prompt_content import Prepared, RecallOptions
from recollect.errors import RecollectError, StoreError, StoreUnavailableError, raised_at
from recollect.model import (
    UNNAMED,
    Became,
    Exchange,
    Message,
    News,
    Recall,
    Recollection,
    Scope,
    Skip,
    Turn,
    TurnNotes,
    person_of,
)
from recollect.runtime.deadline import happens, wait_until_done, within
from recollect.spool import Spool

_REOPEN_SECONDS = 5.0  # between two tries to open a store that failed
_PATIENCE_SECONDS = 0.3  # recall's deadline, too: no chat waits longer for memory
_CLOSE_SECONDS = 5.0
_LOOK_SECONDS = 1.0  # an erasure is heeded everywhere within two seconds
_FIRST_LOOK, _CLOCKS_APART = timedelta(days=1), timedelta(minutes=1)
"""How far back an engine that was just opened looks for erasures, and the most that clocks of two machines may differ."""

_FAULTS = frozenset({Skip.DEADLINE, Skip.STORE, Skip.EMBEDDER, Skip.FAILED})
"""Reasons for recalling nothing that an operator wants to see."""

log = structlog.get_logger(__name__)

_Result = TypeVar("_Result")

OpenEngine = Callable[[], AbstractAsyncContextManager[Engine]]


class LiveEngine:
    """Keeps an engine open, and remembers in the background."""

    def __init__(
        self,
        open_engine: OpenEngine,
        *,
        spool: Spool | None = None,
        keeps: bool = True,
        patience: float = _PATIENCE_SECONDS,
        masks: bool = True,
        goes_on: asyncio.Event | None = None,
    ) -> None:
        """Prepare to open the engine by ``open_engine``.

        Args:
            open_engine: Opens it.
            spool: Keeps messages while the store is away; None: memory does.
            keeps: Whether messages are kept of users whose own `record` setting is unknown while the store is away.
            patience: Seconds that a chat waits at most for the log to take a message; then the spool does.
            masks: Whether secrets are masked before a message enters the log or the spool.
            goes_on: An event that ``open_engine`` sets when it takes too long for a start to wait.
        """
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self._masks = masks
        self._opened = asyncio.Event()
        self._first_try = goes_on or asyncio.Event()
        self._closing = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._notes: set[asyncio.Task[None]] = set()
        self._noting = NotesInBackground(lambda: self._engine, self._notes)
        self.log_writer = LogWriter(
            spool or Spool(None),
            lambda: self._engine,
            self._noting,
            keeps=keeps,
            patience=patience,
            masks=masks,
        )
        self._successor: LiveEngine | None = None
        self._chats = 0
        self.failure: RecollectError | None = None
        self.recalls, self.answers = RecallCounts(), AnswerCounts()
        self.recent = RecentExchanges()

    @property
    def engine(self) -> Engine | None:
        """The engine, or None while it is not open; ``failure`` then says why."""
        return self._engine

    @property
    def opened(self) -> Engine:
        """The engine; raises StoreUnavailableError while it is not open."""
        if self.engine is None:
            raise StoreUnavailableError
        return self.engine

    @property
    def is_late(self) -> bool:
        """Whether it is not open yet, though nothing failed: its store is slow, or its schema is being changed."""
        return self._engine is None and self.failure is None and self._first_try.is_set()

    def open(self) -> None:
        """Begin to open the engine, and wait for nothing."""
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep_open())
            self._begin()

    async def ready(self, seconds: float) -> bool:
        """Wait ``seconds`` at most for the engine to be open; return whether it is."""
        if self._keeper is None:
            await happens(self._opened, seconds)
        else:
            await wait_until_done(self._keeper, self._opened, seconds)
        return self._engine is not None

    async def start(self) -> None:
        """Open the engine; return when that has succeeded or failed once, or the store is late, and is opened once it is there.

        Raises:
            RecollectError: It can't be opened, and trying again would not help.
        """
        self._keeper = keeper = asyncio.create_task(self._keep_open())
        self._begin()
        if await wait_until_done(keeper, self._first_try):
            keeper.result()  # raises the start's error

    def _begin(self) -> None:
        self.log_writer.start()
        if self._masks:
            begin_masking()

    async def _keep_open(self) -> None:
        while not self._closing.is_set():
            try:
                async with self._open_engine() as engine:
                    self._engine, self.failure = engine, None
                    engine.note_running_chats(self._chats)  # also chats that began before it was open
                    engine.when_erased(self.recent.forget)
                    self._opened.set()
                    self._first_try.set()
                    self.log_writer.wake()
                    heeding = asyncio.create_task(self._heed_erasures(engine))
                    await self._closing.wait()
                    heeding.cancel()
                    self._engine = None  # before it closes, so that nothing new begins with it
            except StoreUnavailableError as error:
                self.failure = error
                log.warning("store_open_failed", detail=str(error), retry_seconds=_REOPEN_SECONDS)
                await self._pause()
            except RecollectError as error:
                self.failure = error
                log.error("engine_open_failed", error=type(error).__name__, detail=str(error))  # noqa: TRY400 -- the message says it all
                if not self._first_try.is_set():
                    raise  # a start fails clearly; a later failure would pass unseen
                await self._pause()
            finally:
                self._engine = None
                self._opened.clear()

    async def _pause(self) -> None:
        """Note that a try is over, and wait until it is time for the next, or to close."""
        self._first_try.set()
        await happens(self._closing, _REOPEN_SECONDS)

    @contextmanager
    def chat(self) -> Iterator[None]:
        """Let the background work know that a chat runs on the upstream during the body: the chat comes first."""
        if self._successor is not None:
            with self._successor.chat():
                yield
            return
        self._count_chats(1)
        try:
            yield
        finally:
            self._count_chats(-1)

    def _count_chats(self, more: int) -> None:
        self._chats += more
        if self._engine is not None:
            self._engine.note_running_chats(self._chats)

    async def in_its_chat(self, turn: Turn) -> Turn:
        """Return a turn in the chat that it belongs to, if its request names none or has only its end; never raises."""
        if not turn.scope.session_id.startswith(UNNAMED):
            return replace(turn, is_whole=None) if turn.is_whole and self.recent.is_cut(turn) else turn
        chat = self.recent.chat_of(turn)
        if chat is None and turn.follows and self._engine is not None:
            chat = await self._engine.chat_of_answer(turn.scope.user_id, turn.follows)
        return turn if chat is None else replace(turn, scope=Scope(turn.scope.user_id, chat))

    async def _heed_erasures(self, engine: Engine) -> None:
        """Forget recent exchanges of each person for whom another process erased something; look once a second."""
        looked = system_clock() - _FIRST_LOOK
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            # Taken before the look, so that nothing is missed that is erased meanwhile.
            began = system_clock()
            try:
                await engine.refresh_snapshots()
                erased = await engine.erased_among(self.recent.scopes, looked - _CLOCKS_APART)
                for user_id, at in erased.items():
                    self.recent.forget(user_id, at)
                looked = began
            except StoreError as error:  # the next look goes as far back
                log.debug("erasures_lookup_failed", error=type(error).__name__)
            except Exception as error:  # noqa: BLE001 -- no later erasure would be heeded
                log.error("erasures_lookup_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- no text

    def note_answer(
        self, asked: AskedRequest, history: Sequence[Message], reply: str | None, *, answer_id: str = ""
    ) -> None:
        """Note the answer to a request (None: there is none), so that the next one is understood; never raises, never waits."""
        if reply is None:
            self.recent.drop(asked)
            return
        for task in self.recent.note_answer(asked, reply, answer_id, history):
            _keep(self._abandon(task), self._notes)

    async def _abandon(self, task: Turn) -> None:
        await self.caught_up()
        try:
            if self._engine is not None:
                await self._engine.abandon_turn(task)
        except StoreError as error:  # the client's own question then stays a message
            log.warning("task_removal_failed", error=type(error).__name__)

    async def caught_up(self) -> None:
        """Wait until all messages so far are written, while there is an engine to write them."""
        await self.log_writer.settle()

    def note_soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Do optional work in the background, unless too much waits for the store. Never raises, never waits."""
        if len(self._notes) < NOTES_AT_MOST:
            _keep(work, self._notes)
        else:
            work.close()  # else Python warns of work never begun

    async def prepare(self, turn: Turn, options: RecallOptions, *, count: Callable[[str], int]) -> Prepared:
        """Return the recalled memories and blocks for the prompt of a turn; never raises."""
        if self._engine is None:
            return Prepared(Recall(skipped=Skip.STORE))
        await self._noting.caught_up(turn.scope)
        return await self._engine.prepare(turn, options, count=count)

    def note_turn(
        self,
        turn: Turn,
        prepared: Prepared,
        *,
        record: ExchangeRecord | None = None,
        request_id: UUID | None = None,
        api: str = "completions",
    ) -> None:
        """Note in the background the blocks in a turn's prompt, and its request; never raises, never waits.

        They go in one write with the ``record`` of its exchange, if there is one. ``api`` is the API that the request spoke.
        """
        log_recall(turn, prepared)
        if self._engine is None:
            return
        request = request_record(prepared, turn, request_id=request_id or uuid7(), at=turn.at, api=api)
        self.recalls.count(request)
        notes = TurnNotes(prepared.placed.injection, prepared.placed.detached, request)
        self._noting.keep_notes(turn, notes, record)

    async def noted(self, request_id: UUID, seconds: float) -> bool:
        """Wait ``seconds`` at most until this process has noted a request; return whether it has."""
        return await self._noting.ended(request_id, seconds)

    def leave_untold(self, looking: "asyncio.Task[News | None]") -> None:
        """Give back news that could not be shown, once looked up: the chat's next answer shows them; never raises or waits."""
        _keep(self._requeue_news(looking), self._notes)

    async def _requeue_news(self, looking: "asyncio.Task[News | None]") -> None:
        news, engine = await looking, self._engine
        if news is None or not news.exchanges or engine is None:
            return
        try:
            await engine.requeue_news(news)
        except RecollectError as error:  # this news is lost, and the memories are kept
            log.warning("news_requeue_failed", error=type(error).__name__)

    def begin_turn(self, turn: Turn, *, credential: str | None) -> ExchangeRecord | None:
        """Begin to write a turn before it is answered; return the record that takes its end; never raises, never waits.

        None: the turn has no words, or no log could hold it. The request's ``credential`` stays in this process's memory alone.
        """
        if not (turn.text and is_storable(turn)):
            return None
        record = self.record_of(new_exchange(turn, credential=credential))
        record.begin()
        return record

    def remember(
        self, turn: Turn, reply: str, *, recollections: Sequence[Recollection], credential: str | None
    ) -> asyncio.Task[Became] | None:
        """Remember an exchange that is over, in the background, as ``ExchangeRecord.end``; None as ``begin_turn``."""
        if not (turn.text and is_storable(turn)):
            return None
        return self.record_of(new_exchange(turn, credential=credential)).end(
            reply, recollections=recollections
        )

    def record_of(self, exchange: Exchange) -> ExchangeRecord:
        """Return a record that takes the end of an exchange, and writes nothing until then."""
        return ExchangeRecord(self.log_writer, exchange)

    async def settle(self, seconds: float) -> None:
        """Wait ``seconds`` at most until all exchanges and notes are written."""
        with suppress(TimeoutError):
            await within(seconds, self._settled())

    async def _settled(self) -> None:
        while waiting := self.log_writer.writing | self._notes:
            await asyncio.wait(waiting)
        await self.log_writer.settle()

    async def give_way(self, successor: "LiveEngine") -> None:
        """Close; ``successor`` remembers the phases that wait for an engine that is not open, and all later ones."""
        self._successor = successor
        self.log_writer.give_way(successor.log_writer)
        await self.aclose()

    async def aclose(self) -> None:
        """Write the waiting phases, or leave them in the spool; then close the engine. Mere notes may be lost."""
        try:
            if self._engine is not None and (waiting := self.log_writer.writing | self._notes):
                await asyncio.wait(waiting, timeout=_CLOSE_SECONDS)
            for task in self._notes:
                task.cancel()
            await self.log_writer.close()
        finally:
            await self._close()  # at once if it is not open, so that it does not open now

    async def _close(self) -> None:
        self._closing.set()
        if self._keeper is None:
            return
        if self._engine is None:
            self._keeper.cancel()  # within an opening, which may take long
        await asyncio.wait({self._keeper})
        if not self._keeper.cancelled():
            self._keeper.exception()  # it was logged when it was raised


def _keep(work: Coroutine[Any, Any, _Result], tasks: set[asyncio.Task[_Result]]) -> asyncio.Task[_Result]:
    task = asyncio.create_task(work)
    tasks.add(task)  # the loop's own reference is weak
    task.add_done_callback(tasks.discard)
    return task


def log_recall(turn: Turn, prepared: Prepared) -> None:
    """Log one ``recalled``: the user, the chat, how much the prompt was given or why nothing, and how long it took.

    ``degraded`` names the stages that recall had to skip, such as a late embedder. A recall without a fault is logged
    at the level ``debug``.
    """
    recall, block = prepared.recall, prepared.placed.block
    is_news = bool(recall.degraded) or recall.skipped in _FAULTS
    say = log.info if is_news else log.debug
    say(
        "recalled",
        user_id=person_of(turn.scope.user_id),
        session_id=turn.scope.session_id,
        given=len(block.recollections) if block else 0,
        skipped=recall.skipped.value if recall.skipped else None,
        **({"degraded": [stage.value for stage in recall.degraded]} if recall.degraded else {}),
        milliseconds=round(recall.milliseconds),
    )
