"""Deletes all data of one chat of a user. Never: decides which chat; touches memories that other chats taught as well."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.audit import messages_of
from recollect.audit_redaction import Redaction, is_forget_command, redacted
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Erasure, Reason, Scope
from recollect.store.changing import Changing
from recollect.store.erasure import leave_tombstone
from recollect.store.hiding import hide_messages
from recollect.store.log_index import delete_chunks
from recollect.store.marking import mark_of
from recollect.store.pool import Connection
from recollect.store.rows import update_of
from recollect.store.sql import SQL
from recollect.store.undoing import undo
from recollect.text.normalization import storable_id


async def erase_session(
    connection: Connection, scope: Scope, *, at: datetime, leaves_out: bool = False
) -> Erasure:
    """Delete every row of a chat, in the connection's transaction under the user's lock, and leave a tombstone.

    Its changes are undone as far as possible. A memory stays that another chat taught too, or that the user confirmed
    by hand, but without its origin. Memories that the person asked to forget there stay forgotten. With ``leaves_out`` the chat is
    not recorded from now on either.
    """
    user_id, session_id = scope.user_id, storable_id(scope.session_id)
    exchanges = await _ids(connection, "exchanges_of_session", user_id, session_id)
    messages = await _ids(connection, "messages_of_session", user_id, session_id)
    changing = Changing(connection, user_id, Actor.ADMIN, at)
    rows = await connection.fetch(SQL["memories_of_session"], user_id, session_id, messages, exchanges)
    of_chat = frozenset(messages)
    sorted_out = [_sort_out(row, of_chat) for row in rows]
    await _detach(changing, session_id, [each for each in sorted_out if each.stays])
    told = {each.id for each in sorted_out if not each.stays}
    await _take_back(changing, exchanges, told)
    chunks = await delete_index(connection, user_id, messages)
    hidden = await hide_messages(changing, Reason.DELETED, messages, items=list(told))
    told |= {*hidden.summaries}
    counts = {"message_chunks": chunks, **await _delete_log(connection, user_id, session_id)}
    vectors = await _ids(connection, "erase_memories", user_id, list(told))
    held = await _ids(connection, "erase_quarantine_of_session", user_id, session_id, messages)
    counts |= {"vectors": len(vectors), "quarantine": len(held)}
    await connection.execute(SQL["erase_kept_answers"], user_id)  # one may quote the chat
    rewritten = {each.id: each.content for each in sorted_out if each.is_rewritten}
    gone = {*vectors, *held}
    counts["memory_updates"] = await _redact(changing, session_id, {*exchanges}, gone, rewritten)
    erasure = await leave_tombstone(connection, mark_of(scope), counts, at)
    if leaves_out:
        await connection.execute(SQL["leave_chat_out"], user_id, session_id, at)
    return erasure


class _Memory(NamedTuple):
    """A memory that came from the chat or rests on it.

    Attributes:
        left: The messages of other chats that it rests on, with those of memories that it replaced.
        stays: Whether another chat or the user vouches for it, too.
        is_rewritten: Whether it stays only because a person confirmed it by hand.
    """

    id: UUID
    content: str
    left: tuple[UUID, ...]
    stays: bool
    is_rewritten: bool


def _sort_out(row: Record, of_chat: frozenset[UUID]) -> _Memory:
    left = tuple(each for each in row["message_ids"] if each not in of_chat)
    is_told_elsewhere = bool({*left} - {*messages_of(json.loads(row["added"] or "{}"))})
    by_hand = row["by_hand"] and row["linked"]
    return _Memory(
        row["id"], row["content"], left, is_told_elsewhere or by_hand, by_hand and not is_told_elsewhere
    )


async def _detach(changing: Changing, session_id: str, staying: Iterable[_Memory]) -> None:
    """Let memories forget that they came from the chat."""
    await changing.connection.executemany(
        SQL["detach_from_session"],
        [(changing.user_id, memory.id, memory.left, session_id) for memory in staying],
    )


async def _take_back(changing: Changing, exchanges: Sequence[UUID], told: Collection[UUID]) -> None:
    """Undo the chat's changes of memories that stay, and hide the memories that it alone taught."""
    rows = await changing.connection.fetch(SQL["updates_of_exchanges"], changing.user_id, exchanges)
    updates = [update_of(row) for row in rows]
    replacing = {each.memory_id for each in updates if each.action is Action.REPLACE}
    await unlink_all(changing, [each for each in told if each not in replacing])
    for update in updates:  # the newest first
        is_added = update.action is Action.ADD
        stays = update.action is Action.REPLACE and update.memory_id not in told
        if is_added or stays or is_forget_command(update):
            continue
        with suppress(NotUndoableError, DuplicateMemoryError):
            await undo(changing, update, Reason.DELETED)
    await unlink_all(changing, list(told))


async def unlink_all(changing: Changing, memories: Sequence[UUID]) -> None:
    """Let the user see memories no longer, all at once."""
    await changing.connection.execute(SQL["unlink_memories"], changing.user_id, memories)


async def delete_index(connection: Connection, user_id: str, messages: Sequence[UUID]) -> int:
    """Remove all traces of messages from the user's index; return how many chunks went."""
    return len(await delete_chunks(connection, user_id, messages))


async def _delete_log(connection: Connection, user_id: str, session_id: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in ("exchanges", "injections", "chat_requests", "request_metrics", "messages"):
        deleted = await connection.execute(SQL[f"erase_{table}_of_session"], user_id, session_id)
        counts[table] = _affected(deleted)
    counts["sessions"] = _affected(await connection.execute(SQL["erase_session"], user_id, session_id))
    return counts


async def _redact(
    changing: Changing,
    session_id: str,
    exchanges: set[UUID],
    memories: set[UUID],
    rewritten: Mapping[UUID, str],
) -> int:
    """Remove these from the audit; return how many rows are gone."""
    named = list(memories | rewritten.keys())
    rows = await changing.connection.fetch(
        SQL["updates_of_session"], changing.user_id, session_id, list(exchanges), named
    )
    updates = [update_of(row) for row in rows]
    of_chat = {each.id for each in updates if each.session_id == session_id or each.exchange_id in exchanges}
    lost = redacted(updates, of_chat=of_chat, memories=memories, rewritten=rewritten)
    await write_redaction(changing, lost)
    return len(lost.deleted)


async def write_redaction(changing: Changing, lost: Redaction) -> None:
    """Write the rest of the user's audit."""
    connection, user_id = changing.connection, changing.user_id
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


async def _ids(connection: Connection, query: str, *arguments: object) -> list[UUID]:
    return [row["id"] for row in await connection.fetch(SQL[query], *arguments)]


def _affected(status: str) -> int:
    return int(status.rpartition(" ")[2])
