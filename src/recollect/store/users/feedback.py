"""Keeps which recalled memories were not helpful, and for which question, in Postgres. Never: embeds, ranks."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from recollect.model import NotHelpful
from recollect.store.pool import Database
from recollect.store.sql import SQL


class Feedback:
    """Keeps for which questions memories were not helpful. Every method raises StoreError when the store fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_not_helpful(
        self, user_id: str, request_id: UUID, memory_id: UUID, *, at: datetime
    ) -> bool:
        """Note that a memory was not helpful for a request's question; return False if the log does not have the question."""
        async with self._database.changing(user_id) as connection:
            added = await connection.fetchval(SQL["add_not_helpful"], user_id, request_id, memory_id, at)
        return added is not None

    async def remove(self, user_id: str, request_id: UUID, memory_id: UUID) -> bool:
        """Take that back; return whether it had been noted."""
        async with self._database.changing(user_id) as connection:
            gone = await connection.fetchval(SQL["remove_not_helpful"], user_id, request_id, memory_id)
        return gone is not None

    async def of_requests(self, user_id: str, requests: Collection[UUID]) -> frozenset[tuple[UUID, UUID]]:
        """Return the noted pairs of request and memory among these requests."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["not_helpful_of_requests"], user_id, list(requests))
        return frozenset((row["request_id"], row["memory_id"]) for row in rows)

    async def of_memory(self, user_id: str, memory_id: UUID, *, limit: int) -> list[NotHelpful]:
        """Return for which questions a memory was not helpful, newest first."""
        async with self._database.for_user(user_id) as connection:
            rows = await connection.fetch(SQL["not_helpful_of_memory"], user_id, memory_id, limit)
        return [NotHelpful(**row) for row in rows]
