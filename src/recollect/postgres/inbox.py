"""What is still to be formed, in Postgres, a user at a time. Never: calls a model; runs a job."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta

from recollect.model import Actor, Backlog, Change, Exchange
from recollect.normalization import storable_text
from recollect.postgres.changes import apply_changes
from recollect.postgres.leases import hold_lease
from recollect.postgres.pool import Database
from recollect.postgres.queue import enqueue, requeue_held
from recollect.postgres.rows import exchange_of, message_of
from recollect.postgres.sql import SQL

_MESSAGES_BEFORE = 6
"""Messages of the session shown with an exchange, so that "the second one" can be understood."""

_LONGEST_ERROR = 500
"""Characters kept of why a try failed."""


class PostgresInbox:
    """Implements ``Inbox``.

    Args:
        database: Where the inbox is.
        lease: How long a lease holds after its last renewal; it is renewed three times as often.
    """

    def __init__(self, database: Database, *, lease: timedelta) -> None:
        self._database = database
        self._lease = lease

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Raises:
            StoreUnavailableError: At the end of the body, which is cancelled, when the lease was
                lost: another holder has it, the user was erased, or the store went away.
        """
        return hold_lease(self._database, user_id, self._lease)

    async def next(self, user_id: str) -> tuple[Exchange, int, datetime] | None:
        """Return the oldest pending exchange, how often it was tried, and when it may be tried next."""
        async with self._database.for_user(user_id) as connection:
            row = await connection.fetchrow(SQL["oldest_pending"], user_id)
            if row is None:
                return None
            before = await connection.fetch(
                SQL["messages_before"], user_id, row["session_id"], row["turn_index"], _MESSAGES_BEFORE
            )
        history = tuple(message_of(message) for message in reversed(before))
        return exchange_of(user_id, row, history), row["attempts"], row["not_before"]

    async def complete(
        self, exchange: Exchange, changes: Sequence[Change], *, at: datetime, fallback: str | None = None
    ) -> list[Change] | None:
        """Apply ``changes`` and mark the exchange formed, in one transaction; None if it is not pending."""
        user_id = exchange.turn.scope.user_id
        async with self._database.changing(user_id) as connection:
            formed = await connection.fetchval(SQL["mark_formed"], user_id, exchange.id, at, fallback)
            if formed is None:
                return None
            return await apply_changes(connection, user_id, changes, actor=Actor.FORMATION, at=at)

    async def postpone(self, exchange: Exchange, *, error: str, until: datetime | None) -> None:
        """Note a failed try: again not before ``until``, or held as failed when that is None."""
        user_id = exchange.turn.scope.user_id
        async with self._database.for_user(user_id) as connection:
            reason = storable_text(error)[:_LONGEST_ERROR]
            await connection.execute(SQL["postpone"], user_id, exchange.id, reason, until)

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        async with self._database.over_all_users() as connection:
            row = await connection.fetchrow(SQL["backlog"])
        return Backlog(**dict(row or {}))

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        async with self._database.over_all_users() as connection:
            rows = await connection.fetch(SQL["retry_failed"], at)
            await enqueue(connection, sorted({row["user_id"] for row in rows}))
            await requeue_held(connection)
            return len(rows)
