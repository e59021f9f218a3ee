"""The part of the store in memory that finds things again. Never: changes what a memory says."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from recollect.model import (
    Hit,
    IndexedMessage,
    Lexicon,
    LoggedMessage,
    Memory,
    Scope,
    UnembeddedChunk,
    Vector,
)
from recollect.testing.changes import Belongings
from recollect.testing.searching import lacks_embedding

_FEW = 5
"""Who has fewer memories is served by those that are everybody's."""


class IndexedStore(ABC):
    """Implements LogIndex, and what of MemoryStore searches."""

    _globals: dict[UUID, Memory]

    @abstractmethod
    def _of(self, user_id: str) -> Belongings:
        """Return what the user has, or raise what the store is told to."""

    @abstractmethod
    def _everybody(self) -> list[Belongings]:
        """Return what all users have, or raise what the store is told to."""

    @abstractmethod
    def _enqueue(self, user_id: str) -> None:
        """Enqueue a job for the user."""

    async def lexicon(self, user_id: str, terms: Sequence[str]) -> Lexicon:
        """Return what of the user's lexical index concerns ``terms``."""
        user = self._indexed(user_id)
        return user.index.lexicon(terms, user.memories)

    async def vocabulary(self, user_id: str, prefixes: Sequence[str], *, lengths: range) -> list[str]:
        """Return terms of the user's that begin with one of ``prefixes`` and have a length in ``lengths``."""
        user = self._indexed(user_id)
        terms = user.index.vocabulary(user.memories)
        return sorted(term for term in terms if term.startswith(tuple(prefixes)) and len(term) in lengths)

    async def search(
        self,
        scope: Scope,
        vector: Vector | None,
        model: str,
        *,
        documents: Sequence[int],
        limit: int,
        log: bool,
        verbatim: bool = False,
    ) -> list[Hit]:
        """Return what is nearest to ``vector``, and what is named."""
        user = self._indexed(scope.user_id)
        return user.index.search(
            vector,
            model,
            user.memories,
            documents=documents,
            limit=limit,
            log=log,
            verbatim=verbatim,
            common=tuple(self._globals.values()) if len(user.memories) < _FEW else (),
        )

    async def unindexed(self, user_id: str, *, limit: int) -> list[LoggedMessage]:
        """Return the user's messages that are not indexed yet, oldest first."""
        user = self._of(user_id)
        return user.index.unindexed(user.said, limit)

    async def index(self, user_id: str, message: IndexedMessage) -> bool:
        """Index one message; False if it was, or is gone."""
        user = self._of(user_id)
        return user.index.index(message, user.said)

    async def unembedded(self, user_id: str, model: str, *, limit: int) -> list[UnembeddedChunk]:
        """Return the user's chunks that are to have embeddings of ``model`` and have none, newest first."""
        return self._of(user_id).index.unembedded(model, limit)

    async def embed(self, user_id: str, document: int, vectors: Sequence[Vector], model: str) -> None:
        """Give a chunk of the user its embeddings, in place of those it has."""
        self._of(user_id).index.embed(document, vectors, model)

    async def index_memories(self, user_id: str, *, limit: int) -> int:  # noqa: ARG002 -- they are few here
        """Index the user's memories; nothing is left to be done another time."""
        self._indexed(user_id)
        return 0

    async def unembedded_memories(self, user_id: str, model: str, *, limit: int) -> list[Memory]:
        """Return memories of the user's own that have no embedding of ``model``, newest first."""
        user = self._of(user_id)
        own = (each for each in user.memories.values() if each.owner == user_id)
        return user.index.unembedded_memories(model, own, limit)

    async def embed_memory(self, user_id: str, memory_id: UUID, vector: Vector, model: str) -> None:
        """Give a memory of the user's own its embedding, in place of the one it has of another model."""
        memories = self._of(user_id).memories
        memory = memories.get(memory_id)
        if memory is not None and memory.owner == user_id and lacks_embedding(memory, model):
            memories[memory_id] = replace(memory, embedding=vector, embedding_model=model)

    async def enqueue(self, user_id: str) -> None:
        """Enqueue a job for a user who says nothing: a memory was kept without an embedding."""
        self._enqueue(user_id)

    async def enqueue_unindexed(self) -> int:
        """Enqueue a job for each user who has said something and has no index; return how many."""
        users = [user.user_id for user in self._everybody() if user.log and not user.has_index]
        for user_id in users:
            self._enqueue(user_id)
        return len(users)

    async def largest_users(self, limit: int) -> list[str]:
        """Return the users who have most documents in their index, the largest first."""
        users = [self._indexed(user.user_id) for user in self._everybody()]
        documents = {user.user_id: user.index.lexicon((), user.memories).documents for user in users}
        largest = sorted(documents, key=lambda user_id: (-documents[user_id], user_id))
        return [user_id for user_id in largest[:limit] if documents[user_id]]

    def _indexed(self, user_id: str) -> Belongings:
        user = self._of(user_id)
        user.index.index_memories(user.memories)
        return user
