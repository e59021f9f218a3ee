"""What the contracts of search and index do again and again: say, index, look up. Never: a test."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from tests.stores import MODEL, NORTH, Store, vector

from recollect.model import Exchange, Hit, IndexedChunk, IndexedMessage, LoggedMessage, Scope, Vector
from recollect.text.lexical import document_terms


def chunk(
    text: str, *, begins: int = 0, context: Mapping[str, int] | None = None, vectors: Sequence[Vector] = ()
) -> IndexedChunk:
    """Return a chunk of a message that has ``text`` at ``begins``."""
    return IndexedChunk(
        begins,
        begins + len(text),
        code=False,
        language=None,
        terms=document_terms(text),
        context=context or {},
        vectors=tuple(vectors),
    )


def whole(message: LoggedMessage, *vectors: Vector, model: str = MODEL) -> IndexedMessage:
    """Return the message as one chunk, found by its own words and the beginning of what follows."""
    one = chunk(message.content, vectors=vectors or (vector(*NORTH),))
    return IndexedMessage(message.id, (one,), document_terms(message.content), model)


async def said(store: Store, text: str, scope: Scope | None = None, **changed: Any) -> Exchange:
    """Log an exchange."""
    new = store.exchange(text, scope or store.anna.scope, **changed)
    await store.log.append(new)
    return new


async def index_all(store: Store, user_id: str | None = None, *vectors: Vector) -> None:
    """Index all the user's messages, each as one chunk."""
    user_id = user_id or store.anna
    for message in await store.index.unindexed(user_id, limit=99):
        assert await store.index.index(user_id, whole(message, *vectors))


async def indexed(store: Store, text: str, scope: Scope | None = None, **changed: Any) -> Exchange:
    """Log an exchange and index it."""
    scope = scope or store.anna.scope
    new = await said(store, text, scope, **changed)
    await index_all(store, scope.user_id)
    return new


async def by_words(store: Store, *terms: str, user_id: str | None = None, log: bool = True) -> list[Hit]:
    """Return what is found by any of these terms, as they stand in the index."""
    user_id = user_id or store.anna
    lexicon = await store.memories.lexicon(user_id, terms)
    documents = {int(number) for each in lexicon.occurrences.values() for number in each.documents}
    return await store.memories.search(
        Scope(user_id, "chat-1"), None, MODEL, documents=sorted(documents), limit=9, log=log
    )


async def near(
    store: Store,
    to: Vector,
    scope: Scope | None = None,
    *,
    limit: int = 9,
    log: bool = True,
    model: str = MODEL,
) -> list[Hit]:
    """Return what is near, best first."""
    hits = await store.memories.search(
        scope or store.anna.scope, to, model, documents=[], limit=limit, log=log
    )
    return sorted(hits, key=lambda hit: -(hit.cosine or 0))


def texts(hits: Sequence[Hit]) -> set[str]:
    """Return what the hits say; each once, or the test fails."""
    found = [hit.item.content for hit in hits]
    assert len(found) == len(set(found))
    return set(found)


def ids(hits: Sequence[Hit]) -> set[UUID]:
    """Return the ids of the memories and messages."""
    return {hit.item.id for hit in hits}
