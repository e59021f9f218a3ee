"""An exchange from its beginning to its end: its entries for the message log, and who waits until they are written.

All entries of the message log are made here. Never: where it is written; raises into a chat.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.deadline import ends_before
from recollect.errors import StoreError
from recollect.model import Became, Exchange, Failure, LogEntry, Memory, Phase, Recollection, Turn, TurnNotes
from recollect.text.normalization import storable_id, storable_user
from recollect.text.secrets.masking import MaskedTurn

_PATIENCE_SECONDS = 0.5
"""The seconds that a chat waits for its turn to be kept: a disk that hangs, or megabytes to mask, may take longer."""

_START_SECONDS = 10.0
"""The seconds that it waits besides if this process has just started, and can't write yet."""

log = structlog.get_logger(__name__)

# -- its entries for the log ------------------------------------------------------------------------


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
    """Return the exchange that begins with a turn. Ids order exchanges: it is made when the turn is read."""
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
    """Return the entry that says how its answer ended.

    Args:
        exchange: The exchange.
        reply: The part of the answer that arrived; "" without a word.
        recollections: The user's memories in the prompt.
        answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
        failure: The failure of the answer; None without one.
    """
    said = exchange.turn.whole_answer(reply)
    whole = replace(exchange, reply=said, answer_id=answer_id, failure=failure)
    return LogEntry(Phase.ENDED, whole, _found(recollections))


def awaited(exchange: Exchange, recollections: Sequence[Recollection], answer_id: str) -> LogEntry:
    """Return the entry that says that the LLM's server keeps its answer until that is fetched."""
    return LogEntry(Phase.AWAITED, replace(exchange, answer_id=answer_id), _found(recollections))


def _found(recollections: Sequence[Recollection]) -> tuple[UUID, ...]:
    # Statements that every chat gets do not count as used: counting would make them outlive all others.
    return tuple(each.item.id for each in recollections if isinstance(each.item, Memory) and each.is_found)


def failed(exchange: Exchange, failure: Failure) -> LogEntry:
    """Return the entry that says that the model failed to answer it."""
    return LogEntry(Phase.FAILED, replace(exchange, failure=failure))


def refused(exchange: Exchange) -> LogEntry:
    """Return the entry that says that the server refused the client: its turn is withdrawn."""
    return LogEntry(Phase.REFUSED, exchange)


# -- while it is said and answered -----------------------------------------------------------------


class Progress:
    """The progress of writing an exchange, for the tasks that wait for it.

    Attributes:
        ready: This process is ready to write.
        noted: The turn is in the spool, or never will be: later phases may be kept after it.
        kept: The turn outlives this process.
        over: So does the end of its answer: the turn needs no write of its own any more.
        alone: No answer will end the turn: it is written alone, and at once.
        needed: The chat waits for the turn to be kept.
        masked: The turn with its secrets masked, for the entries that follow; None while none is.
        noting: The notes that go with the next phase that is written; None: none, or they are in the store.
        takes_notes: Whether no phase is written yet, so that notes that come can go with it.
    """

    def __init__(self) -> None:
        self.ready, self.noted = asyncio.Event(), asyncio.Event()
        self.kept, self.over, self.needed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.alone = False
        self.masked: MaskedTurn | None = None
        self.noting: Noting | None = None
        self.takes_notes = True


class Noting:
    """Notes on their way to the store.

    Attributes:
        notes: The notes.
        ended: Done once the store has them, or never will.
    """

    def __init__(self, notes: TurnNotes) -> None:
        self.notes, self.ended = notes, asyncio.get_running_loop().create_future()

    def end(self) -> None:
        """Let go on who waits for them."""
        if not self.ended.done():
            self.ended.set_result(None)


WriteSoon: TypeAlias = Callable[
    [LogEntry, "asyncio.Task[Became] | None", Progress | None], "asyncio.Task[Became]"
]
"""Writes a phase of an exchange in the background, as ``LiveEngine.write_soon`` does."""


class ExchangeRecord:
    """Writes an exchange to the log, from the turn to the end of its answer, which is noted once at most.

    Attributes:
        turn: The turn.
        is_over: Whether the end was noted.
    """

    def __init__(self, write_soon: WriteSoon, exchange: Exchange, count_late: Callable[[], None]) -> None:
        """Begin to write the turn.

        Args:
            write_soon: Writes a phase.
            exchange: The exchange.
            count_late: Called if the chat goes on before the turn is safe.
        """
        self.turn = exchange.turn
        self.is_over = False
        self._count_late = count_late
        self._write_soon = write_soon
        self._exchange = exchange
        self._progress = Progress()
        self._begun = write_soon(begun(exchange), None, self._progress)

    async def durable(self) -> None:
        """Wait until the turn will outlive this process, as long as a chat may wait; count it as late after that."""
        self._progress.needed.set()
        await ends_before(self._begun, self._progress.ready, _START_SECONDS)
        is_written = await ends_before(self._begun, self._progress.kept, _PATIENCE_SECONDS)
        if not (is_written or self._progress.kept.is_set()):
            self._count_late()

    def takes(self, noting: Noting) -> bool:
        """Take notes that are to go with the next phase; return False if they had to wait for a long answer's end."""
        if self.is_over or not self._progress.takes_notes:
            return False
        self._progress.noting = noting
        return True

    def gives_back(self, noting: Noting) -> bool:
        """Give back notes that it took, if no phase is about to be written that they go with; return whether it does."""
        if self.is_over or not self._progress.takes_notes or self._progress.noting is not noting:
            return False
        self._progress.noting = None
        return True

    def end(
        self,
        reply: str,
        *,
        recollections: Sequence[Recollection],
        answer_id: str = "",
        failure: Failure | None = None,
    ) -> asyncio.Task[Became]:
        """Note the end of its answer in the background; never raises, never waits.

        Args:
            reply: The part of the answer that arrived; "" if the user left before its first word.
            recollections: The user's memories in the prompt.
            answer_id: The id under which the LLM's server keeps the answer; "" if it keeps none.
            failure: The failure of the answer; None without one.

        Returns:
            A task that returns the outcome, once it will outlive this process.
        """
        self.is_over = True
        entry = ended(self._exchange, reply, recollections, answer_id=answer_id, failure=failure)
        return self._write_soon(entry, self._begun, self._progress)

    def await_answer(self, answer_id: str, *, recollections: Sequence[Recollection]) -> None:
        """Note in the background that the LLM's server keeps its answer until that is fetched; never raises, never waits."""
        self.is_over = True
        self._write_soon(awaited(self._exchange, recollections, answer_id), self._begun, self._progress)

    def fail(self, failure: Failure) -> None:
        """Note in the background that the model failed to answer it; never raises, never waits."""
        self.is_over = True
        self._write_soon(failed(self._exchange, failure), self._begun, self._progress)

    def withdraw(self) -> None:
        """Note in the background that the server refused the client, so that nothing is kept; never raises or waits."""
        self.is_over = True
        self._write_soon(refused(self._exchange), self._begun, self._progress)
