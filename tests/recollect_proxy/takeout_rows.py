"""All rows of one user in a database, to compare them. Never: a test."""

from typing import Any

import asyncpg
from tests.databases import administrator

from recollect.postgres.erasure import ERASED_TABLES

_MADE_ANEW: dict[str, set[str]] = {
    "users_vectors": {"document", "changed"},
    "vectors": {
        "values",
        "embedding_model",
        "sketch",
        "second_values",
        "second_model",
        "second_sketch",
        "changed",
    },
    "exchanges": {"asking"},
    "profile_entries": {"values", "embedding_model"},
    "message_chunks": {"document", "embedding_model", "changed"},
    "corpora": {"next_document", "reread_to"},
}
_BOOKKEEPING = {
    "leases",
    "tries",
    "users",
    "chunk_vectors",
    "posting_pages",
    "document_lengths",
    "posting_removals",
}
"""Who holds a lease just now, what a worker died of, versions, embeddings, and words that are merged as it comes."""


async def rows_of(dsn: str, user_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return a user's rows of every table but what is made anew: embeddings, versions, and numbers of documents."""
    found = {}
    async with administrator(dsn) as connection:
        for table in ERASED_TABLES:
            if table not in _BOOKKEEPING:
                found[table] = await _rows(connection, table, user_id)
    return found


async def _rows(
    connection: "asyncpg.Connection[asyncpg.Record]", table: str, user_id: str
) -> list[dict[str, Any]]:
    owner = "owner" if table == "vectors" else "user_id"
    rows = await connection.fetch(f"SELECT * FROM recollect.{table} WHERE {owner} = $1", user_id)
    lacking = _MADE_ANEW.get(table, set())
    if table == "waiting_documents":  # their numbers depend on the order in which they were indexed
        return [
            {"terms": terms} for terms in sorted({term for row in rows for term in row["terms"].split(b"\0")})
        ]
    kept = [{name: value for name, value in row.items() if name not in lacking} for row in rows]
    return sorted(kept, key=repr)
