"""All data of one user: exported as rows of JSON, restored, and deleted. Embeddings and search terms are computed again.

Never: validates rows; leaves a table out.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any, NamedTuple
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.model import COMMONS, Erasure, person_of, project_scope, team_of
from recollect.store.jobs import job_payload
from recollect.store.pool import Connection, StorePart, affected, column
from recollect.store.row_mapping import TERMS_BY, terms_of_memory
from recollect.store.sql import SQL, of_table
from recollect.store.turn_writing import mark_of
from recollect.text.normalization import content_hash

SECTIONS = (
    # Earlier sections may refer to later ones, which are read in the same snapshot.
    "projects",
    "settings",
    "profile",
    "memories",
    "summaries",
    "history",
    "quarantine",
    "sessions",
    "chats_left_out",
    "exchanges",
    "messages",
    "injections",
    "usage",
    "requests",
    "chat_requests",
    "not_helpful",
    "admin_reads",
    "kept_answers",
)
_HASHED = frozenset({"profile", "memories", "summaries", "quarantine"})
_ROWS_AT_ONCE = 200


class Portability(StorePart):
    """A user's data as rows to export and import, described in ``docs/reference/export.md``."""

    async def export(self, user_id: str) -> AsyncIterator[tuple[str, str]]:
        """Yield each row as its section's name and JSON text, all of one point in time; those of a project name it."""
        async with self._database.snapshot(user_id) as connection:
            projects = await column(connection, SQL["projects_of"], user_id)
            for section, project in product(SECTIONS, ["", *projects]):
                scope = project_scope(user_id, project)
                if projects:  # else the role sees the right rows already
                    await connection.execute(SQL["as_user"], scope, self._database.user_role)
                named = f'{{"project":{json.dumps(project)},' if project else "{"
                rows = connection.cursor(SQL[f"export_{section}"], scope, prefetch=_ROWS_AT_ONCE)
                async for row in rows:
                    yield section, named + row[0].removeprefix("{")

    async def restore(self, user_id: str, section: str, rows: Sequence[Mapping[str, Any]]) -> int:
        """Keep rows of a section, in one transaction; return how many are new. Existing rows stay.

        Sections must come in the order of ``export``, and rows must be validated.
        """
        are_memories = section in {"memories", "summaries"}
        query = SQL["restore_memories" if are_memories else f"restore_{section}"]
        given = [_hashed(row) if section in _HASHED else row for row in rows]
        if are_memories:
            given = [{**row, **_terms_of(row["content"])} for row in given]
        async with self._database.changing(user_id) as connection:
            if section == "memories":
                # Else a memory that no one sees might be erased before this user sees it.
                await connection.execute(SQL["lock_user"], COMMONS)
            return len(await connection.fetch(query, user_id, json.dumps(given)))


def _hashed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with the hash of its content; a refused statement has only its hash, or none."""
    refused = row.get("refused_hash")
    if row["content"] is None:
        return {**row, "content_hash": None}
    return {**row, "content_hash": "\\x" + (refused or content_hash(row["content"]).hex())}


def _terms_of(content: str) -> dict[str, Any]:
    """Return the columns of a memory's terms."""
    terms, counts = terms_of_memory(content)
    return {"terms": terms, "counts": f"\\x{counts.hex()}", "terms_by": TERMS_BY}


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
