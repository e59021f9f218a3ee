"""The search of one user's memories and passages: all whole, or the nearest by their sketches. Never: ranks, embeds.

A sketch has a bit for each dimension of an embedding: whether it is above zero (Charikar, "Similarity estimation
techniques from rounding algorithms", STOC 2002). The nearest by the Hamming distance of sketches are candidates, which
are then measured whole.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from asyncpg import Record

from recollect.model import Hit, Vector
from recollect.postgres.pool import Database
from recollect.postgres.rows import hit_of
from recollect.postgres.sql import SQL

Query: TypeAlias = tuple[str, tuple[object, ...]]
"""A named query, and its arguments from the second: the first is the user."""

SKETCHED_FROM = 10_000
"""Documents of a user (memories and chunks) from which a search begins with sketches: below, all are measured as soon."""
_CANDIDATES = 800
"""How many nearest sketches are measured whole, of each kind."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a search is for.

    Attributes:
        vector: What to be near to; None: nothing.
        model: The embedding model that made it.
        second: What statements are to be near to by a second embedder; None: nothing.
        second_model: The second embedder.
        documents: The numbers of documents that are returned as well.
        limit: How many memories, and twice over how many pieces of passages, are taken for near.
        log: Whether passages of the message log are searched.
        verbatim: Whether what was kept of an exchange as it was said is searched beside them.
    """

    vector: Vector | None
    model: str
    second: Vector | None
    second_model: str
    documents: Sequence[int]
    limit: int
    log: bool
    verbatim: bool


async def search(database: Database, user_id: str, sought: Sought) -> list[Hit]:
    """Return what is nearest and what is named, in any order."""
    measured = sought.vector is not None or sought.second is not None
    async with database.for_user(user_id) as connection:
        documents: int | None = await connection.fetchval(SQL["count_documents"], user_id) if measured else 0
        if (documents or 0) < SKETCHED_FROM:
            name, arguments = whole(sought, measured=measured)
            return [hit_of(row) for row in await connection.fetch(SQL[name], user_id, *arguments)]
    memories, chunks = await asyncio.gather(
        _first_column(database, user_id, memories_by_sketches(sought)),
        _first_column(database, user_id, chunks_by_sketches(sought)),
    )
    named = whole(sought, measured=False, memories=memories, chunks=chunks)
    return [hit_of(row) for row in await _planned_for(database, user_id, named)]


async def _first_column(database: Database, user_id: str, query: Query) -> list[Any]:
    return [row[0] for row in await _planned_for(database, user_id, query)]


async def _planned_for(database: Database, user_id: str, query: Query) -> list[Record]:
    """Return the rows of a query that is planned for its very arguments: a plan for any user takes little for much."""
    async with database.for_user(user_id) as connection:
        await connection.execute(SQL["plan_for_sketches"])
        return await connection.fetch(SQL[query[0]], user_id, *query[1])


def whole(
    sought: Sought, *, measured: bool, memories: Sequence[UUID] = (), chunks: Sequence[int] = ()
) -> Query:
    """Return the query that finds what is named, these memories and chunks with it, and, ``measured``, what is nearest."""
    documents = [*sought.documents, *chunks]
    first = (sought.vector, sought.model, _dimensions(sought.vector), documents, sought.limit)
    second = (sought.second, sought.second_model, _dimensions(sought.second))
    return "search", (*first, sought.log, sought.verbatim, *second, measured, list(memories))


def memories_by_sketches(sought: Sought) -> Query:
    """Return the query that finds the ids of the user's nearest memories."""
    first = (sought.vector, sought.model, _dimensions(sought.vector), sought.limit)
    # Without a second vector what has a second embedding, too, is looked for by the first.
    second_model = "" if sought.second is None else sought.second_model
    second = (sought.second, second_model, _dimensions(sought.second))
    without_verbatim = sought.log and not sought.verbatim
    return "nearest_sketches_of_memories", (*first, without_verbatim, *second, max(_CANDIDATES, sought.limit))


def chunks_by_sketches(sought: Sought) -> Query:
    """Return the query that finds the numbers of the user's nearest chunks: none where the log is not searched."""
    vector = sought.vector if sought.log else None
    first = (vector, sought.model, _dimensions(vector), sought.limit)
    return "nearest_sketches_of_chunks", (*first, max(_CANDIDATES, 2 * sought.limit))


def _dimensions(vector: Vector | None) -> int | None:
    return None if vector is None else len(vector)
