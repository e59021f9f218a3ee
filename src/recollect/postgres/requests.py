"""The records of requests, for metrics and explanation, in Postgres. Never: what to keep of one."""

import json
from datetime import datetime
from uuid import UUID

from recollect.model import RequestRecord, Scope, Skip, Stage
from recollect.ports import USAGE_OUTLIVES
from recollect.postgres.pool import Database
from recollect.postgres.rows import shortest
from recollect.postgres.sql import SQL
from recollect.text.normalization import storable_text

_TIMED = (Stage.EMBEDDING, Stage.LEXICAL, Stage.SEARCH)


class PostgresRequests:
    """Implements ``RequestLog``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, request: RequestRecord) -> None:
        """Keep what a request was like."""
        # Under the user's lock, so that none is written beside an erasure that does not see it.
        async with self._database.changing(request.scope.user_id) as connection:
            await connection.execute(
                SQL["insert_request_metrics"],
                request.scope.user_id,
                request.id,
                request.at,
                storable_text(request.scope.session_id),
                request.path,
                storable_text(request.model),
                request.skipped,
                request.degraded,
                request.error_stage,
                request.candidates,
                request.dense_hits,
                request.lexical_hits,
                request.log_hits,
                request.items,
                request.tokens,
                request.history_tokens,
                request.truncated,
                request.top_scores,
                request.gate_score,
                request.milliseconds,
                *(request.stages.get(stage) for stage in _TIMED),
                request.flags,
                json.dumps(request.story),
            )

    async def request(self, request_id: UUID) -> RequestRecord | None:
        """Return what a request was like, whoever made it; None if it is not known (any more)."""
        async with self._database.over_all_users() as connection:
            row = await connection.fetchrow(SQL["request_metrics_of"], request_id)
        if row is None:
            return None
        return RequestRecord(
            id=row["id"],
            at=row["at"],
            scope=Scope(row["user_id"], row["session_id"]),
            path=row["path"],
            model=row["model"],
            skipped=Skip(row["skipped"]) if row["skipped"] else None,
            degraded=tuple(Stage(each) for each in row["degraded"]),
            error_stage=Stage(row["error_stage"]) if row["error_stage"] else None,
            candidates=row["candidates"],
            dense_hits=row["dense_hits"],
            lexical_hits=row["lexical_hits"],
            log_hits=row["log_hits"],
            items=row["items"],
            tokens=row["tokens"],
            history_tokens=row["history_tokens"],
            truncated=row["truncated"],
            top_scores=tuple(shortest(score) for score in row["top_scores"]),
            gate_score=None if row["gate_score"] is None else shortest(row["gate_score"]),
            milliseconds=shortest(row["recall_ms"]),
            stages={
                stage: shortest(row[f"{stage}_ms"]) for stage in _TIMED if row[f"{stage}_ms"] is not None
            },
            flags=tuple(row["flags"]),
            story=json.loads(row["story"]),
        )

    async def prune_requests(self, before: datetime) -> int:
        """Delete what was kept of requests before a time; return of how many."""
        async with self._database.over_all_users() as connection:
            status = await connection.execute(SQL["prune_request_metrics"], before)
            await connection.execute(SQL["prune_usage"], (before - USAGE_OUTLIVES).date())
            await connection.execute(SQL["prune_erased"], before - USAGE_OUTLIVES)
        return int(status.rpartition(" ")[2])
