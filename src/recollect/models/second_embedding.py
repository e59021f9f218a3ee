"""Adds the second embeddings to new statements: of what they say, and of their hints. Never: stores them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import structlog

from recollect.errors import EmbedderError
from recollect.model import STATEMENTS, Add, Change, Hints, Memory, Replace
from recollect.ports import Embedder

log = structlog.get_logger(__name__)


async def second_embeddings(statements: Sequence[Memory], embedder: Embedder) -> list[Memory]:
    """Return statements with their second embeddings, and those of the hints that they have.

    Raises:
        EmbedderError: The embedder failed or can't be reached.
    """
    hinted = [(each, each.hints) for each in statements if each.hints is not None]
    texts = [each.content for each in statements] + [with_topics(each, hints) for each, hints in hinted]
    vectors = iter(await embedder.embed(texts))
    embedded = {
        each.id: replace(
            each, second_embedding=next(vectors), second_model=embedder.name, hint_embeddings=None
        )
        for each in statements
    }
    for each, hints in hinted:
        questions = [await embedder.embed_question(question) for question in hints.questions]
        made = np.stack([next(vectors), *questions])
        embedded[each.id] = replace(embedded[each.id], hint_embeddings=made)
    return list(embedded.values())


async def embedded_again(memories: Sequence[Memory], embedder: Embedder | None) -> list[Memory]:
    """Return the memories, the statements with their second embeddings; without them if the embedder is away."""
    statements = [memory for memory in memories if memory.kind in STATEMENTS]
    if embedder is None or not statements:
        return list(memories)
    try:
        embedded = await second_embeddings(statements, embedder)
    except EmbedderError as error:
        log.warning("kept_without_second_embedding", error=type(error).__name__, detail=str(error))
        return list(memories)
    made = {each.id: each for each in embedded}
    return [made.get(memory.id, memory) for memory in memories]


async def changes_embedded_again(changes: Sequence[Change], embedder: Embedder | None) -> list[Change]:
    """Return the changes, with the second embeddings of the new statements in them."""
    new = [change.memory for change in changes if isinstance(change, Add | Replace)]
    embedded = iter(await embedded_again(new, embedder))
    return [
        replace(change, memory=next(embedded)) if isinstance(change, Add | Replace) else change
        for change in changes
    ]


def with_topics(statement: Memory, hints: Hints) -> str:
    """Return the text that is embedded of a statement with hints, before their questions."""
    return "; ".join((statement.content, *hints.topics))
