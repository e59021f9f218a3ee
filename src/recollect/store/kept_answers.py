"""The answers to requests that are done once, by their keys."""

from datetime import datetime, timedelta

from recollect.model import ANSWERS_KEPT, KeptAnswer
from recollect.store.pool import StorePart, affected
from recollect.store.sql import SQL

_LONGEST = timedelta(minutes=1)
"""After so long a request without an answer counts as failed: its process died."""


class Answers(StorePart):
    """Keeps the answers of requests that must be done once, for a day."""

    async def reserve(self, user_id: str, key: str, request: bytes, *, at: datetime) -> KeptAnswer | None:
        """Take a key of a user's for a request, known by its hash, and return None; or return the answer kept for the request that has it.

        ``keep`` and ``release`` know the key by the time of taking.
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
        await self._database.rows(user_id, "keep_answer", key, at, answer, etag)

    async def release(self, user_id: str, key: str, *, at: datetime) -> None:
        """Free the key that was taken then: nothing was done."""
        await self._database.rows(user_id, "release_answer", key, at)

    async def prune(self, before: datetime) -> int:
        """Delete answers kept before a time; return how many."""
        async with self._database.over_all_users() as connection:
            return await affected(connection, SQL["prune_kept_answers"], before)
