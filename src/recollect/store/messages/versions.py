"""Undoes the changes by other versions of a message when a person edits it. Never: forms the new version."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from asyncpg import Record

from recollect.audit import messages_of
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Reason, Scope, Update
from recollect.store.memories.transaction import Transaction, hide_messages
from recollect.store.memories.undo import undo
from recollect.store.pool import Connection
from recollect.store.rows import update_of
from recollect.store.sql import SQL
from recollect.text.normalization import storable_id


class Version(NamedTuple):
    """A turn that may be another version of an earlier one, as the log has it.

    Attributes:
        scope: In which chat.
        key: Its key.
        parent: The message before it.
        anchor: By which its message is known again.
        at: When it was said.
    """

    scope: Scope
    key: str
    parent: str
    anchor: str
    at: datetime


async def abandon_other_versions(connection: Connection, version: Version) -> bool:
    """Abandon the other turns of the chat with the same parent, and everything that was said in it after the first.

    Their changes are undone as far as possible, and their messages are hidden. Nothing that was said later
    than the turn is abandoned: an answer may take so long that its turn is logged after the one that replaced it.
    The turn is not in the log yet, or is open. Return whether it is itself to be abandoned: a later version is in the log already.
    """
    (user_id, session_id), anchor = (version.scope.user_id, version.scope.session_id), version.anchor
    which = (user_id, session_id, version.parent, version.key, version.at)
    later = await connection.fetch(SQL["later_versions"], *which)
    if later:
        unused = {anchor} - {row["anchor"] for row in later}
        await connection.execute(SQL["delete_injections_of_anchors"], user_id, session_id, list(unused))
        return True
    exchanges = await connection.fetch(SQL["abandon_exchanges"], *which)
    if exchanges:
        await _abandon(
            Transaction(connection, user_id, Actor.FORMATION, version.at, session_id), exchanges, anchor
        )
    return False


async def abandon_turn(connection: Connection, scope: Scope, key: str, at: datetime) -> None:
    """Abandon one turn of a chat, by its key, if it was formed and taught nothing; in a transaction under the user's lock."""
    user_id, session_id = scope.user_id, storable_id(scope.session_id)
    exchanges = await connection.fetch(SQL["abandon_exchange"], user_id, session_id, key)
    if exchanges:
        await _abandon(Transaction(connection, user_id, Actor.FORMATION, at, session_id), exchanges, "")


async def _abandon(transaction: Transaction, exchanges: Sequence[Record], anchor: str) -> None:
    """Undo the changes of exchanges and hide their messages; blocks at a message with this anchor stay."""
    connection, user_id, session_id = transaction.connection, transaction.user_id, transaction.session_id
    messages = {row[name] for row in exchanges for name in ("message_id", "reply_id")}
    undone = await _undo_what_they_taught(transaction, [row["id"] for row in exchanges], messages)
    await hide_messages(transaction, Reason.ABANDONED, list(messages), items=undone)
    await connection.execute(SQL["abandon_quarantined"], user_id, list(messages))
    anchors = {row["anchor"] for row in exchanges} - {anchor}
    await connection.execute(SQL["delete_injections_of_anchors"], user_id, session_id, list(anchors))


async def _undo_what_they_taught(
    transaction: Transaction, exchanges: Collection[UUID], messages: Collection[UUID]
) -> list[UUID]:
    """Undo as many as possible, the newest first; return the removed memories."""
    rows = await transaction.connection.fetch(SQL["updates_of_exchanges"], transaction.user_id, exchanges)
    undone: list[UUID] = []
    for update in map(update_of, rows):
        # ``abandon_quarantined`` decides on what was held back: it may have been said elsewhere, too.
        if update.action is Action.QUARANTINE or await _is_known_otherwise(transaction, update, messages):
            continue
        try:
            await undo(transaction, update, Reason.ABANDONED)
        except (NotUndoableError, DuplicateMemoryError):
            continue
        if update.action in {Action.ADD, Action.REPLACE}:
            undone.append(update.memory_id)
    return undone


async def _is_known_otherwise(transaction: Transaction, update: Update, messages: Collection[UUID]) -> bool:
    """Return whether a memory was said again elsewhere since, or written over."""
    if update.action not in {Action.ADD, Action.REPLACE}:
        return False
    memory = await transaction.linked(update.memory_id)
    if memory is None:
        return False
    said_since = {*memory.provenance.message_ids} - {*messages, *messages_of(update.details)}
    return bool(said_since) or memory.content != update.after
