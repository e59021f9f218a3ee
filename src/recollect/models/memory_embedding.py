"""Adds the embeddings to new memories: of their contents, and of their hints."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import structlog

from recollect.errors import EmbedderError
from recollect.model import Add, Change, Hints, Memory, Replace, Vector
from recollect.ports import Embedder

log = structlog.get_logger(__name__)


async def embedded(memories: Sequence[Memory], embedder: Embedder) -> list[Memory]:
    """Return memories with their embeddings: of the content; with hints also of it with its topics, and of each question.

    Raises:
        EmbedderError: The embedder failed or can't be reached.
    """
    contents = await embedder.embed([each.content for each in memories])
    return [
        replace(
            each,
            embedding=content
            if each.hints is None
            else np.stack([content, *await _of_hints(each, each.hints, embedder)]),
            embedding_model=embedder.name,
        )
        for each, content in zip(memories, contents, strict=True)
    ]


async def embedded_if_possible(memories: Sequence[Memory], embedder: Embedder) -> list[Memory]:
    """Return memories with their embeddings; without any if the embedder fails: they are embedded later."""
    try:
        return await embedded(memories, embedder)
    except EmbedderError as error:
        log.warning("memories_saved_without_embeddings", error=type(error).__name__, detail=str(error))
        return [replace(each, embedding=None, embedding_model=None) for each in memories]


async def with_embedded_hints(changes: Sequence[Change], embedder: Embedder) -> list[Change]:
    """Return the changes, with the embeddings of the hints that new statements in them have."""
    new = [
        each.memory for each in changes if isinstance(each, Add | Replace) and each.memory.hints is not None
    ]
    made = {each.id: each for each in await embedded_if_possible(new, embedder)}
    return [
        replace(each, memory=made.get(each.memory.id, each.memory))
        if isinstance(each, Add | Replace)
        else each
        for each in changes
    ]


def with_topics(statement: Memory, hints: Hints) -> str:
    """Return the text that is embedded of a statement with hints, before their questions."""
    return "; ".join((statement.content, *hints.topics))


async def _of_hints(statement: Memory, hints: Hints, embedder: Embedder) -> list[Vector]:
    topics = await embedder.embed([with_topics(statement, hints)])
    return [*topics, *[await embedder.embed_question(each) for each in hints.questions]]
