"""Writes what is noted with turns: with a phase of the turn's exchange where one is written soon, else alone. Never raises."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

import structlog

from recollect.deadline import ends_before
from recollect.engine import Engine
from recollect.engine.exchanges import ExchangeRecord, Noting, Progress
from recollect.model import Became, LogEntry, Scope, Turn, TurnNotes

NOTES_AT_MOST = 200
"""Notes that may wait. Without one a chat goes on."""

_PATIENCE_SECONDS = 0.05
"""How long a turn waits for the last notes of its chat: its prompt is given the same blocks again."""

log = structlog.get_logger(__name__)


class _Held(NamedTuple):
    """The notes of a chat's last request that are not written yet.

    Attributes:
        turn: The turn.
        noting: The notes.
        record: The record of the exchange that they may go with; None: there is none.
    """

    turn: Turn
    noting: Noting
    record: ExchangeRecord | None


class NotesInBackground:
    """The notes on their way to the store.

    Args:
        engine: Returns the engine that writes them; None while there is none.
        tasks: Holds the tasks that write notes alone.
    """

    def __init__(self, engine: Callable[[], Engine | None], tasks: set[asyncio.Task[None]]) -> None:
        self._engine = engine
        self._tasks = tasks
        self._of_requests: dict[UUID, Noting] = {}
        self._of_chats: dict[Scope, _Held] = {}

    def begin(self, turn: Turn, notes: TurnNotes, record: ExchangeRecord | None) -> None:
        """Begin to write the notes of a turn: with its exchange, or alone if that is over or its answer takes long."""
        noting = Noting(notes)
        if notes.request is not None:
            request_id = notes.request.id
            self._of_requests[request_id] = noting
            noting.ended.add_done_callback(lambda _: self._of_requests.pop(request_id, None))
        self._of_chats[turn.scope] = held = _Held(turn, noting, record)
        noting.ended.add_done_callback(lambda _: self._forget(held))
        if record is None or not record.takes(noting):
            self._write_alone(turn, noting)

    def follow(self, entry: LogEntry, progress: Progress, writing: asyncio.Task[Became]) -> None:
        """Follow a task that writes a phase: notes that the log has not taken with it are written alone, as no spool keeps them."""
        turn = entry.exchange.turn

        def write_what_is_left(_: asyncio.Task[Became]) -> None:
            if progress.noting is not None and not progress.takes_notes:
                left, progress.noting = progress.noting, None
                self._write_alone(turn, left)

        writing.add_done_callback(write_what_is_left)

    async def caught_up(self, scope: Scope) -> None:
        """Wait a moment until the last notes of a chat are written.

        Notes that wait for an answer's end are written now: a request with a tool's results comes before that end.
        """
        if (held := self._of_chats.get(scope)) is None:
            return
        if held.record is not None and held.record.gives_back(held.noting):
            self._write_alone(held.turn, held.noting)
        await ends_before(held.noting.ended, seconds=_PATIENCE_SECONDS)

    async def ended(self, request_id: UUID, seconds: float) -> bool:
        """Wait ``seconds`` at most until the notes with a request are written; return whether they are."""
        noting = self._of_requests.get(request_id)
        return noting is None or await ends_before(noting.ended, seconds=seconds)

    def _forget(self, held: _Held) -> None:
        if self._of_chats.get(held.turn.scope) is held:
            del self._of_chats[held.turn.scope]

    def _write_alone(self, turn: Turn, noting: Noting) -> None:
        engine = self._engine()
        if engine is None or len(self._tasks) >= NOTES_AT_MOST:
            log.debug("note_dropped", reason="too many are waiting for the store" if engine else "it is away")
            noting.end()
            return
        task = asyncio.create_task(engine.note(turn, noting.notes))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: noting.end())
