"""Erases chats, and memories with the texts that told them, for good. The caller decides which ones; a whole user is erased by `user_erasure`.

A chat's erasure leaves memories that other chats taught as well.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.audit_rows import Redaction, is_forget_command, redacted
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Change, Erase, Erasure, Ignore, Reason, Scope
from recollect.store.jobs import enqueue
from recollect.store.log_index import delete_chunks, unindex
from recollect.store.memories.transaction import Transaction, hide_messages, with_a_word_of
from recollect.store.memories.undo import undo
from recollect.store.pool import Connection, affected, column
from recollect.store.row_mapping import update_of
from recollect.store.sql import SQL, of_table
from recollect.store.turn_writing import mark_of
from recollect.store.users.user_erasure import erase_kept_answers, leave_tombstone
from recollect.text.normalization import storable_id


async def erase_session(
    connection: Connection, scope: Scope, *, at: datetime, leaves_out: bool = False
) -> Erasure:
    """Delete every row of a chat as ``Memories.erase_session`` does, in the connection's transaction under the user's lock."""
    user_id, session_id = scope.user_id, storable_id(scope.session_id)
    exchanges = await column(connection, SQL["exchanges_of_session"], user_id, session_id)
    messages = await column(connection, SQL["messages_of_session"], user_id, session_id)
    transaction = Transaction(connection, user_id, Actor.ADMIN, at)
    rows = await connection.fetch(SQL["memories_of_session"], user_id, session_id, messages, exchanges)
    of_chat = frozenset(messages)
    sorted_out = [await _sort_out(transaction, row, of_chat) for row in rows]
    await _detach(transaction, session_id, [each for each in sorted_out if each.stays])
    going = {each.id for each in sorted_out if not each.stays}
    await _take_back(transaction, exchanges, going)
    chunks = len(await delete_chunks(connection, user_id, messages))
    hidden = await hide_messages(transaction, Reason.DELETED, messages, items=list(going))
    going |= {*hidden.summaries}
    counts = {"message_chunks": chunks, **await _delete_log(connection, user_id, session_id)}
    vectors = await column(connection, SQL["erase_memories"], user_id, list(going))
    await connection.execute(SQL["erase_not_helpful_of"], user_id, vectors, [])
    held = await column(connection, SQL["erase_quarantine_of_session"], user_id, session_id, messages)
    counts |= {"vectors": len(vectors), "quarantine": len(held)}
    await erase_kept_answers(connection, user_id)
    rewritten = {each.id: each.content for each in sorted_out if each.is_rewritten}
    gone = {*vectors, *held}
    counts["memory_updates"] = await _redact(transaction, session_id, gone, rewritten)
    if vectors:
        ids = sorted(map(str, vectors))
        details = {"memories": len(ids), "exchanges": counts["exchanges"], "ids": ids}
        await transaction.audit(Action.ERASE, Reason.DELETED, vectors[0], details=details)
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


async def _sort_out(transaction: Transaction, row: Record, of_chat: frozenset[UUID]) -> _Memory:
    left = tuple(each for each in row["message_ids"] if each not in of_chat)
    taken_over = await transaction.only_taken_over(row["id"], row["inherited"]) if row["inherited"] else ()
    has_other_source = bool({*left} - {*taken_over})
    by_hand = row["by_hand"] and row["linked"]
    return _Memory(
        row["id"], row["content"], left, has_other_source or by_hand, by_hand and not has_other_source
    )


async def _detach(transaction: Transaction, session_id: str, staying: Iterable[_Memory]) -> None:
    """Let memories forget that they came from the chat."""
    await transaction.connection.executemany(
        SQL["detach_from_session"],
        [(transaction.user_id, memory.id, memory.left, session_id) for memory in staying],
    )


async def _take_back(transaction: Transaction, exchanges: Sequence[UUID], going: Collection[UUID]) -> None:
    """Undo the chat's changes of memories that stay, and hide the memories that it alone taught."""
    rows = await transaction.connection.fetch(SQL["updates_of_exchanges"], transaction.user_id, exchanges)
    updates = [update_of(row) for row in rows]
    replacing = {each.memory_id for each in updates if each.action is Action.REPLACE}
    await transaction.unlink_all([each for each in going if each not in replacing])
    for update in updates:  # the newest first
        is_added = update.action in {Action.ADD, Action.QUARANTINE}
        stays = update.action is Action.REPLACE and update.memory_id not in going
        if is_added or stays or is_forget_command(update):
            continue
        with suppress(NotUndoableError, DuplicateMemoryError):  # changed since: that change stands
            await undo(transaction, update, Reason.DELETED)
    await transaction.unlink_all(list(going))


async def _delete_log(connection: Connection, user_id: str, session_id: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for table in ("exchanges", "injections", "chat_requests", "not_helpful", "request_metrics", "messages"):
        erasing = of_table("erase_rows_of_session", table)
        counts[table] = await affected(connection, erasing, user_id, session_id)
    await connection.execute(SQL["erase_told_with_session"], user_id, session_id)
    counts["sessions"] = await affected(connection, SQL["erase_session"], user_id, session_id)
    return counts


async def _redact(
    transaction: Transaction,
    session_id: str,
    memories: set[UUID],
    rewritten: Mapping[UUID, str],
) -> int:
    """Remove these from the audit; return how many rows are gone."""
    named = list(memories | rewritten.keys())
    rows = await transaction.connection.fetch(
        SQL["updates_of_session"], transaction.user_id, session_id, named
    )
    updates = [update_of(row) for row in rows]
    of_chat = {each.id for each in updates if each.session_id == session_id}
    lost = redacted(updates, of_chat=of_chat, memories=memories, rewritten=rewritten)
    await write_redaction(transaction, lost)
    return len(lost.deleted)


async def write_redaction(transaction: Transaction, lost: Redaction) -> None:
    """Write the rest of the user's audit."""
    connection, user_id = transaction.connection, transaction.user_id
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


async def erase_told(transaction: Transaction, change: Erase) -> Change:
    """Delete memories of the user's own as ``Erase`` says, in the connection's transaction under the user's lock.

    Everything that forgetting would hide is deleted: replaced memories, the exchanges that taught them, answers and
    summaries that repeat them. The exchanges stay known by their keys, so that the same request sent again writes no
    text. Other memories of these exchanges stay, without their quotes.
    """
    connection, user_id = transaction.connection, transaction.user_id
    rows = await connection.fetch(SQL["line_of_memories"], user_id, change.memories)
    memories = {row["id"] for row in rows}
    told_in = [*dict.fromkeys([*change.messages, *(each for row in rows for each in row["message_ids"])])]
    if not (memories or told_in):
        return Ignore(Reason.DELETED)
    await transaction.forget_past(list(memories))
    await transaction.unlink_all(list(memories))
    await _erase_outside_the_log(transaction, told_in, list(memories))
    hidden = await hide_messages(transaction, change.reason, told_in, items=list(memories))
    copies = await column(connection, SQL["copies_of_messages"], user_id, hidden.messages)
    await transaction.unlink_all(copies)
    memories |= {*copies, *hidden.summaries}
    await unindex(
        connection, user_id, await column(connection, SQL["beside_messages"], user_id, hidden.messages)
    )
    await delete_chunks(connection, user_id, hidden.messages)
    await connection.fetch(SQL["erase_memories"], user_id, list(memories))
    await connection.execute(
        SQL["erase_not_helpful_of"], user_id, list(memories), [*told_in, *hidden.messages]
    )
    held = await column(connection, SQL["erase_quarantine_of_messages"], user_id, hidden.messages)
    await connection.execute(SQL["detach_from_messages"], user_id, hidden.messages)
    await connection.execute(SQL["erase_texts"], user_id, hidden.messages)
    await connection.execute(SQL["erase_texts_of_exchanges"], user_id, told_in, transaction.at)
    await erase_kept_answers(connection, user_id)
    await _redact_memories(transaction, {*memories, *held})
    await enqueue(connection, [user_id])  # the neighbours are to be indexed again
    named = [each for each in change.memories if each in memories]
    await transaction.audit(
        Action.ERASE,
        change.reason,
        (named or told_in)[0],
        details={"memories": len(named), "exchanges": len(told_in), "ids": sorted(map(str, memories))},
    )
    return change


async def _erase_outside_the_log(transaction: Transaction, told_in: list[UUID], memories: list[UUID]) -> None:
    """Delete the answers that exchanges keep outside of messages, if they have a word of these memories."""
    connection, user_id = transaction.connection, transaction.user_id
    kept = await connection.fetch(SQL["answers_outside_the_log"], user_id, told_in, memories)
    saying = await with_a_word_of(transaction, kept, memories)
    await connection.execute(SQL["erase_answers_outside_the_log"], user_id, saying)


async def _redact_memories(transaction: Transaction, memories: set[UUID]) -> None:
    """Remove these memories from the audit."""
    rows = await transaction.connection.fetch(
        SQL["updates_of_session"], transaction.user_id, None, list(memories)
    )
    await write_redaction(transaction, redacted(map(update_of, rows), memories=memories))
