"""A store in this process's memory. Never: a database, a file."""

from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.errors import DuplicateMemoryError, MemoryNotFoundError, StoreError, StoreUnavailableError
from recollect.model import (
    Action,
    Actor,
    Backlog,
    Change,
    Erasure,
    Exchange,
    Kind,
    Memory,
    Message,
    Neighbor,
    Page,
    Reason,
    Role,
    Scope,
    Source,
    Update,
    Vector,
)
from recollect.normalization import storable_id, storable_text, storable_user
from recollect.testing.changes import Belongings, Logged
from recollect.testing.chats import ChatStore
from recollect.testing.indexed_store import IndexedStore
from recollect.testing.jobs import JobQueue
from recollect.testing.settings import Kept

_MESSAGES_BEFORE = 6


class InMemoryStore(IndexedStore, ChatStore):
    """Implements MemoryStore, MessageLog, LogIndex, ChatMemory, RequestLog, Inbox and Jobs.

    Attributes:
        failure: When set, what every call raises.
        settings: The FlagStore, and the UsageLog.
        jobs: The queue; ``jobs.held`` are the users whose job raised.
    """

    def __init__(self) -> None:
        self.failure: StoreError | None = None
        self.jobs = JobQueue()
        self.settings = Kept()
        self._users: dict[str, Belongings] = {}
        self._leased: set[str] = set()

    # -- MemoryStore -------------------------------------------------------------------------------

    async def nearest(self, scope: Scope, vector: Vector, model: str, *, limit: int) -> list[Neighbor]:
        """Return the user's memories nearest to ``vector``, best first."""
        found = [
            Neighbor(_loaded(memory), float(memory.embedding @ vector))
            for memory in self._of(scope.user_id).memories.values()
            if memory.embedding is not None
            and memory.embedding_model == model
            and memory.embedding.shape == vector.shape
        ]
        found.sort(key=lambda each: (each.score, each.memory.id), reverse=True)
        return found[:limit]

    async def page(self, user_id: str, *, limit: int, after: UUID | None = None) -> Page:
        """Return the user's memories, newest first, behind the memory ``after``."""
        memories = self._of(user_id).memories
        ids = sorted((known for known in memories if after is None or known < after), reverse=True)
        shown = tuple(_loaded(memories[known]) for known in ids[:limit])
        return Page(shown, shown[-1].id if shown and len(ids) > limit else None)

    async def get(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory, or raise MemoryNotFoundError."""
        memory = self._of(user_id).memories.get(memory_id)
        if memory is None:
            raise MemoryNotFoundError
        return _loaded(memory)

    async def history(self, user_id: str, memory_id: UUID | None = None, *, limit: int) -> list[Update]:
        """Return the audit rows of the user, or of one memory, newest first."""
        updates = reversed(self._of(user_id).updates)
        wanted = [each for each in updates if memory_id in {None, each.memory_id, each.replaced_id}]
        return wanted[:limit]

    async def apply(
        self, scope: Scope, changes: Sequence[Change], *, actor: Actor, at: datetime
    ) -> list[Change]:
        """Apply all of ``changes`` or, when one can't be, none; return what was really done."""
        user = self._of(scope.user_id)
        memories, updates = dict(user.memories), list(user.updates)
        try:
            return [user.apply(change, actor, at) for change in changes]
        except StoreError:
            user.memories, user.updates = memories, updates
            raise

    async def edit(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        content: str | None = None,
        kind: Kind | None = None,
        importance: float | None = None,
        embedding: Vector | None = None,
        embedding_model: str | None = None,
        actor: Actor,
        at: datetime,
    ) -> Memory:
        """Write what is given over the stored memory; an embedding only with a content that changed."""
        user = self._of(user_id)
        old = user.memories.get(memory_id)
        if old is None or old.owner != user_id:
            raise MemoryNotFoundError
        written = old.content if content is None else storable_text(content)
        if user.with_content(written) not in {None, memory_id}:
            raise DuplicateMemoryError
        new = replace(
            old,
            content=written,
            kind=old.kind if kind is None else kind,
            importance=old.importance if importance is None else importance,
        )
        if written != old.content:
            model = None if embedding is None else embedding_model
            source = Source.MANUAL if old.source is Source.QA_TURN else old.source
            new = replace(new, embedding=embedding, embedding_model=model, source=source)
            user.index.note_change(old.provenance.message_ids, user.said, at)
            user.forget_injections({memory_id})
        user.memories[memory_id] = new
        user.audit(Action.EDIT, actor, Reason.EDITED, at, new.id, before=old.content, after=written)
        return _loaded(new)

    async def touch(self, user_id: str, memory_ids: Sequence[UUID], *, at: datetime) -> None:
        """Note that these memories went into a prompt."""
        memories = self._of(user_id).memories
        for known in memories.keys() & set(memory_ids):
            old = memories[known]
            last = max(at, old.last_recalled_at or at)
            memories[known] = replace(old, recall_count=old.recall_count + 1, last_recalled_at=last)

    async def erase(self, user_id: str, *, at: datetime) -> Erasure:
        """Delete everything of the user."""
        user = self._of(user_id)
        del self._users[user_id]
        self.settings.erase(user_id)
        counts = {
            "memories": len(user.memories),
            "updates": len(user.updates),
            "exchanges": len(user.log),
            "jobs": self.jobs.erase(user_id),
        }
        return Erasure(uuid7(), at, tuple(counts.items()))

    # -- MessageLog --------------------------------------------------------------------------------

    async def append(self, exchange: Exchange) -> bool:
        """Keep the exchange and enqueue its formation; return whether it was new."""
        turn = exchange.turn
        session_id, key = storable_id(turn.scope.session_id), storable_id(turn.key)
        user = self._of(turn.scope.user_id)
        for logged in user.log:
            if (logged.exchange.turn.scope.session_id, logged.exchange.turn.key) == (session_id, key):
                if logged.append_reply(exchange):
                    user.index.hide_reply(logged.exchange)
                    self.jobs.enqueue(turn.scope.user_id)
                return False
        logged = Logged(_storable(exchange), not_before=turn.at)
        user.log.append(logged)
        user.carried[exchange.id] = len(turn.history)
        self.jobs.enqueue(turn.scope.user_id)
        return True

    # -- Inbox -------------------------------------------------------------------------------------

    @asynccontextmanager
    async def lease(self, user_id: str) -> AsyncIterator[bool]:
        """Take the right to form for this user; False when another worker holds it."""
        self._of(user_id)
        if user_id in self._leased:
            yield False
            return
        self._leased.add(user_id)
        try:
            yield True
        finally:
            self._leased.discard(user_id)

    async def next(self, user_id: str) -> tuple[Exchange, int, datetime] | None:
        """Return the oldest pending exchange, how often it was tried, and when it may be tried next."""
        user = self._of(user_id)
        pending = [each for each in user.log if each.state == "pending"]
        if not pending:
            return None
        oldest = min(pending, key=lambda each: each.exchange.id)
        turn, hidden = oldest.exchange.turn, user.index.hidden
        before = (each.exchange for each in user.log[: user.log.index(oldest)])
        same = [known for known in before if known.turn.scope == turn.scope]
        history = tuple([each for known in same for each in _messages(known, hidden)][-_MESSAGES_BEFORE:])
        reply = "" if oldest.exchange.reply_id in hidden else oldest.exchange.reply
        exchange = replace(oldest.exchange, reply=reply, turn=replace(turn, history=history))
        return exchange, oldest.attempts, oldest.not_before

    async def complete(
        self, exchange: Exchange, changes: Sequence[Change], *, at: datetime, fallback: str | None = None
    ) -> list[Change] | None:
        """Apply ``changes`` and mark the exchange formed; None if it is not pending."""
        scope = exchange.turn.scope
        logged = self._of(scope.user_id).pending(exchange)
        if logged is None:
            return None
        applied = await self.apply(scope, changes, actor=Actor.FORMATION, at=at)
        logged.state, logged.fallback, logged.error = "formed", fallback, None
        return applied

    async def postpone(self, exchange: Exchange, *, error: str, until: datetime | None) -> None:
        """Note a failed try: again not before ``until``, or held as failed when that is None."""
        logged = self._of(exchange.turn.scope.user_id).pending(exchange)
        if logged is not None:
            logged.attempts += 1
            logged.error = error
            logged.state = "failed" if until is None else "pending"
            logged.not_before = until or logged.not_before

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        logged = self._all_logged()
        pending = [each.exchange.turn.at for each in logged if each.state == "pending"]
        return Backlog(
            pending=len(pending),
            failed=sum(each.state == "failed" for each in logged),
            formed=sum(each.state == "formed" for each in logged),
            fallbacks=sum(each.state == "formed" and each.fallback is not None for each in logged),
            oldest_pending_at=min(pending, default=None),
        )

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        failed = [each for each in self._all_logged() if each.state == "failed"]
        for logged in failed:
            logged.state, logged.attempts, logged.error, logged.not_before = "pending", 0, None, at
        for user_id in sorted({each.exchange.turn.scope.user_id for each in failed}):
            self.jobs.enqueue(user_id)
        self.jobs.requeue_held()
        return len(failed)

    # -- Jobs --------------------------------------------------------------------------------------

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once."""
        await self.jobs.run(drain)

    def _of(self, user_id: str) -> Belongings:
        if self.failure is not None:
            raise self.failure
        return self._users.setdefault(storable_user(user_id), Belongings(user_id))

    def _everybody(self) -> list[Belongings]:
        if self.failure is not None:
            raise self.failure
        return list(self._users.values())

    def _enqueue(self, user_id: str) -> None:
        self.jobs.enqueue(user_id)

    def _all_logged(self) -> list[Logged]:
        return [each for user in self._everybody() for each in user.log]


class BrokenStore(InMemoryStore):
    """A store that can't be reached, until its ``failure`` is set to None."""

    def __init__(self) -> None:
        super().__init__()
        self.failure = StoreUnavailableError()


def _loaded(memory: Memory) -> Memory:
    """Return the memory as a store reads it: without its embedding."""
    return replace(memory, embedding=None)


def _storable(exchange: Exchange) -> Exchange:
    turn = exchange.turn
    speaker = None if turn.speaker is None else storable_text(turn.speaker)
    kept = replace(
        turn, text=storable_text(turn.text), model=storable_text(turn.model), speaker=speaker, history=()
    )
    reply = storable_text(exchange.reply) if exchange.reply.strip() else ""
    return replace(exchange, turn=kept, reply=reply, credential=None)


def _messages(exchange: Exchange, hidden: Container[UUID]) -> list[Message]:
    said = Message(Role.USER, exchange.turn.text, exchange.turn.speaker)
    is_told = exchange.reply and exchange.reply_id not in hidden
    replied = [Message(Role.ASSISTANT, exchange.reply)] if is_told else []
    return [] if exchange.message_id in hidden else [said, *replied]
