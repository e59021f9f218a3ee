"""Deletes all that is kept of one chat of a user. Never: decides which; touches what other chats told, too."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from recollect.audit import messages_of, not_resting_on
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Erasure, Reason, Scope
from recollect.normalization import storable_id
from recollect.postgres.changing import Changing
from recollect.postgres.hiding import hide_messages
from recollect.postgres.pool import Connection
from recollect.postgres.postings import purge_postings
from recollect.postgres.rows import update_of
from recollect.postgres.sql import SQL
from recollect.postgres.undoing import undo
from recollect.redaction import is_wish_to_forget, redacted


async def erase_session(connection: Connection, scope: Scope, *, at: datetime) -> Erasure:
    """Delete every row of a chat, in the connection's transaction under the user's lock, and leave a tombstone.

    What it taught is undone as far as it can be; a memory that was told elsewhere too, or that the user stood behind by
    hand, stays, but no longer says where it came from. What the person asked for in it to be forgotten stays forgotten.
    """
    user_id, session_id = scope.user_id, storable_id(scope.session_id)
    exchanges = await _ids(connection, "exchanges_of_session", user_id, session_id)
    messages = await _ids(connection, "messages_of_session", user_id, session_id)
    changing = Changing(connection, user_id, Actor.ADMIN, at)
    told = await _detach_what_stays(changing, session_id, exchanges, messages)
    await _undo_what_it_taught(changing, exchanges, told)
    for memory_id in told | await _detach_what_stays(changing, session_id, exchanges, messages):
        if (memory := await changing.linked(memory_id)) is not None:  # it was not undone
            await changing.unlink(memory)
    await hide_messages(changing, Reason.DELETED, messages, items=list(told))
    counts = await _delete_log(connection, user_id, session_id, messages)
    vectors = await _ids(connection, "erase_vectors_of_session", user_id, session_id, messages, list(told))
    held = await _ids(connection, "erase_quarantine_of_session", user_id, session_id, messages)
    counts |= {"vectors": len(vectors), "quarantine": len(held)}
    counts["memory_updates"] = await _redact(changing, session_id, exchanges, [*vectors, *held])
    erasure = Erasure(id=uuid7(), at=at, rows=tuple(counts.items()))
    await connection.execute(SQL["insert_erasure"], erasure.id, at, json.dumps(counts))
    return erasure


async def _detach_what_stays(
    changing: Changing, session_id: str, exchanges: Sequence[UUID], messages: Sequence[UUID]
) -> set[UUID]:
    """Let memories that are known otherwise, too, forget the chat; return those that only the chat told."""
    told = set()
    rows = await changing.connection.fetch(
        SQL["memories_of_session"], changing.user_id, session_id, messages, exchanges
    )
    for row in rows:
        memory = not_resting_on(await changing.seen(row["id"]), messages)
        inherited = messages_of(json.loads(row["added"] or "{}"))
        left = memory.provenance.message_ids
        if row["by_hand"] or set(left) - set(inherited):
            await changing.connection.execute(
                SQL["detach_from_session"], changing.user_id, memory.id, left, session_id
            )
        else:
            told.add(memory.id)
    return told


async def _undo_what_it_taught(changing: Changing, exchanges: Sequence[UUID], told: Collection[UUID]) -> None:
    """Undo what can be, the newest first: what was added only if it goes, what else was changed in any case."""
    rows = await changing.connection.fetch(SQL["updates_of_exchanges"], changing.user_id, exchanges)
    for update in map(update_of, rows):
        stays = update.action in {Action.ADD, Action.REPLACE} and update.memory_id not in told
        if stays or is_wish_to_forget(update):
            continue
        try:
            await undo(changing, update, Reason.DELETED)
        except (NotUndoableError, DuplicateMemoryError):
            continue


async def _delete_log(
    connection: Connection, user_id: str, session_id: str, messages: Sequence[UUID]
) -> dict[str, int]:
    rows = await connection.fetch(SQL["chunks_of_messages"], user_id, messages)
    await purge_postings(connection, user_id, [row["document"] for row in rows])
    chunks = await connection.execute(SQL["erase_chunks_of_messages"], user_id, messages)
    counts = {"message_chunks": _affected(chunks)}
    for table in ("exchanges", "injections", "request_metrics", "messages"):
        deleted = await connection.execute(SQL[f"erase_{table}_of_session"], user_id, session_id)
        counts[table] = _affected(deleted)
    counts["sessions"] = _affected(await connection.execute(SQL["erase_session"], user_id, session_id))
    return counts


async def _redact(
    changing: Changing, session_id: str, exchanges: Sequence[UUID], memories: Sequence[UUID]
) -> int:
    """Let the audit tell of none of these; return how many rows are gone."""
    connection, user_id = changing.connection, changing.user_id
    rows = await connection.fetch(SQL["updates_of_session"], user_id, session_id, exchanges, memories)
    lost = redacted(
        map(update_of, rows), session_id=session_id, exchanges=set(exchanges), memories=set(memories)
    )
    await connection.execute(SQL["delete_updates"], user_id, list(lost.deleted))
    await connection.executemany(
        SQL["rewrite_update"],
        [
            (
                user_id,
                row.id,
                row.action,
                row.memory_id,
                row.replaced_id,
                row.before,
                row.after,
                row.session_id,
                row.exchange_id,
                json.dumps(row.details),
            )
            for row in lost.written
        ],
    )
    return len(lost.deleted)


async def _ids(connection: Connection, query: str, *arguments: object) -> list[UUID]:
    return [row["id"] for row in await connection.fetch(SQL[query], *arguments)]


def _affected(status: str) -> int:
    return int(status.rpartition(" ")[2])
