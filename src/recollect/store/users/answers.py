"""Answers to requests with an Idempotency-Key, in Postgres. Never: carries out a request."""

from datetime import datetime, timedelta

from recollect.model import ANSWERS_KEPT, KeptAnswer
from recollect.store.pool import Database
from recollect.store.sql import SQL

_LONGEST = timedelta(minutes=1)
"""After so long a request without an answer counts as failed: its process died."""


class Answers:
    """Keeps the answers of requests that must be done once, for a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, user_id: str, key: str, request: bytes, *, at: datetime) -> KeptAnswer | None:
        """Take a key of a user's for a request, and return None; or return the answer kept for the request that has it.

        Args:
            user_id: The user.
            key: Which.
            request: A hash of the request.
            at: Now; the key is known by it to ``keep`` and ``release``.
        """
        async with self._database.changing(user_id) as connection:
            taken = await connection.fetchval(
                SQL["reserve_answer"], user_id, key, request, at, at - ANSWERS_KEPT, at - _LONGEST
            )
            if taken:
                return None
            row = await connection.fetchrow(SQL["kept_answer"], user_id, key)
        assert row is not None  # noqa: S101 -- the user's lock is held: it was there, and is
        return KeptAnswer(row["request"], row["answer"], row["etag"])

    async def keep(self, user_id: str, key: str, answer: bytes, etag: str | None, *, at: datetime) -> None:
        """Keep the answer of the request that took the key then."""
        async with self._database.for_user(user_id) as connection:
            await connection.execute(SQL["keep_answer"], user_id, key, at, answer, etag)

    async def release(self, user_id: str, key: str, *, at: datetime) -> None:
        """Free the key that was taken then: nothing was done."""
        async with self._database.for_user(user_id) as connection:
            await connection.execute(SQL["release_answer"], user_id, key, at)

    async def prune(self, before: datetime) -> int:
        """Delete answers kept before a time; return how many."""
        async with self._database.over_all_users() as connection:
            status = await connection.execute(SQL["prune_kept_answers"], before)
        return int(status.rpartition(" ")[2])
