"""The store of memories in this process's memory. Never: ranks, decides, embeds."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.errors import MemoryNotFoundError
from recollect.model import (
    Action,
    Actor,
    Add,
    Change,
    Erasure,
    Ignore,
    Kind,
    Memory,
    Neighbor,
    Page,
    Quarantined,
    Reason,
    Scope,
    Update,
    Vector,
)
from recollect.normalization import storable_text
from recollect.ports import MOST_QUARANTINED
from recollect.testing.changes import Author, Belongings
from recollect.testing.jobs import JobQueue
from recollect.testing.quarantine import let_go, waiting, waiting_under
from recollect.testing.session_erasure import erase_session
from recollect.testing.settings import Kept
from recollect.testing.sharing import share_memory, with_globals
from recollect.testing.undoing import undo_by_id

_ADDED = {Action.ADD, Action.REPLACE}
_NO_STATEMENTS = {Reason.KEPT_VERBATIM, Reason.SUMMARIZED}


class MemoriesStore(ABC):
    """Implements what of MemoryStore does not search."""

    jobs: JobQueue
    settings: Kept

    def __init__(self) -> None:
        super().__init__()
        self._users: dict[str, Belongings] = {}
        self._globals: dict[UUID, Memory] = {}

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    @abstractmethod
    def _everybody(self) -> list[Belongings]:
        """Return what all users have, or raise what the store is told to."""

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
        with user.all_or_none():
            return [user.apply(change, actor, at) for change in changes]

    async def undo(self, user_id: str, update_id: UUID, *, actor: Actor, at: datetime) -> Update:
        """Undo one change of the audit, and return the row that says so."""
        return undo_by_id(self._of(user_id), Author(actor, at), update_id)

    async def added_since(self, user_id: str, since: datetime) -> int:
        """Count the statements that formation added or put in another's place since then."""
        return sum(
            each.action in _ADDED
            and each.actor is Actor.FORMATION
            and each.reason not in _NO_STATEMENTS
            and each.at >= since
            for each in self._of(user_id).updates
        )

    async def quarantined(self, user_id: str) -> list[Quarantined]:
        """Return what is held back until the user approves it, newest first."""
        return waiting(self._of(user_id))[:MOST_QUARANTINED]

    async def held(self, user_id: str, memory_id: UUID) -> Quarantined:
        """Return one that is held back, or raise MemoryNotFoundError."""
        return waiting_under(self._of(user_id), memory_id)

    async def release(
        self, user_id: str, memory_id: UUID, memory: Memory | None, *, actor: Actor, at: datetime
    ) -> list[Change]:
        """Let go of something held back: keep ``memory`` in its place, or refuse it where that is None."""
        user, by = self._of(user_id), Author(actor, at)
        with user.all_or_none():
            let_go(user, by, memory_id, refuse=memory is None)
            return [
                Ignore(Reason.REFUSED) if memory is None else user.change(Add(memory, Reason.APPROVED), by)
            ]

    async def todos(self, user_id: str, *, limit: int) -> list[Memory]:
        """Return the user's memories of kind todo, and summaries with open todos, newest first."""
        memories = sorted(self._of(user_id).memories.values(), key=lambda each: each.id, reverse=True)
        return [_loaded(each) for each in memories if _is_to_do(each)][:limit]

    async def share(self, user_id: str, memory_id: UUID, *, at: datetime, actor: Actor) -> Memory:
        """Move a memory of the user's own to the commons, under the same id, and return it."""
        return _loaded(share_memory(self._of(user_id), Author(actor, at), memory_id))

    async def globals(self) -> list[Memory]:
        """Return what serves every user who has few memories of their own, newest first."""
        self._everybody()
        return [_loaded(each) for _, each in sorted(self._globals.items(), reverse=True)]

    async def keep_globals(
        self,
        added: Sequence[Memory],
        removed: Sequence[UUID],
        *,
        at: datetime,  # noqa: ARG002 -- the port's
    ) -> None:
        """Keep these for every user with few memories, and no longer those with these ids."""
        everybody, ended = self._everybody(), self._globals.keys() & set(removed)
        self._globals = with_globals(self._globals, added, removed)
        for user in everybody:
            user.forget_injections(set(ended))

    async def count(self) -> int:
        """Count the memories of all users."""
        return sum(len(user.memories) for user in self._everybody())

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
        new = replace(
            old,
            content=old.content if content is None else storable_text(content),
            kind=old.kind if kind is None else kind,
            importance=old.importance if importance is None else importance,
            embedding=embedding,
            embedding_model=embedding_model,
        )
        return _loaded(user.edit(Author(actor, at), old, new))

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
            "quarantine": len(user.quarantine),
            "exchanges": len(user.log),
            "jobs": self.jobs.erase(user_id),
        }
        return Erasure(uuid7(), at, tuple(counts.items()))

    async def erase_session(self, scope: Scope, *, at: datetime) -> Erasure:
        """Delete one chat of the user and what only it taught."""
        counts = erase_session(self._of(scope.user_id), scope.session_id, at)
        return Erasure(uuid7(), at, tuple(counts.items()))

    async def sessions(self, user_id: str, *, begun_before: datetime | None = None) -> list[str]:
        """Return the chats of the user, the one where something was said last first."""
        said: dict[str, list[datetime]] = {}
        for each in self._of(user_id).log:
            said.setdefault(each.exchange.turn.scope.session_id, []).append(each.exchange.turn.at)
        begun = [each for each, at in said.items() if begun_before is None or min(at) <= begun_before]
        return sorted(begun, key=lambda session_id: (-max(said[session_id]).timestamp(), session_id))


def _is_to_do(memory: Memory) -> bool:
    has_todos = memory.outline is not None and bool(memory.outline.todos)
    return memory.kind is Kind.TODO or (memory.kind is Kind.SUMMARY and has_todos)


def _loaded(memory: Memory) -> Memory:
    """Return the memory as a store reads it: without its embedding."""
    return replace(memory, embedding=None)
