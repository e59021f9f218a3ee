"""Adds the second embedding to new statements. Never: stores them, raises if the embedder is away."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from recollect.errors import EmbedderError
from recollect.model import STATEMENTS, Add, Change, Memory, Replace
from recollect.ports import Embedder

log = structlog.get_logger(__name__)


async def embedded_again(memories: Sequence[Memory], embedder: Embedder | None) -> list[Memory]:
    """Return the memories, the statements with their second embedding; without it if the embedder is away."""
    statements = [memory for memory in memories if memory.kind in STATEMENTS]
    if embedder is None or not statements:
        return list(memories)
    try:
        vectors = await embedder.embed([memory.content for memory in statements])
    except EmbedderError as error:
        log.warning("kept_without_second_embedding", error=type(error).__name__, detail=str(error))
        return list(memories)
    made = dict(zip((memory.id for memory in statements), vectors, strict=True))
    return [
        replace(memory, second_embedding=made[memory.id], second_model=embedder.name)
        if memory.id in made
        else memory
        for memory in memories
    ]


async def changes_embedded_again(changes: Sequence[Change], embedder: Embedder | None) -> list[Change]:
    """Return the changes, with the second embedding of the new statements in them."""
    new = [change.memory for change in changes if isinstance(change, Add | Replace)]
    embedded = iter(await embedded_again(new, embedder))
    return [
        replace(change, memory=next(embedded)) if isinstance(change, Add | Replace) else change
        for change in changes
    ]
