"""Deletes all data of one user. Never: leaves a table out."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.model import COMMONS, Erasure, person_of, team_of
from recollect.store.jobs.queue import FORM, job_payload
from recollect.store.log.keys import mark_of
from recollect.store.pool import Connection
from recollect.store.sql import SQL

ERASED_TABLES = (
    # Exchanges first: a formation under way that finds none pending changes nothing.
    "exchanges",
    "leases",
    "tries",
    "kept_answers",
    "injections",
    "chat_requests",
    "chats_left_out",
    "request_metrics",
    # Chunks before their embeddings: deleting an embedding rewrites its chunk.
    "message_chunks",
    "chunk_vectors",
    "messages",
    "sessions",
    "memory_updates",
    "quarantine",
    "profile_entries",
    "not_helpful",
    "admin_reads",
    "user_settings",
    "model_usage",
    "users_vectors",
    "vectors",
    "users",  # late: to delete the rows above raises its versions
    "projects",  # last: the first row of a user notes their project
)


VACUUMED_TABLES = (*ERASED_TABLES, "teams", "pgqueuer", "pgqueuer_log")
VACUUM_SECONDS = 600
"""The time limit for vacuuming all of them."""


class Traces(NamedTuple):
    """Keys for the second search for an erased user's rows.

    Attributes:
        memories: The memories they ever saw.
        jobs: Their jobs in the queue.
    """

    memories: Sequence[UUID]
    jobs: Sequence[int]


async def erase_user(connection: Connection, user_id: str, *, at: datetime) -> tuple[Erasure, Traces]:
    """Delete every row of the user, in the connection's transaction, and leave a tombstone."""
    counts = {}
    seen = [row["id"] for row in await connection.fetch(SQL["memories_of_user"], user_id)]
    *tables, versions, projects = ERASED_TABLES
    if team_of(user_id):
        await connection.execute(SQL["end_blocks_around"], user_id, seen)
    for table in tables:
        counts[table] = _affected(await connection.execute(SQL[f"erase_{table}"], user_id))
    counts["vectors"] += await _erase_shared(connection, seen)
    if user_id == person_of(user_id):
        await connection.execute(SQL["over_all_users"])
        counts["teams"] = _affected(await connection.execute(SQL["leave_all_teams"], user_id))
        await connection.execute(SQL["over_no_users"])
    for last in (versions, projects):
        counts[last] = _affected(await connection.execute(SQL[f"erase_{last}"], user_id))
    jobs = await connection.fetch(SQL["erase_jobs"], job_payload(user_id), FORM)
    counts["pgqueuer"] = len(jobs)
    logged = await connection.execute(SQL["erase_job_log"], [job["id"] for job in jobs])
    counts["pgqueuer_log"] = _affected(logged)
    erasure = await leave_tombstone(connection, mark_of(user_id), counts, at)
    await connection.execute(SQL["add_untold_erasure"], erasure.id, user_id, at)
    return erasure, Traces(seen, [job["id"] for job in jobs])


async def leave_tombstone(
    connection: Connection, mark: bytes, counts: Mapping[str, int], at: datetime
) -> Erasure:
    """Note an erasure: how many rows of each table it deleted, and the mark of the user or the chat."""
    erasure = Erasure(id=uuid7(), at=at, rows=tuple(counts.items()))
    await connection.execute(SQL["insert_erasure"], erasure.id, at, json.dumps(counts))
    await connection.execute(SQL["mark_erased"], mark, at)
    return erasure


async def left_of_user(connection: Connection, user_id: str, traces: Traces) -> tuple[tuple[str, int], ...]:
    """Count the remaining rows of an erased user, by table and queue; runs in a later transaction of the user."""
    rows = await connection.fetch(SQL["left_of_user"], user_id, job_payload(user_id), FORM, list(traces.jobs))
    left = {row["name"]: row["rows"] for row in rows}
    await connection.execute(SQL["over_all_users"])
    left["vectors"] += await connection.fetchval(SQL["left_of_shared"], list(traces.memories))
    await connection.execute(SQL["over_no_users"])
    return tuple(left.items())


async def vacuum(connection: Connection) -> tuple[str, ...]:
    """Run VACUUM on the tables that are erased from, outside of any transaction; return on which the role may."""
    rows = await connection.fetch(SQL["may_vacuum"], list(VACUUMED_TABLES))
    if rows:
        await connection.execute(SQL["vacuum"], timeout=VACUUM_SECONDS)
    return tuple(row["name"] for row in rows)


async def _erase_shared(connection: Connection, memory_ids: Sequence[UUID]) -> int:
    """Delete shared memories that the user alone saw, which takes a query over all users."""
    await connection.execute(SQL["lock_user"], COMMONS)  # no one gets one meanwhile
    await connection.execute(SQL["over_all_users"])
    count = _affected(await connection.execute(SQL["erase_shared"], memory_ids))
    await connection.execute(SQL["over_no_users"])
    return count


def _affected(status: str) -> int:
    return int(status.rpartition(" ")[2])
