"""What the engine needs of the world, as Protocols. Never: an implementation."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from recollect.model import (
    Actor,
    Backlog,
    Candidate,
    Change,
    Erasure,
    Exchange,
    Kind,
    Memory,
    Page,
    Recollection,
    Scope,
    Update,
    Vector,
)


class Clock(Protocol):
    """Tells the time, timezone-aware."""

    def __call__(self) -> datetime:
        """Return now."""
        ...


class Cache(Protocol):
    """Something that remembers, and must forget when a person is erased."""

    def clear(self) -> None:
        """Forget everything."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors that lie near each other when the texts mean alike."""

    @property
    def name(self) -> str:
        """Names the vector space: vectors are compared only under the same name."""
        ...

    @property
    def gate(self) -> float:
        """The cosine below which a query's best match means nothing."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order.

        Raises:
            EmbedderError: The model failed or can't be reached.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what the embedder holds."""
        ...


class Extractor(Protocol):
    """Finds the statements worth keeping in an exchange."""

    async def extract(self, exchange: Exchange, known: Sequence[Memory]) -> list[Candidate]:
        """Return the candidates of ``exchange``; ``Candidate.about`` indexes ``known``.

        Raises:
            ExtractorUnusableError: There is no model to ask.
            InvalidExtractionError: It answered, but unreadably, also after a repair.
            ExtractorError: It failed or can't be reached; trying again may help.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what the extractor holds."""
        ...


class MemoryStore(Protocol):
    """Keeps memories, and who sees which. Every method raises StoreError when the store fails."""

    async def nearest(self, scope: Scope, vector: Vector, model: str, *, limit: int) -> list[Recollection]:
        """Return the user's memories of embedding model ``model`` nearest to ``vector``, best first.

        Exact, over the user's links alone; ``score`` is the cosine.
        """
        ...

    async def page(self, user_id: str, *, limit: int, after: UUID | None = None) -> Page:
        """Return the user's memories, newest first, behind the memory ``after``."""
        ...

    async def get(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory.

        Raises:
            MemoryNotFoundError: The user has no such memory.
        """
        ...

    async def history(self, user_id: str, memory_id: UUID | None = None, *, limit: int) -> list[Update]:
        """Return the audit rows of the user, or of one memory (also as the replaced one), newest first."""
        ...

    async def apply(
        self, scope: Scope, changes: Sequence[Change], *, actor: Actor, at: datetime
    ) -> list[Change]:
        """Apply ``changes`` in one transaction under the user's lock, with one audit row each.

        Returns:
            What was really done, in order: an Add whose content the user has already is an
            Ignore (EQUAL_CONTENT), as is a Replace of a memory the user no longer has when the
            new content is there already; such a Replace is an Add otherwise.
        """
        ...

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
        """Write what is given over the stored memory, under the user's lock; what is None stays.

        Args:
            user_id: Whose memory.
            memory_id: Which.
            content: The new content.
            kind: The new kind.
            importance: The new importance.
            embedding: Of ``content``: written with it when it differs from the stored one, else ignored.
            embedding_model: What made ``embedding``.
            actor: Who edits.
            at: Now.

        Raises:
            MemoryNotFoundError: The user has no such memory of their own.
            DuplicateMemoryError: The user has another memory with that content.
        """
        ...

    async def touch(self, user_id: str, memory_ids: Sequence[UUID], *, at: datetime) -> None:
        """Note that these memories went into a prompt."""
        ...

    async def erase(self, user_id: str, *, at: datetime) -> Erasure:
        """Delete every row of the user, in every table and queue, and leave a tombstone."""
        ...


class MessageLog(Protocol):
    """Keeps every exchange, whole and in order, and what is still to be formed."""

    async def append(self, exchange: Exchange) -> bool:
        """Write the exchange and enqueue its formation, in one transaction.

        Returns:
            Whether it was new. Another reply to a user message the log has (a regenerated
            answer, a fan-out to several models) is kept as an alternate and forms nothing; the
            first reply with text to one that had none becomes its reply.
        """
        ...


class Inbox(Protocol):
    """What one user's formation has still to do, in the order it was said."""

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Renewed in the background until left, and free again a while after its holder died. No
        connection is held meanwhile.
        """
        ...

    async def next(self, user_id: str) -> tuple[Exchange, int, datetime] | None:
        """Return the oldest pending exchange, how often it was tried, and when it may be tried next."""
        ...

    async def complete(
        self, exchange: Exchange, changes: Sequence[Change], *, at: datetime, fallback: str | None = None
    ) -> list[Change] | None:
        """Apply ``changes`` as ``MemoryStore.apply`` does and mark the exchange formed, in one transaction.

        Args:
            exchange: What was formed.
            changes: What formation decided.
            at: Now.
            fallback: Why extraction failed, when the exchange is kept as a ``qa_turn`` instead.

        Returns:
            What was really done; None when the exchange is no longer pending (formed by another
            worker, or erased meanwhile): then nothing was changed.
        """
        ...

    async def postpone(self, exchange: Exchange, *, error: str, until: datetime | None) -> None:
        """Note a failed try: again not before ``until``, or held as failed when that is None."""
        ...

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        ...

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        ...


class Jobs(Protocol):
    """Durable background work in the same database as the memories."""

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once.

        A job says only that this user has something to form. ``drain`` returns None when the
        user's inbox is empty, else after how long to call it again; that wish survives a crash.
        When ``drain`` raises a StoreError, it is called again later, for as long as that lasts;
        when it raises anything else, the job is held as failed, visible, never dropped.
        """
        ...


@dataclass(frozen=True, slots=True)
class Backends:
    """What the engine works with: one implementation of each port."""

    memories: MemoryStore
    log: MessageLog
    inbox: Inbox
    jobs: Jobs
    embedder: Embedder
    extractor: Extractor | None = None
    caches: Sequence[Cache] = ()
