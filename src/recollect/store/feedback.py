"""The memories that were not helpful for a request."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from recollect.model import NotHelpful
from recollect.store.pool import StorePart


class Feedback(StorePart):
    """Keeps for which questions memories were not helpful."""

    async def note_not_helpful(
        self, user_id: str, request_id: UUID, memory_id: UUID, *, at: datetime
    ) -> bool:
        """Note that a memory was not helpful for a request's question; return False if the log does not have the question."""
        added = await self._database.changed(user_id, "add_not_helpful", request_id, memory_id, at)
        return added is not None

    async def remove(self, user_id: str, request_id: UUID, memory_id: UUID) -> bool:
        """Take that back; return whether it had been noted."""
        gone = await self._database.changed(user_id, "remove_not_helpful", request_id, memory_id)
        return gone is not None

    async def of_requests(self, user_id: str, requests: Collection[UUID]) -> frozenset[tuple[UUID, UUID]]:
        """Return the noted pairs of request and memory among these requests."""
        rows = await self._database.rows(user_id, "not_helpful_of_requests", list(requests))
        return frozenset((row["request_id"], row["memory_id"]) for row in rows)

    async def of_memory(self, user_id: str, memory_id: UUID, *, limit: int) -> list[NotHelpful]:
        """Return for which questions a memory was not helpful, newest first."""
        rows = await self._database.rows(user_id, "not_helpful_of_memory", memory_id, limit)
        return [NotHelpful(**row) for row in rows]
