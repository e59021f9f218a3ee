"""Records of requests, for metrics and explanation; memories that were not helpful for one; answers to those that are done once.

Old records are deleted, each after a time of its own: also those of tokens, of administrators' reads, of erasures.
"""

import json
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from asyncpg import Record

from recollect.model import (
    ANSWERS_KEPT,
    ItemPart,
    KeptAnswer,
    NotHelpful,
    RequestRecord,
    Scope,
    SearchPath,
    Skip,
    Stage,
)
from recollect.store.pool import StorePart, affected
from recollect.store.row_mapping import own_content, shortest
from recollect.store.sql import SQL
from recollect.store.turn_writing import PLAIN, TIMED


class RequestLog(StorePart):
    """Reads the records of requests, and makes room for those to come."""

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return the record of any user's request; None if there is none (any more)."""
        user_id = await self._database.value_of_all("request_metrics_of", request_id)
        return None if user_id is None else await self.request_of(user_id, request_id)

    async def requests_of(
        self, user_id: str, *, limit: int, after: UUID | None = None
    ) -> list[RequestRecord]:
        """Return the records of the user's requests, newest first, after the request ``after``."""
        rows = await self._database.rows(user_id, "requests_of_user", after, limit)
        return [_record_of(row) for row in rows]

    async def request_of(self, user_id: str, request_id: UUID) -> RequestRecord | None:
        """Return the record of the user's request; None if there is none (any more)."""
        row = await self._database.row(user_id, "request_of_user", request_id)
        return None if row is None else _record_of(row)

    async def contents(
        self, user_id: str, items: Collection[UUID], scopes: Sequence[str]
    ) -> dict[ItemPart, str]:
        """Return the current contents of memories of these scopes and parts of messages, without deleted or hidden ones."""
        told: dict[ItemPart, str] = {}
        for scope in scopes:
            memories = await self._database.rows(scope, "contents_of_memories", list(items))
            told |= {(row["id"], None): row["content"] for row in memories}
        passages = await self._database.rows(user_id, "contents_of_passages", list(items))
        return told | {(row["id"], row["part"]): own_content(row) for row in passages}

    async def prepare_days(self, first: date, days: int) -> int:
        """Make the parts that the requests of so many days in UTC go into; return how many are new."""
        made = 0
        for day in range(days):
            async with self._database.over_all_users() as connection:
                await connection.execute(SQL["wait_briefly"])
                made += await connection.fetchval(SQL["add_request_day"], first + timedelta(days=day))
        return made


def _record_of(row: Record) -> RequestRecord:
    return RequestRecord(
        **{name: row[name] for name in (*PLAIN, "model", "question")},
        scope=Scope(row["user_id"], row["session_id"]),
        skipped=Skip(row["skipped"]) if row["skipped"] else None,
        degraded=tuple(Stage(each) for each in row["degraded"]),
        error_stage=Stage(row["error_stage"]) if row["error_stage"] else None,
        top_scores=tuple(shortest(score) for score in row["top_scores"]),
        gate_score=None if row["gate_score"] is None else shortest(row["gate_score"]),
        milliseconds=shortest(row["recall_ms"]),
        stages={stage: shortest(row[f"{stage}_ms"]) for stage in TIMED if row[f"{stage}_ms"] is not None},
        flags=tuple(row["flags"]),
        explanation=json.loads(row["story"]),
        key=row["turn_key"],
        found_by=SearchPath(row["found_by"]) if row["found_by"] else None,
        given_by=None if row["given"] is None else json.loads(row["given"]),
    )


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

        The other records go with them, so much later as this module says.
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
