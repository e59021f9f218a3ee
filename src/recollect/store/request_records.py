"""Records of requests, for metrics and explanation."""

import json
from collections.abc import Collection, Sequence
from datetime import date, timedelta
from uuid import UUID

from asyncpg import Record

from recollect.model import (
    ItemPart,
    RequestRecord,
    Scope,
    SearchPath,
    Skip,
    Stage,
)
from recollect.store.pool import StorePart
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
