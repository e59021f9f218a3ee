"""All rows of one user in a database, to compare them. Never: a test."""

from typing import Any

import asyncpg
from tests.servers.databases import administrator

from recollect.store.users.portability import ERASED_TABLES

_MADE_ANEW: dict[str, set[str]] = {
    "users_vectors": {"changed"},
    "vectors": {"values", "embedding_model", "changed"},
    "exchanges": {"asking"},
    "profile_entries": {"values", "embedding_model"},
    "not_helpful": {"values", "embedding_model"},
    "message_chunks": {"document", "embedding_model", "changed", "terms", "counts"},
}
_BOOKKEEPING = {
    "leases",
    "tries",
    "users",
    "chunk_vectors",
}
"""Who holds a lease just now, what a worker died of, embeddings, and versions."""


async def rows_of(dsn: str, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return a user's rows, with those of their projects, of every table but what is made anew: embeddings, versions, and numbers of documents."""
    found = {}
    async with administrator(dsn) as connection:
        for table in ERASED_TABLES:
            if table not in _BOOKKEEPING:
                found[table] = await _rows(connection, table, user_id)
    return found


async def _rows(
    connection: "asyncpg.Connection[asyncpg.Record]", table: str, user_id: str
) -> list[dict[str, Any]]:
    owner = "owner" if table in {"vectors", "projects"} else "user_id"
    rows = await connection.fetch(
        f"SELECT * FROM recollect.{table} WHERE recollect.person_of({owner}) = $1", user_id
    )
    lacking = _MADE_ANEW.get(table, set())
    kept = [{name: value for name, value in row.items() if name not in lacking} for row in rows]
    return sorted(kept, key=repr)
