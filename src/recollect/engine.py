"""The facade: recall, remember, and what a person may do with their memories. Never: a concrete backend.

Failing open lives in what is recalled and remembered, and nowhere else: ``prepare``, ``recall`` and
``remember`` never raise. What a person asks for by name (``add``, ``revise``, ``forget``, ``erase``) does
raise, so that nothing fails silently.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.composition import Placed
from recollect.errors import DuplicateMemoryError
from recollect.formation import Formed, form
from recollect.inbox import drain_inbox
from recollect.indexing import keep_indexed, soonest
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
    RequestRecord,
    Retire,
    Scope,
    Source,
    Strategy,
    Turn,
    Update,
)
from recollect.policy import Policy
from recollect.ports import Backends, Clock
from recollect.recalling import NO_WISHES, Prepared, Recalling, Wishes
from recollect.remembering import Remembering
from recollect.retrieval import Ranking
from recollect.tidying import keep_tidy
from recollect.tokens import estimate_tokens

__all__ = ["Backends", "Engine", "Policy", "Prepared", "Wishes", "system_clock"]


def system_clock() -> datetime:
    """Return now, in UTC."""
    return datetime.now(UTC)


class Engine:
    """Long-term memory of many users, kept apart from each other."""

    def __init__(self, backends: Backends, policy: Policy, *, clock: Clock = system_clock) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._recalling = Recalling(backends, policy, clock)
        self._remembering = Remembering(backends, policy, clock)

    # -- within a chat: never raises ---------------------------------------------------------------

    async def prepare(
        self, turn: Turn, wishes: Wishes = NO_WISHES, *, count: Callable[[str], int] = estimate_tokens
    ) -> Prepared:
        """Return what the prompt of ``turn`` is given, within the deadline; never raises."""
        return await self._recalling.prepare(turn, wishes, count=count)

    async def recall(self, turn: Turn) -> Recall:
        """Return what may go into the prompt of ``turn``, within the deadline; never raises."""
        return (await self.prepare(turn)).recall

    async def rank(self, turn: Turn) -> Ranking:
        """Return what may be recalled for ``turn`` as it ranks, before the gate and without a deadline.

        Raises:
            EmbedderError: The turn could not be embedded.
            StoreError: The store could not be asked.
        """
        return await self._recalling.rank(turn)

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
        return await self._remembering.remember(
            turn, reply, recollections=recollections, credential=credential
        )

    async def inject(self, turn: Turn, placed: Placed) -> None:
        """Note what was added to a turn, so that it can be added again byte for byte; never raises."""
        await self._remembering.inject(turn, placed)

    async def record(self, request: RequestRecord, turn: Turn) -> None:
        """Keep what a request was like; never raises."""
        await self._remembering.record(request, turn)

    # -- in the background -------------------------------------------------------------------------

    async def run(self) -> None:
        """Form memories of what was remembered, and keep the index, until cancelled."""
        async with asyncio.TaskGroup() as running:
            running.create_task(self._backends.jobs.run(self.drain))
            running.create_task(keep_tidy(self._backends, self._policy, self._clock))

    async def drain(self, user_id: str) -> timedelta | None:
        """Form all that this user said, and index it, or a run of it; return after how long to come again, if at all."""
        again = await drain_inbox(
            user_id,
            inbox=self._backends.inbox,
            form=self._form,
            credential=self._remembering.credential,
            tries=self._policy.tries,
            log_text=self._policy.log_text,
            clock=self._clock,
        )
        return soonest(again, await self._index(user_id))

    async def _index(self, user_id: str, *, until: UUID | None = None) -> timedelta | None:
        reach = self._policy.reach
        if not (reach.log or reach.lexical):
            return None
        return await keep_indexed(
            user_id,
            index=self._backends.index,
            embedder=self._backends.embedder,
            embedded=self._policy.embedded,
            messages=reach.log,
            until=until,
        )

    async def _form(self, exchange: Exchange, *, fallback: str | None = None) -> Formed:
        # First, so that what was said is found as soon as what is understood from it. A backlog of older
        # messages is left to the end of the drain: nobody is to wait for it.
        await self._index(exchange.turn.scope.user_id, until=max(exchange.message_id, exchange.reply_id))
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
        now = self._clock()
        self._remembering.note_erasure(user_id, now)  # first, so that nothing waiting slips in behind it
        erasure = await self._backends.memories.erase(user_id, at=now)
        for cache in self._backends.caches:
            cache.clear()
        return erasure

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return what a request was like and what was recalled for it and why; None if it is not known (any more)."""
        return await self._backends.requests.request(request_id)

    async def backlog(self) -> Backlog:
        """Count what is waiting to be formed, and what failed."""
        return await self._backends.inbox.backlog()

    async def retry_failed(self) -> int:
        """Try every exchange held as failed once more; return how many."""
        return await self._backends.inbox.retry_failed(at=self._clock())
