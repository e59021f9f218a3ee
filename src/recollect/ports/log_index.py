"""What the engine needs of what indexes messages and memories. Never: an implementation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from uuid import UUID

from recollect.model import (
    IndexedMessage,
    LoggedMessage,
    Memory,
    Scope,
    UnembeddedChunk,
    Vector,
)


class LogIndex(Protocol):
    """By what the messages of the log, and the memories, are found."""

    async def unindexed(self, user_id: str, *, limit: int) -> list[LoggedMessage]:
        """Return the user's messages that are not indexed yet, oldest first."""
        ...

    async def read_again(self, user_id: str, changes: Callable[[LoggedMessage], bool], *, limit: int) -> bool:
        """Have messages indexed again that were indexed by another reading; look at some at a time; return whether more are left.

        Args:
            user_id: Whose messages.
            changes: Tells whether a message would be indexed otherwise today; called in a thread.
            limit: How many are read.
        """
        ...

    async def rebuild(self, user_id: str) -> bool:
        """Have the worker build the user's index anew, a few messages at a time; False where nothing is indexed."""
        ...

    async def rebuilding(self) -> Mapping[str, UUID | None]:
        """Return whose index is being built anew, each with up to which message; None: it has not begun."""
        ...

    async def mark(self, scope: Scope, message_id: UUID, *, marked: bool) -> bool:
        """Note whether a message's turn, with its answers, is valuable; have indexed anew what changes by it.

        Returns:
            False where the chat has no such message.
        """
        ...

    async def index(self, user_id: str, message: IndexedMessage) -> bool:
        """Index one message, in one transaction; False if it was indexed meanwhile, or is gone."""
        ...

    async def unembedded(self, user_id: str, model: str, *, limit: int) -> list[UnembeddedChunk]:
        """Return the user's chunks that are to have embeddings of ``model`` and have none, newest first."""
        ...

    async def embed(self, user_id: str, document: int, vectors: Sequence[Vector], model: str) -> None:
        """Give a chunk of the user its embeddings, in place of those it has."""
        ...

    async def unembedded_memories(self, user_id: str, model: str, *, limit: int) -> list[Memory]:
        """Return memories that the user sees and that have no embedding of ``model``, newest first."""
        ...

    async def embed_memory(self, user_id: str, memory_id: UUID, vector: Vector, model: str) -> None:
        """Give a memory that the user sees its embedding, in place of the one it has."""
        ...

    async def unembedded_statements(self, user_id: str, model: str, *, limit: int) -> list[Memory]:
        """Return statements that the user sees and that have no second embedding of ``model``, newest first."""
        ...

    async def embed_statement(self, user_id: str, memory_id: UUID, vector: Vector, model: str) -> None:
        """Give a statement that the user sees its second embedding, in place of the one it has."""
        ...

    async def count_unembedded(self, user_id: str, model: str, second_model: str | None) -> int:
        """Count what of the user's is to have embeddings of ``model``, or second ones of ``second_model``, and has none."""
        ...

    async def enqueue(self, user_id: str) -> None:
        """Enqueue a job for a user who says nothing: a memory was kept without an embedding."""
        ...

    async def enqueue_unindexed(self) -> int:
        """Enqueue a job for each user who has said something and has no index, or one that is not tidied; return how many."""
        ...

    async def largest_users(self, limit: int) -> list[str]:
        """Return the users who have most documents in their index, the largest first."""
        ...
