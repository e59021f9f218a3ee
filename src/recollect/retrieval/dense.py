"""Ranks a user's memories by the cosine of their embedding to the turn's. Never: SQL."""

from recollect.model import Recollection, Turn
from recollect.ports import Embedder, MemoryStore

_QUERY_CHARACTERS = 2_000
"""What an embedder reads of a turn: about its window. A pasted book must not cost a chat its deadline."""


async def rank(turn: Turn, *, embedder: Embedder, store: MemoryStore, limit: int) -> list[Recollection]:
    """Return the ``limit`` memories nearest to what the user wrote, best first.

    One embedding, one statement, exact over the user's own links.

    Raises:
        EmbedderError: The turn could not be embedded.
        StoreError: The store could not be asked.
    """
    [vector] = await embedder.embed([turn.text[:_QUERY_CHARACTERS]])
    return await store.nearest(turn.scope, vector, embedder.name, limit=limit)
