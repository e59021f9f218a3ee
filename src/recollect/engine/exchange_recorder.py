"""Records an exchange from its beginning to its end: makes its entries, waits until its turn is safe, and writes them to the log.

Only this module makes entries of the message log. It writes them, and the blocks of prompts, apart from the answer: if a write
fails, the chat goes on.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID

import structlog
from cachetools import TTLCache
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.engine.kept_credentials import LentCredential
from recollect.engine.masking_lanes import entry_as_it_is, entry_without_secrets
from recollect.engine.policy import Policy
from recollect.errors import StoreError, StoreUnavailableError, raised_at
from recollect.model import (
    Became,
    Exchange,
    Failure,
    Flags,
    LogEntry,
    Logged,
    Memory,
    Phase,
    Recollection,
    Scope,
    Turn,
    TurnNotes,
    Written,
    is_agents,
    scopes_in,
)
from recollect.ports import Clock
from recollect.runtime.deadline import wait_until_done
from recollect.text.normalization import storable_id, storable_user
from recollect.text.secrets.masking import MaskedTurn

_KEEPING_SECONDS = 0.5
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
        is_written = await wait_until_done(self.begun, self.kept, _KEEPING_SECONDS)
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


_ERASURES_KEPT = 10_000
_ERASURE_SECONDS = 3600.0  # the store refuses later ones by their mark (decision 0028)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


_NAMES_KNOWN, _NAME_SECONDS = 10_000, 600.0
"""The most users whose last names are cached, and for how long: another process may erase a user."""


class Recorder:
    """Remembers exchanges of many users; ``lend`` gives an exchange's own credential to who forms it."""

    def __init__(
        self, backends: Backends, policy: Policy, clock: Clock, *, lend: Callable[[LentCredential], None]
    ) -> None:
        self._store = backends.store
        self._policy = policy
        self._clock = clock
        self._lend = lend
        self._erased: TTLCache[Scope | str, datetime] = TTLCache(_ERASURES_KEPT, _ERASURE_SECONDS)
        self._names: TTLCache[str, str] = TTLCache(_NAMES_KNOWN, _NAME_SECONDS)
        self._when_erased: list[Callable[[str, datetime], None]] = []

    def note_erasure(self, erased: Scope | str, at: datetime) -> None:
        """Let nothing that this user said until then, or said in this chat, be written any more."""
        self._erased[erased] = at
        if isinstance(erased, str):
            self._names.pop(erased, None)
        for forget in self._when_erased:
            forget(erased if isinstance(erased, str) else erased.user_id, at)

    def when_erased(self, forget: Callable[[str, datetime], None]) -> None:
        """Have a person, or a chat of theirs, forgotten elsewhere in this process, too: call this with who, and until when."""
        self._when_erased.append(forget)

    async def remember(
        self,
        turn: Turn,
        reply: str,
        *,
        recollections: Sequence[Recollection] = (),
        credential: str | None = None,
    ) -> bool:
        """Log the exchange, and let it be formed in the background; return whether it is new; never raises, and tries once.

        The reply is the part that arrived, "" if the user left before its first word. The request's own ``Authorization`` is kept in this process's memory alone.
        """
        entry = ended(new_exchange(turn, credential=credential), reply, recollections)
        try:
            return await self.write_phase(await self._masked(entry)) is Written.NEW
        except Exception as error:  # noqa: BLE001 -- as in recall
            detail = str(error) if isinstance(error, StoreError) else ""
            log.error(  # noqa: TRY400 -- as in recall
                "exchange_lost", error=type(error).__name__, detail=detail, raised_at=raised_at(error)
            )
            return False

    async def log_turn(self, turn: Turn, *, credential: str | None = None) -> Exchange:
        """Log a turn before the model is asked, secrets masked, and return the exchange that ``end`` takes."""
        exchange = new_exchange(turn, credential=credential)
        await self.write_phase(await self._masked(begun(exchange)))
        return exchange

    async def log_reply(
        self, exchange: Exchange, reply: str, *, recollections: Sequence[Recollection] = ()
    ) -> Written:
        """Log the reply of an exchange, secrets masked, and let memories be formed of it."""
        return await self.write_phase(await self._masked(ended(exchange, reply, recollections)))

    async def _masked(self, entry: LogEntry) -> LogEntry:
        return entry_as_it_is(entry) if self._policy.log_secrets else await entry_without_secrets(entry)

    async def write_phase(self, entry: LogEntry) -> Written:
        """Write a phase of an exchange to the log; to write it twice changes nothing more."""
        exchange = entry.exchange
        if self._is_erased(exchange.turn):
            return Written.ERASED
        if entry.phase not in (Phase.BEGUN, Phase.ENDED):
            await self._note_unanswered(entry)
            if entry.notes is not None:
                await self.write_notes(exchange.turn, entry.notes)
            return Written.KNOWN
        if entry.phase is Phase.ENDED:  # before a job may look for it
            self._note_credential(exchange.id, exchange, is_answered=bool(exchange.reply.strip()))
        logged = await self._log(entry)
        if logged.outcome not in (Written.NEW, Written.KNOWN):
            self._lend_no_more(exchange)
            return logged.outcome
        await self._learn_zone(exchange.turn, logged.told_zone)
        await self._learn_name(exchange.turn)
        if entry.phase is Phase.BEGUN:
            self._note_credential(logged.id, exchange)
            # Under another id it was begun before.
            return Written.NEW if logged.id == exchange.id else Written.KNOWN
        return logged.outcome

    async def _log(self, entry: LogEntry) -> Logged:
        """Write a phase with its notes; to miss a note is no reason to lose an exchange."""
        write, records = self._store.log.write_phase, self._policy.records
        try:
            return await write(entry, records=records)
        except StoreUnavailableError:
            raise
        except Exception as error:
            if entry.notes is None and not entry.recalled:
                raise
            log.warning("notes_failed", error=type(error).__name__, raised_at=raised_at(error))
            return await write(replace(entry, notes=None, recalled=()), records=records)

    async def _note_unanswered(self, entry: LogEntry) -> None:
        exchange, log = entry.exchange, self._store.log
        if entry.phase is Phase.FAILED:
            await log.fail(exchange)
        elif entry.phase is Phase.REFUSED:
            self._lend_no_more(exchange)
            await log.withdraw(exchange)
        else:
            self._note_credential(exchange.id, exchange, is_answered=True)
            await log.expect(exchange)
            await self._touch(exchange.turn.scope, entry.recalled)

    def _lend_no_more(self, exchange: Exchange) -> None:
        self._lend(LentCredential(exchange.id, exchange.turn.scope.user_id, exchange.turn.upstream, None))

    async def _learn_zone(self, turn: Turn, told_zone: str) -> None:
        """Keep the time zone of a request for work without one: formation, the pages, clients that send none."""
        if not turn.zone or turn.zone == told_zone or is_agents(turn.scope.user_id):
            return
        flags = Flags(told_zone=turn.zone)
        try:
            await self._store.flags.learn_flags(turn.scope.user_id, flags, at=self._clock())
        except StoreError as error:  # the next request tells it again
            log.warning("time_zone_save_failed", error=type(error).__name__)

    async def _learn_name(self, turn: Turn) -> None:
        """Keep the name of a user, for the pages and lists to show; each process asks once in a while whether it is known."""
        user_id = turn.scope.user_id
        if not turn.name or self._names.get(user_id) == turn.name or is_agents(user_id):
            return
        flags = self._store.flags
        try:
            if (await flags.own_flags(user_id)).told_name != turn.name:
                await flags.learn_flags(user_id, Flags(told_name=turn.name), at=self._clock())
            self._names[user_id] = turn.name
        except StoreError as error:  # the next request tells it again
            log.warning("user_name_save_failed", error=type(error).__name__)

    def _note_credential(self, exchange_id: UUID, exchange: Exchange, *, is_answered: bool = False) -> None:
        if exchange.credential is not None:
            turn = exchange.turn
            self._lend(
                LentCredential(
                    exchange_id, turn.scope.user_id, turn.upstream, exchange.credential, is_answered
                )
            )

    def _is_erased(self, turn: Turn) -> bool:
        """Return whether the user, or the chat, was erased since this was said."""
        scope = turn.scope
        named: tuple[Scope | str, ...] = (scope, *scopes_in(scope.user_id))
        return any(turn.at <= self._erased.get(each, _LONG_AGO) for each in named)

    async def _touch(self, scope: Scope, memories: Sequence[UUID]) -> None:
        """Count memories as recalled; to miss a count is no reason to lose an exchange."""
        try:
            if memories:
                await self._store.memories.touch(scope.user_id, memories, at=self._clock())
        except Exception as error:  # noqa: BLE001 -- as in recall
            log.warning("recall_count_failed", error=type(error).__name__, raised_at=raised_at(error))

    async def write_notes(self, turn: Turn, notes: TurnNotes) -> None:
        """Write a turn's notes alone: the block in its prompt, its request; never raises."""
        if notes == TurnNotes() or self._is_erased(turn):
            return
        try:
            await self._store.log.write_notes(turn.scope, notes)
        except Exception as error:  # noqa: BLE001 -- to miss a note is no reason to fail a chat
            log.warning("notes_failed", error=type(error).__name__, raised_at=raised_at(error))
