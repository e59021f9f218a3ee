"""Writes the notes on turns: with a phase of the turn's exchange that is written soon, else alone. Never raises."""

import asyncio
from collections.abc import Callable
from uuid import UUID

import structlog

from recollect.engine import Engine
from recollect.engine.recording.exchanges import ExchangeRecord, Noting
from recollect.model import Scope, Turn, TurnNotes
from recollect.runtime.deadline import happens

NOTES_AT_MOST = 200
"""Notes that may wait. Without one a chat goes on."""

_PATIENCE_SECONDS = 0.05
"""How long a turn waits for the last notes of its chat: its prompt is given the same blocks again."""

log = structlog.get_logger(__name__)


class NotesInBackground:
    """The notes on their way to the store.

    Args:
        engine: Returns the engine that writes them; None while there is none.
        tasks: Holds the tasks that write notes alone.
    """

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
        """Wait a moment until the last notes of a chat are written.

        Notes that wait for an answer's end are written now: a request with a tool's results comes before that end.
        """
        of_chat = [each for each in self._under_way if each.turn.scope == scope]
        for noting in of_chat:
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
