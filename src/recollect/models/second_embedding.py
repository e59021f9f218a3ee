"""Adds the second embeddings to new statements: of their contents with their hints. Never: stores them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import structlog

from recollect.errors import EmbedderError
from recollect.model import STATEMENTS, Add, Change, Hints, Memory, Replace
from recollect.ports import Embedder

log = structlog.get_logger(__name__)


async def second_embeddings(statements: Sequence[Memory], embedder: Embedder) -> list[Memory]:
    """Return statements with their second embeddings: of the content with its topics, then of each question.

    Raises:
        EmbedderError: The embedder failed or can't be reached.
    """
    texts = [each.content if each.hints is None else with_topics(each, each.hints) for each in statements]
    embedded = []
    for each, vector in zip(statements, await embedder.embed(texts), strict=True):
        asked = () if each.hints is None else each.hints.questions
        vectors = np.stack([vector, *[await embedder.embed_question(question) for question in asked]])
        embedded.append(replace(each, second_embedding=vectors, second_model=embedder.name))
    return embedded


async def embedded_again(memories: Sequence[Memory], embedder: Embedder | None) -> list[Memory]:
    """Return the memories, the statements with their second embeddings; without them if the embedder is away."""
    statements = [memory for memory in memories if memory.kind in STATEMENTS]
    if embedder is None or not statements:
        return list(memories)
    try:
        embedded = await second_embeddings(statements, embedder)
    except EmbedderError as error:
        log.warning("memories_saved_without_second_embeddings", error=type(error).__name__, detail=str(error))
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
