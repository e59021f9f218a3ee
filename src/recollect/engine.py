"""The facade: recall, remember, and what a person may do with their memories. Never: a concrete backend.

Failing open lives here and nowhere else: ``recall`` and ``remember`` never raise. What a person asks
for by name (``add``, ``revise``, ``forget``, ``erase``) does raise, so that nothing fails silently.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from cachetools import TTLCache
from uuid_utils.compat import uuid7

from recollect.deadline import within
from recollect.errors import DuplicateMemoryError, EmbedderError, StoreError
from recollect.failures import place
from recollect.formation import Formed, Strategy, form
from recollect.inbox import drain_inbox
from recollect.model import (
    Actor,
    Add,
    Backlog,
    Erasure,
    Exchange,
    Ignore,
    Kind,
    Memory,
    Page,
    Reason,
    Recall,
    Recollection,
    Retire,
    Scope,
    Skip,
    Source,
    Turn,
    Update,
)
from recollect.policy import Policy
from recollect.ports import Backends, Clock
from recollect.retrieval import gated, rank

_CREDENTIALS_KEPT = 10_000
_CREDENTIAL_SECONDS = 3600.0
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_APPEND_DELAYS = (0.5, 2.0, 5.0, *(15.0,) * 40)  # ten minutes; in a long gap a shutdown loses it

__all__ = ["Backends", "Engine", "Policy", "system_clock"]

log = structlog.get_logger(__name__)


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class Engine:
    """Long-term memory of many users, kept apart from each other."""

    def __init__(self, backends: Backends, policy: Policy, *, clock: Clock = system_clock) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._credentials: TTLCache[UUID, str] = TTLCache(_CREDENTIALS_KEPT, _CREDENTIAL_SECONDS)
        self._erased: TTLCache[str, datetime] = TTLCache(_CREDENTIALS_KEPT, _CREDENTIAL_SECONDS)

    # -- within a chat: never raises ---------------------------------------------------------------

    async def recall(self, turn: Turn) -> Recall:
        """Return what may go into the prompt of ``turn``, within the deadline; never raises."""
        started = time.perf_counter()
        ranked: Sequence[Recollection] = ()
        chosen: tuple[Recollection, ...] = ()
        skipped: Skip | None = None
        try:
            ranked = await within(self._policy.deadline, self.rank(turn))
            gate = self._policy.gate
            chosen = gated(ranked, threshold=self._backends.embedder.gate if gate is None else gate)
            skipped = None if chosen else Skip.NOTHING_RELEVANT
        except TimeoutError:
            skipped = Skip.DEADLINE
        except (EmbedderError, StoreError) as error:
            skipped = Skip.STORE if isinstance(error, StoreError) else Skip.EMBEDDER
            log.warning("recall_failed", error=type(error).__name__, detail=str(error))
        except Exception as error:  # noqa: BLE001 -- a bug in recall must not cost anybody their chat
            skipped = Skip.FAILED
            log.error("recall_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- a trace quotes users
        return Recall(chosen, tuple(ranked), skipped, (time.perf_counter() - started) * 1000)

    async def rank(self, turn: Turn) -> list[Recollection]:
        """Return the user's memories as they rank for ``turn``, before the gate and without a deadline.

        Raises:
            EmbedderError: The turn could not be embedded.
            StoreError: The store could not be asked.
        """
        backends = self._backends
        return await rank(turn, embedder=backends.embedder, store=backends.memories, limit=self._policy.limit)

    async def remember(
        self,
        turn: Turn,
        reply: str,
        *,
        recollections: Sequence[Recollection] = (),
        credential: str | None = None,
    ) -> bool:
        """Log the exchange, and let it be formed in the background; never raises.

        Waits out a store that is away, so call it off the answer's path.

        Args:
            turn: What the user said.
            reply: What of the answer went by; "" if the user left before its first word.
            recollections: What of the user's memories went into the prompt.
            credential: The request's own ``Authorization``; kept in this process's memory alone.

        Returns:
            Whether it was a new exchange that is now logged.
        """
        if self._policy.strategy is None:
            return False
        exchange = Exchange(
            uuid7(), turn, reply, uuid7(), uuid7(), authorized=credential is not None, credential=credential
        )
        if credential is not None:
            self._credentials[exchange.id] = credential
        new = await self._append(exchange)
        if new is None:
            log.error("exchange_lost", exchange_id=str(exchange.id))
            return False
        await self._touch(turn.scope, recollections)
        return new

    async def _append(self, exchange: Exchange) -> bool | None:
        """Return whether the exchange was new, or None if it could not be logged."""
        for delay in (*_APPEND_DELAYS, None):
            if exchange.turn.at <= self._erased.get(exchange.turn.scope.user_id, _LONG_AGO):
                return False  # said before its user's erasure
            try:
                return await self._backends.log.append(exchange)
            except StoreError as error:
                log.warning("remember_failed", error=type(error).__name__, detail=str(error), again=delay)
                if delay is not None:
                    await asyncio.sleep(delay)
            except Exception as error:  # noqa: BLE001 -- as in recall
                log.error("remember_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- as in recall
                break
        return None

    async def _touch(self, scope: Scope, recollections: Sequence[Recollection]) -> None:
        """Count the recollections as recalled; to miss a count is no reason to lose an exchange."""
        try:
            if ids := [recollection.memory.id for recollection in recollections]:
                await self._backends.memories.touch(scope.user_id, ids, at=self._clock())
        except Exception as error:  # noqa: BLE001 -- as in recall
            log.warning("touch_failed", error=type(error).__name__, place=place(error))

    # -- in the background -------------------------------------------------------------------------

    async def run(self) -> None:
        """Form memories of what was remembered, until cancelled."""
        await self._backends.jobs.run(self.drain)

    async def drain(self, user_id: str) -> timedelta | None:
        """Form all that this user's inbox holds; return after how long to come again, if at all."""
        return await drain_inbox(
            user_id,
            inbox=self._backends.inbox,
            form=self._form,
            credential=self._credentials.get,
            tries=self._policy.tries,
            log_text=self._policy.log_text,
            clock=self._clock,
        )

    async def _form(self, exchange: Exchange, *, fallback: str | None = None) -> Formed:
        strategy = self._policy.strategy or Strategy.QA_TURN  # logged before formation was switched off
        return await form(
            exchange,
            store=self._backends.memories,
            embedder=self._backends.embedder,
            extractor=self._backends.extractor,
            strategy=strategy,
            minimum_importance=self._policy.minimum_importance,
            now=self._clock,
            new_id=uuid7,
            fallback=fallback,
        )

    # -- what a person may do: raises --------------------------------------------------------------

    async def page(self, user_id: str, *, limit: int, after: UUID | None = None) -> Page:
        """Return one page of the user's memories, newest first."""
        return await self._backends.memories.page(user_id, limit=limit, after=after)

    async def get(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory, or raise MemoryNotFoundError."""
        return await self._backends.memories.get(user_id, memory_id)

    async def history(self, user_id: str, memory_id: UUID | None = None, *, limit: int = 100) -> list[Update]:
        """Return what was changed, newest first: of one memory, or of all the user's."""
        return await self._backends.memories.history(user_id, memory_id, limit=limit)

    async def add(
        self,
        user_id: str,
        content: str,
        *,
        kind: Kind = Kind.FACT,
        importance: float = 0.5,
        event_at: datetime | None = None,
        actor: Actor = Actor.ADMIN,
    ) -> Memory:
        """Write a memory by hand.

        Raises:
            DuplicateMemoryError: The user has it already.
        """
        [vector] = await self._backends.embedder.embed([content])
        now = self._clock()
        memory = Memory(
            id=uuid7(),
            owner=user_id,
            kind=kind,
            source=Source.MANUAL,
            content=content,
            importance=importance,
            observed_at=now,
            created_at=now,
            event_at=event_at,
            embedding=vector,
            embedding_model=self._backends.embedder.name,
        )
        [done] = await self._backends.memories.apply(
            Scope(user_id, ""), [Add(memory, Reason.WRITTEN)], actor=actor, at=now
        )
        if isinstance(done, Ignore):
            raise DuplicateMemoryError
        return memory

    async def revise(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        content: str | None = None,
        kind: Kind | None = None,
        importance: float | None = None,
        actor: Actor = Actor.ADMIN,
    ) -> Memory:
        """Correct a memory in place; what is None stays as it was.

        Raises:
            MemoryNotFoundError: The user has no such memory of their own.
            DuplicateMemoryError: The user has another memory with that content.
        """
        old = await self.get(user_id, memory_id)
        new = None if content == old.content else content
        vector = None if new is None else (await self._backends.embedder.embed([new]))[0]
        return await self._backends.memories.edit(
            user_id,
            memory_id,
            content=new,
            kind=kind,
            importance=importance,
            embedding=vector,
            embedding_model=None if vector is None else self._backends.embedder.name,
            actor=actor,
            at=self._clock(),
        )

    async def forget(self, user_id: str, memory_id: UUID, *, actor: Actor = Actor.ADMIN) -> None:
        """Take a memory from the user, or raise MemoryNotFoundError."""
        await self.get(user_id, memory_id)
        change = Retire(memory_id, Reason.DELETED)
        await self._backends.memories.apply(Scope(user_id, ""), [change], actor=actor, at=self._clock())

    async def erase(self, user_id: str) -> Erasure:
        """Delete everything of this user, and prove it by counts."""
        self._erased[user_id] = now = self._clock()  # first, so that nothing waiting slips in behind it
        erasure = await self._backends.memories.erase(user_id, at=now)
        for cache in self._backends.caches:
            cache.clear()
        return erasure

    async def backlog(self) -> Backlog:
        """Count what is waiting to be formed, and what failed."""
        return await self._backends.inbox.backlog()

    async def retry_failed(self) -> int:
        """Try every exchange held as failed once more; return how many."""
        return await self._backends.inbox.retry_failed(at=self._clock())
