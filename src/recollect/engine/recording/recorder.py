"""Logs messages, and notes the blocks in prompts: off the answer's path, and whatever fails.

A failure to remember passes the chat by here. Never: a concrete backend, how memories are formed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import structlog
from cachetools import TTLCache

from recollect.backends import Backends
from recollect.engine.credentials import Lent
from recollect.engine.policy import Policy
from recollect.engine.recording.exchanges import begun, ended, new_exchange
from recollect.engine.recording.masking_lanes import entry_as_it_is, entry_without_secrets
from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import (
    Exchange,
    Flags,
    LogEntry,
    Logged,
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
from recollect.runtime.failures import raised_at

_ERASURES_KEPT = 10_000
_ERASURE_SECONDS = 3600.0
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

log = structlog.get_logger(__name__)


_NAMES_KNOWN, _NAME_SECONDS = 10_000, 600.0
"""Of so many users the last name is known without asking the store; for so long, as another process may erase them."""


class Recorder:
    """Remembers exchanges of many users; ``lend`` gives an exchange's own credential to who forms it."""

    def __init__(
        self, backends: Backends, policy: Policy, clock: Clock, *, lend: Callable[[Lent], None]
    ) -> None:
        self._backends = backends
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
        write, records = self._backends.log.write_phase, self._policy.records
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
        exchange, log = entry.exchange, self._backends.log
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
        self._lend(Lent(exchange.id, exchange.turn.scope.user_id, exchange.turn.upstream, None))

    async def _learn_zone(self, turn: Turn, told_zone: str) -> None:
        """Keep the time zone of a request for work without one: formation, the pages, clients that send none."""
        if not turn.zone or turn.zone == told_zone or is_agents(turn.scope.user_id):
            return
        told = Flags(told_zone=turn.zone)
        try:
            await self._backends.flags.learn_flags(turn.scope.user_id, told, at=self._clock())
        except StoreError as error:  # the next request tells it again
            log.warning("time_zone_save_failed", error=type(error).__name__)

    async def _learn_name(self, turn: Turn) -> None:
        """Keep the name of a user, for the pages and lists to show; each process asks once in a while whether it is known."""
        user_id = turn.scope.user_id
        if not turn.name or self._names.get(user_id) == turn.name or is_agents(user_id):
            return
        flags = self._backends.flags
        try:
            if (await flags.own_flags(user_id)).told_name != turn.name:
                await flags.learn_flags(user_id, Flags(told_name=turn.name), at=self._clock())
            self._names[user_id] = turn.name
        except StoreError as error:  # the next request tells it again
            log.warning("user_name_save_failed", error=type(error).__name__)

    def _note_credential(self, exchange_id: UUID, exchange: Exchange, *, is_answered: bool = False) -> None:
        if exchange.credential is not None:
            turn = exchange.turn
            self._lend(Lent(exchange_id, turn.scope.user_id, turn.upstream, exchange.credential, is_answered))

    def _is_erased(self, turn: Turn) -> bool:
        """Return whether the user, or the chat, was erased since this was said."""
        scope = turn.scope
        named: tuple[Scope | str, ...] = (scope, *scopes_in(scope.user_id))
        return any(turn.at <= self._erased.get(each, _LONG_AGO) for each in named)

    async def _touch(self, scope: Scope, memories: Sequence[UUID]) -> None:
        """Count memories as recalled; to miss a count is no reason to lose an exchange."""
        try:
            if memories:
                await self._backends.memories.touch(scope.user_id, memories, at=self._clock())
        except Exception as error:  # noqa: BLE001 -- as in recall
            log.warning("recall_count_failed", error=type(error).__name__, raised_at=raised_at(error))

    async def write_notes(self, turn: Turn, notes: TurnNotes) -> None:
        """Write a turn's notes alone: the block in its prompt, its request; never raises."""
        if notes == TurnNotes() or self._is_erased(turn):
            return
        try:
            await self._backends.log.write_notes(turn.scope, notes)
        except Exception as error:  # noqa: BLE001 -- to miss a note is no reason to fail a chat
            log.warning("notes_failed", error=type(error).__name__, raised_at=raised_at(error))
