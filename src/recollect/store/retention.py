"""Deletes old records of requests, tokens, administrators' reads and erasures, each after a time of its own."""

from datetime import UTC, datetime, timedelta

from recollect.store.pool import StorePart, affected
from recollect.store.sql import SQL

# How much longer than the records of requests, which by default are kept for 30 days:
_USAGE_OUTLIVES = timedelta(days=60)
"""The tokens of a day."""
_ADMIN_READS_OUTLIVE = timedelta(days=335)
"""The reads of administrators: a year in all."""
_ERASED_OUTLIVE = timedelta(days=60)
"""The hashes of erased users and chats, by which earlier messages are recognized that waited on another machine."""


class Retention(StorePart):
    """Deletes old records of all users."""

    async def prune(self, before: datetime) -> int:
        """Delete the records of requests before a time; return how many. Records of that very day may stay until it is over.

        The other records go with them, each so much later as its constant says.
        """
        midnight = before.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        async with self._database.over_all_users() as connection:
            # In a transaction of its own: a part is dropped under a lock that no deletion below should prolong.
            await connection.execute(SQL["wait_briefly"])
            dropped: int = await connection.fetchval(SQL["drop_request_days"], before)
        async with self._database.over_all_users() as connection:
            deleted = await affected(connection, SQL["prune_request_metrics"], before, midnight)
            await connection.execute(SQL["prune_usage"], (before - _USAGE_OUTLIVES).date())
            await connection.execute(SQL["prune_admin_reads"], before - _ADMIN_READS_OUTLIVE)
            await connection.execute(SQL["prune_erased"], before - _ERASED_OUTLIVE)
        return dropped + deleted
