"""Embeds memories that lack an embedding: the embedder failed when they were kept, or has been replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from recollect.errors import EmbedderError
from recollect.model import Memory
from recollect.models.memory_embedding import embedded
from recollect.ports import Embedder
from recollect.text.attribution import question_in

if TYPE_CHECKING:
    from recollect.store.log import LogIndex

_AT_ONCE = 32
_BATCHES_OF_A_RUN = 6

_FIRST_FAILURES = 3
"""So many memories at the beginning of a run that can't be embedded: the embedder is away, not the texts bad."""


async def embed_questions(user_id: str, index: "LogIndex", embedder: Embedder) -> bool:
    """Embed questions for which memories were not helpful; return whether more are left.

    Raises:
        EmbedderError: The embedder failed or can't be reached.
    """
    questions = await index.questions_to_embed(user_id, embedder.name, limit=_AT_ONCE)
    for message_id, text in questions:
        vector = await embedder.embed_question(question_in(text))
        await index.embed_question(user_id, message_id, vector, embedder.name)
    return len(questions) == _AT_ONCE


@dataclass(slots=True)
class MemoryEmbedding:
    """One run over the user's memories that lack an embedding.

    Attributes:
        failure: Why some could not be embedded.
    """

    user_id: str
    index: "LogIndex"
    embedder: Embedder
    failure: EmbedderError | None = None
    _failed: set[UUID] = field(default_factory=set)
    _succeeded: bool = False

    async def embed_newest(self) -> bool:
        """Embed the newest; return whether more are left for another run, apart from failures."""
        for _ in range(_BATCHES_OF_A_RUN):
            memories = await self._unembedded()
            if not memories:
                return False
            await self._embed(memories)
            if self._is_away:
                return False
        return bool(await self._unembedded())

    @property
    def _is_away(self) -> bool:
        return len(self._failed) >= (_AT_ONCE if self._succeeded else _FIRST_FAILURES)

    async def _embed(self, memories: Sequence[Memory]) -> None:
        """Embed memories; if that fails, one by one, until the embedder seems to be away."""
        try:
            made = await embedded(memories, self.embedder)
        except EmbedderError as error:
            self.failure = error
            if len(memories) == 1:
                self._failed.add(memories[0].id)
                return
            for memory in memories:
                await self._embed([memory])
                if self._is_away:
                    return
        else:
            self._succeeded = True
            for each in made:
                await self.index.embed_memory(self.user_id, each)

    async def _unembedded(self) -> list[Memory]:
        limit = _AT_ONCE + len(self._failed)
        found = await self.index.unembedded_memories(self.user_id, self.embedder.name, limit=limit)
        return [memory for memory in found if memory.id not in self._failed][:_AT_ONCE]
