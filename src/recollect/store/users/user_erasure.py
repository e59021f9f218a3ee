"""Deletes every row of a user for good, proves that none is left, and leaves a tombstone. It leaves no table out.

A chat's rows are deleted in ``store.memories.chat_and_memory_erasure``.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.model import COMMONS, Erasure, person_of, team_of
from recollect.store.jobs import job_payload
from recollect.store.pool import Connection, affected, column
from recollect.store.sql import SQL, of_table
from recollect.store.turn_writing import mark_of

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
    """Keys for the second search for an erased user's rows: the memories they ever saw, and their jobs in the queue."""

    memories: Sequence[UUID]
    jobs: Sequence[int]


async def erase_user(connection: Connection, user_id: str, *, at: datetime) -> tuple[Erasure, Traces]:
    """Delete every row of the user, in the connection's transaction, and leave a tombstone."""
    counts = {}
    seen = await column(connection, SQL["memories_of_user"], user_id)
    *tables, versions, projects = ERASED_TABLES
    if team_of(user_id):
        await connection.execute(SQL["end_blocks_around"], user_id, seen)
        await erase_kept_answers(connection, user_id)
    for table in tables:
        counts[table] = await affected(connection, of_table("erase_rows", table), user_id)
    counts["vectors"] += await _erase_shared(connection, seen)
    if user_id == person_of(user_id):
        await connection.execute(SQL["over_all_users"])
        counts["teams"] = await affected(connection, SQL["leave_all_teams"], user_id)
        await connection.execute(SQL["over_no_users"])
    for last in (versions, projects):
        counts[last] = await affected(connection, of_table("erase_rows", last), user_id)
    jobs = await connection.fetch(SQL["erase_jobs"], job_payload(user_id))
    counts["pgqueuer"] = len(jobs)
    counts["pgqueuer_log"] = await affected(connection, SQL["erase_job_log"], [job["id"] for job in jobs])
    erasure = await leave_tombstone(connection, mark_of(user_id), counts, at)
    await connection.execute(SQL["add_untold_erasure"], erasure.id, user_id, at)
    return erasure, Traces(seen, [job["id"] for job in jobs])


async def erase_kept_answers(connection: Connection, user_id: str) -> None:
    """Delete the kept answers to the user's requests, and in a team to all members': an answer may quote erased text."""
    await connection.execute(SQL["erase_kept_answers"], user_id)
    if team_of(user_id):
        await connection.execute(SQL["over_all_users"])
        await connection.execute(SQL["erase_kept_answers_around"], user_id)
        await connection.execute(SQL["over_no_users"])


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
    of_tables = [of_table("left_of_table", table).removesuffix(";") for table in ERASED_TABLES]
    query = " UNION ALL ".join((*of_tables, SQL["left_of_queues"]))
    rows = await connection.fetch(query, user_id, job_payload(user_id), list(traces.jobs))
    left = {row["name"]: row["rows"] for row in rows}
    await connection.execute(SQL["over_all_users"])
    left["vectors"] += await connection.fetchval(SQL["left_of_shared"], list(traces.memories))
    await connection.execute(SQL["over_no_users"])
    return tuple(left.items())


async def vacuum(connection: Connection) -> tuple[str, ...]:
    """Run VACUUM on the tables that are erased from, outside of any transaction; return on which the role may."""
    rows = await connection.fetch(SQL["may_vacuum"], list(VACUUMED_TABLES))
    if rows:
        tables = ", ".join(f"recollect.{table}" for table in VACUUMED_TABLES)
        await connection.execute(SQL["vacuum"].replace("{tables}", tables), timeout=VACUUM_SECONDS)
    return tuple(row["name"] for row in rows)


async def _erase_shared(connection: Connection, memory_ids: Sequence[UUID]) -> int:
    """Delete shared memories that the user alone saw, which takes a query over all users."""
    await connection.execute(SQL["lock_user"], COMMONS)  # no one gets one meanwhile
    await connection.execute(SQL["over_all_users"])
    count = await affected(connection, SQL["erase_shared"], memory_ids)
    await connection.execute(SQL["over_no_users"])
    return count
