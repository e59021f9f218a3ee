"""Steps that tests of the index and of search share: say, index, look up."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from tests.support.stores import MODEL, NORTH, Store, vector

from recollect.index import Words
from recollect.model import Exchange, IndexedChunk, IndexedMessage, Item, LoggedMessage, Scope, Vector
from recollect.text.lexical import document_terms


def chunk(
    text: str, *, begins: int = 0, context: Mapping[str, int] | None = None, vectors: Sequence[Vector] = ()
) -> IndexedChunk:
    """Return a chunk of a message that has ``text`` at ``begins``."""
    ends, terms = begins + len(text), document_terms(text)
    return IndexedChunk(begins, ends, code=False, terms=terms, context=context or {}, vectors=tuple(vectors))


def whole(message: LoggedMessage, *vectors: Vector, model: str = MODEL) -> IndexedMessage:
    """Return the message as one chunk, with its own terms and those of the next beginning."""
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


class Hit(NamedTuple):
    """A memory or passage of a person's snapshot, with its cosine."""

    item: Item
    cosine: float | None = None


async def by_words(store: Store, *terms: str, user_id: str | None = None, log: bool = True) -> list[Hit]:
    """Return the memories and passages that hold any of these terms."""
    snapshot = await store.snapshots.get(user_id or store.anna)
    memories, passages = snapshot.memories, snapshot.passages
    assert passages is not None
    parts: list[tuple[Words, NDArray[np.bool_], Sequence[Item]]] = [
        (memories.words, memories.is_seen, memories.items)
    ]
    if log:
        parts.append((passages.words, passages.is_current, passages.items))
    found = []
    for words, is_found, items in parts:
        rows = set(words.find(terms, is_found).row.tolist())
        found += [Hit(items[row]) for row in sorted(rows)]
    return found


async def near(
    store: Store,
    to: Vector,
    scope: Scope | None = None,
    *,
    limit: int = 9,
    log: bool = True,
    model: str = MODEL,
) -> list[Hit]:
    """Return the memories and passages that have an embedding, the nearest first."""
    snapshot = await store.snapshots.get((scope or store.anna.scope).user_id)
    memories, passages = snapshot.memories, snapshot.passages
    assert passages is not None
    hits = _near(memories.items, memories.vectors.near(model, to).best, memories.is_seen)
    if log:
        hits += _near(passages.items, passages.vectors.near(model, to).best, passages.is_current)
    return _nearest_first(hits)[:limit]


def _nearest_first(hits: Sequence[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: -(hit.cosine or 0))


def _near(items: Sequence[Item], cosines: NDArray[np.float64], is_found: NDArray[np.bool_]) -> list[Hit]:
    rows = np.flatnonzero(is_found & ~np.isnan(cosines)).tolist()
    return [Hit(items[row], float(cosines[row])) for row in rows]


def texts(hits: Sequence[Hit]) -> set[str]:
    """Return the contents of the hits; a content that comes twice fails the test."""
    found = [hit.item.content for hit in hits]
    assert len(found) == len(set(found))
    return set(found)


def ids(hits: Sequence[Hit]) -> set[UUID]:
    """Return the ids of the memories and messages."""
    return {hit.item.id for hit in hits}
