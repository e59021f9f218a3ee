"""Memories of several owners: shared by people, or global for every user with few of their own. Raises.

Never: a concrete backend, who may share.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.backends import Backends
from recollect.errors import DuplicateMemoryError, MemoryNotFoundError
from recollect.model import COMMONS, Actor, Add, Kind, Memory, Reason, Scope, Source
from recollect.models.memory_embedding import embedded_if_possible
from recollect.ports import Clock
from recollect.text.secrets import mask

GLOBAL_IMPORTANCE = 0.5

log = structlog.get_logger(__name__)


class SharedMemories:
    """Keeps what several people see."""

    def __init__(self, backends: Backends, clock: Clock) -> None:
        self._backends = backends
        self._clock = clock
        self.globals = backends.memories.globals

    async def share(
        self, user_id: str, memory_id: UUID, others: Sequence[str], *, actor: Actor = Actor.ADMIN
    ) -> Memory:
        """Share a user's memory with other users; from then on it belongs to all of them.

        A user who has its content already keeps their own.

        Raises:
            MemoryNotFoundError: The user has no such memory.
        """
        now = self._clock()
        memory = await self._backends.memories.share(user_id, memory_id, at=now, actor=actor)
        for other in others:
            await self._backends.memories.apply(
                Scope(other, ""), [Add(memory, Reason.SHARED)], actor=actor, at=now
            )
        return memory

    async def add_global(
        self, content: str, *, kind: Kind = Kind.FACT, importance: float = GLOBAL_IMPORTANCE
    ) -> Memory:
        """Write a memory that serves every user who has few. Raises DuplicateMemoryError."""
        written = self._written(content, COMMONS, Source.GLOBAL, kind, importance, None)
        [memory] = await self._embedded_if_possible([written])
        await self._backends.memories.keep_globals([memory], [], at=self._clock())
        if all(each.id != memory.id for each in await self.globals()):
            raise DuplicateMemoryError
        return memory

    async def remove_global(self, memory_id: UUID) -> None:
        """Take it away, or raise MemoryNotFoundError."""
        if all(each.id != memory_id for each in await self.globals()):
            raise MemoryNotFoundError
        await self._backends.memories.keep_globals([], [memory_id], at=self._clock())

    async def keep_globals(self, contents: Sequence[str] | None) -> None:
        """Have these, and no others, serve every user who has few; None: those that are there.

        Existing ones stay, but get new vectors if another embedder made theirs. While the embedder is
        away they are kept without an embedding, and so not recalled, until this is called again.
        """
        there = {each.content: each for each in await self.globals()}
        told = there if contents is None else [mask(each).text for each in contents]
        wanted = list(dict.fromkeys(told))
        kept = {text for text in wanted if text in there and self._is_embedded(there[text])}
        new = [
            self._written(text, COMMONS, Source.GLOBAL, Kind.FACT, GLOBAL_IMPORTANCE, None)
            if text not in there
            else replace(there[text], id=uuid7())
            for text in wanted
            if text not in kept
        ]
        removed = [memory.id for text, memory in there.items() if text not in kept]
        if new or removed:
            embedded = await self._embedded_if_possible(new)
            await self._backends.memories.keep_globals(embedded, removed, at=self._clock())

    def _is_embedded(self, memory: Memory) -> bool:
        """Return whether the current embedder embedded a global memory."""
        return memory.embedding_model == self._backends.embedder.name

    async def _embedded_if_possible(self, memories: Sequence[Memory]) -> list[Memory]:
        return await embedded_if_possible(memories, self._backends.embedder)

    def _written(
        self,
        content: str,
        owner: str,
        source: Source,
        kind: Kind,
        importance: float,
        event_at: datetime | None,
    ) -> Memory:
        now = self._clock()
        return Memory(
            id=uuid7(),
            owner=owner,
            kind=kind,
            source=source,
            content=mask(content).text,
            importance=importance,
            observed_at=now,
            created_at=now,
            event_at=event_at,
        )
