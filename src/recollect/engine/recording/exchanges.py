"""An exchange from its beginning to its end: its entries for the message log, and the wait until its turn is safe.

All entries of the message log are made here. Never: writes them; raises into a chat.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import Became, Exchange, Failure, LogEntry, Memory, Phase, Recollection, Turn, TurnNotes
from recollect.runtime.deadline import wait_until_done
from recollect.text.normalization import storable_id, storable_user
from recollect.text.secrets.masking import MaskedTurn

_PATIENCE_SECONDS = 0.5
"""The seconds that a chat waits for its turn to be kept: a disk that hangs, or megabytes to mask, may take longer."""

_START_SECONDS = 10.0
"""The seconds that it waits more if this process has just started, and can't write yet."""

log = structlog.get_logger(__name__)


def is_storable(turn: Turn) -> bool:
    """Return whether a log can hold the turn's ids; if not, waiting would not help."""
    try:
        storable_user(turn.scope.user_id)
        storable_id(turn.scope.session_id)
        storable_id(turn.key)
    except StoreError as error:
        log.error("exchange_lost", reason=str(error))  # noqa: TRY400 -- the message says it all
        return False
    return True


def new_exchange(turn: Turn, *, credential: str | None) -> Exchange:
    """Return the exchange that begins with a turn."""
    # Version 7 is in order of time, by which exchanges are ordered: so they are made when the turn is read.
    ids = uuid7(), uuid7(), uuid7()
    return Exchange(
        ids[0],
        turn,
        "",
        ids[1],
        ids[2],
        authorized=credential is not None,
        credential=credential,
        continues=bool(turn.begun_answer),
    )


def begun(exchange: Exchange) -> LogEntry:
    """Return the entry that says that its turn was said."""
    return LogEntry(Phase.BEGUN, exchange)


def ended(
    exchange: Exchange,
    reply: str,
    recollections: Sequence[Recollection],
    *,
    answer_id: str = "",
    failure: Failure | None = None,
) -> LogEntry:
    """Return the entry of its answer's end, with the arguments of ``ExchangeRecord.end``."""
    said = exchange.turn.whole_answer(reply)
    whole = replace(exchange, reply=said, answer_id=answer_id, failure=failure)
    return LogEntry(Phase.ENDED, whole, _recalled_ids(recollections))


def _recalled_ids(recollections: Sequence[Recollection]) -> tuple[UUID, ...]:
    # Statements that every chat gets do not count as used: counting would make them outlive all others.
    return tuple(each.item.id for each in recollections if isinstance(each.item, Memory) and each.is_found)


@dataclass(slots=True, eq=False)
class Noting:
    """Notes on a turn, on their way to the store.

    Attributes:
        turn: The turn.
        notes: The notes.
        record: The record of the exchange that they may be written with; None: there is none.
        ended: Set once the store has them, or never will.
    """

    turn: Turn
    notes: TurnNotes
    record: "ExchangeRecord | None"
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class PhaseWriter(Protocol):
    """Writes phases of exchanges, as ``LogWriter`` does; ``ready`` is set once they can be masked and kept at once."""

    ready: asyncio.Event

    def write_soon(self, entry: LogEntry, record: "ExchangeRecord") -> asyncio.Task[Became]:
        """Write a phase in the background; return a task that returns its outcome."""
        ...

    def count_late(self) -> None:
        """Count a turn whose chat could wait no longer."""
        ...


class ExchangeRecord:
    """Writes an exchange to the log, from the turn to the end of its answer, which is noted once at most.

    Attributes:
        turn: The turn.
        begun: The task that writes the turn; None: the turn is written with its end.
        kept: Set once the turn outlives this process.
        over: Set once the end of its answer does: the turn needs no write of its own any more.
        alone: Whether no answer will end the turn: it is written alone, and at once.
        masked: The turn with its secrets masked, for the phases that follow; None while none is.
        noting: The notes that go with the next phase that is written; None: none, or they are in the store.
        takes_notes: Whether a phase is still to come that notes can go with.
    """

    def __init__(self, writer: PhaseWriter, exchange: Exchange) -> None:
        self.turn = exchange.turn
        self.begun: asyncio.Task[Became] | None = None
        self.kept, self.over = asyncio.Event(), asyncio.Event()
        self.alone = False
        self.masked: MaskedTurn | None = None
        self.noting: Noting | None = None
        self.takes_notes = True
        self._writer = writer
        self._exchange = exchange

    def begin(self) -> None:
        """Begin to write the turn in the background; never raises, never waits."""
        self.begun = self._writer.write_soon(begun(self._exchange), self)

    async def durable(self) -> None:
        """Wait until the turn will outlive this process, as long as a chat may wait; count it as late after that."""
        assert self.begun is not None  # noqa: S101 -- a chat goes on only behind its beginning
        await wait_until_done(self.begun, self._writer.ready, _START_SECONDS)
        is_written = await wait_until_done(self.begun, self.kept, _PATIENCE_SECONDS)
        if not (is_written or self.kept.is_set()):
            self._writer.count_late()

    def takes(self, noting: Noting) -> bool:
        """Take notes that are to go with the next phase; return False if they had to wait for a long answer's end."""
        if self.takes_notes:
            self.noting = noting
        return self.takes_notes

    def gives_back(self, noting: Noting) -> bool:
        """Give back notes that it took, if no phase is about to be written that they go with; return whether it does."""
        if not self.takes_notes or self.noting is not noting:
            return False
        self.noting = None
        return True

    def end(
        self,
        reply: str,
        *,
        recollections: Sequence[Recollection],
        answer_id: str = "",
        failure: Failure | None = None,
    ) -> asyncio.Task[Became]:
        """Note the end of its answer in the background; never raises, never waits. The task returns the outcome, once it will outlive this process.

        The reply is the part of the answer that arrived, "" if the user left before its first word; the recollections are the memories in
        the prompt; and the LLM's server keeps the answer under ``answer_id``, if it keeps one.
        """
        entry = ended(self._exchange, reply, recollections, answer_id=answer_id, failure=failure)
        return self._end_with(entry)

    def await_answer(self, answer_id: str, *, recollections: Sequence[Recollection]) -> None:
        """Note in the background that the LLM's server keeps its answer until that is fetched; never raises, never waits."""
        exchange = replace(self._exchange, answer_id=answer_id)
        self._end_with(LogEntry(Phase.AWAITED, exchange, _recalled_ids(recollections)))

    def fail(self, failure: Failure) -> None:
        """Note in the background that the model failed to answer it; never raises, never waits."""
        self._end_with(LogEntry(Phase.FAILED, replace(self._exchange, failure=failure)))

    def withdraw(self) -> None:
        """Note in the background that the server refused the client, so that nothing is kept; never raises or waits."""
        self._end_with(LogEntry(Phase.REFUSED, self._exchange))

    def _end_with(self, entry: LogEntry) -> asyncio.Task[Became]:
        self.takes_notes = False
        return self._writer.write_soon(entry, self)
