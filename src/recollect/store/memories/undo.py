"""Undoes changes by their rows of the audit. The caller decides which ones, and opens and ends the transaction."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

from recollect.audit_rows import (
    as_before,
    as_linked_before,
    messages_of,
    not_resting_on,
    opening_details,
    resting_on,
    without_labels,
)
from recollect.errors import ChangeNotFoundError, DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Ending, Memory, Past, Reason, Update
from recollect.store.memories.transaction import Transaction
from recollect.store.row_mapping import update_of
from recollect.store.sql import SQL
from recollect.text.denials import denied_words
from recollect.text.normalization import content_hash

_OPENING = frozenset({Reason.CORRECTED, Reason.EDITED})
"""The reasons of changes that may open a done to-do again."""


async def undo_by_id(transaction: Transaction, update_id: UUID) -> Update:
    """Undo one change of the user's audit, as ``Memories.undo`` says."""
    row = await transaction.connection.fetchrow(SQL["update_to_undo"], transaction.user_id, update_id)
    if row is None:
        raise ChangeNotFoundError
    update = update_of(row)
    if row["undone"] or update.undoes is not None:
        raise NotUndoableError
    return await undo(transaction, update, Reason.UNDONE)


async def undo(transaction: Transaction, update: Update, reason: Reason) -> Update:
    """Undo a change that was not undone yet, and return the audit row of that; to-dos that it opened again are done again.

    Raises:
        NotUndoableError: It changed nothing, or its result was changed since.
        DuplicateMemoryError: The user has the old content by another memory now.
    """
    undone = await _undo(transaction, update, reason)
    if update.reason not in _OPENING:
        return undone
    for row in await transaction.connection.fetch(SQL["todos_opened_by"], transaction.user_id, update.id):
        with suppress(NotUndoableError):  # changed since: it stays open
            await _end_again(transaction, update_of(row), reason)
    return undone


async def _undo(transaction: Transaction, update: Update, reason: Reason) -> Update:
    match update.action:
        case Action.ADD:
            memory = await _still_linked(transaction, update.memory_id)
            return await transaction.retire(memory, reason, undoes=update.id)
        case Action.REPLACE:
            return await _undo_replacement(transaction, update, reason)
        case Action.RETIRE:
            return await _undo_retirement(transaction, update, reason)
        case Action.REINFORCE | Action.MARK | Action.EDIT:
            return await _write_as_before(transaction, update, reason)
        case Action.QUARANTINE:
            return await _drop_waiting(transaction, update, reason)
        case _:
            raise NotUndoableError


async def reopen_todos(
    transaction: Transaction, told: Memory, content: str, change_id: UUID | None = None
) -> None:
    """Reopen the to-dos that the statement ``told`` ended, if its replacement ``content`` denies it, or it denies the replacement.

    Undoing the change ``change_id`` ends them again.
    """
    if not denied_words(content, told.content):
        return
    for row in await transaction.connection.fetch(SQL["ends_of_todos"], transaction.user_id, told.id):
        with suppress(NotUndoableError, DuplicateMemoryError):  # changed since: it stays done
            await _reopen(transaction, update_of(row), change_id)


async def _reopen(transaction: Transaction, end: Update, change_id: UUID | None) -> None:
    is_retired = end.action is Action.RETIRE
    todo = await _still_unlinked(transaction, end.memory_id if is_retired else end.replaced_id, end)
    details = {} if change_id is None else opening_details(todo, end, change_id)
    if is_retired:
        await _undo_retirement(transaction, end, Reason.CONTRADICTS, details)
        return
    await _expect_no_other(transaction, todo)  # a replacement of the to-do stays
    await transaction.relink(as_linked_before(todo, end.details))
    await _forget_note_of_change(transaction, todo, end)
    await transaction.audit(Action.RESTORE, Reason.CONTRADICTS, todo.id, after=todo.content, details=details)


async def _end_again(transaction: Transaction, opened: Update, reason: Reason) -> None:
    """Let a to-do that was opened again be done as before; not if it was changed since, or its heir is gone."""
    end = opened.details["end"]
    todo = await _still_linked(transaction, opened.memory_id)
    heir = await _still_linked(transaction, UUID(end["heir"]))
    if todo.content != opened.after:
        raise NotUndoableError
    if reason is Reason.DELETED:  # as if the erased chat had never opened it
        transaction = replace(transaction, at=datetime.fromisoformat(end["at"]))
    details = {name: end[name] for name in ("heir", "messages", "tags", "metadata") if name in end}
    heir = heir.with_labels_of(todo) if "tags" in end else heir
    await transaction.overwrite(resting_on(heir, messages_of(end)))
    await transaction.note_change(todo)
    past = Past(datetime.fromisoformat(end["until"]), Ending.DONE, heir.id)
    await transaction.retire(todo, Reason(end["reason"]), past=past, undoes=opened.id, details=details)


async def _undo_replacement(transaction: Transaction, update: Update, reason: Reason) -> Update:
    new = await _still_linked(transaction, update.memory_id)
    old = await _still_unlinked(transaction, update.replaced_id, update)
    await _expect_no_other(transaction, old, new.id)
    await transaction.unlink(new)
    await transaction.relink(as_linked_before(old, update.details))
    await _forget_note_of_change(transaction, old, update)
    return await transaction.audit(
        Action.RESTORE,
        reason,
        old.id,
        replaced_id=new.id,
        before=new.content,
        after=old.content,
        undoes=update.id,
    )


async def _undo_retirement(
    transaction: Transaction,
    update: Update,
    reason: Reason,
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Update:
    # A summary of hidden words stays away, and so does a forgotten past.
    if not {"says_what_is_hidden", "was_past"}.isdisjoint(update.details):
        raise NotUndoableError
    old = await _still_unlinked(transaction, update.memory_id, update)
    await _expect_no_other(transaction, old)
    back = as_linked_before(old, update.details)
    if update.reason is Reason.EXPIRED:
        days = update.details.get("days")  # it gets its time once more, and a day of its own never again
        back = replace(back, expires_at=None if days is None else transaction.at + timedelta(days=days))
    await transaction.relink(back)
    if update.reason is Reason.INSTRUCTION:  # bringing it back approves it
        await transaction.connection.execute(
            SQL["release_with_content"], transaction.user_id, content_hash(old.content)
        )
    if "heir" in update.details:
        await _forget_note_of_change(transaction, old, update)
        heir = await transaction.linked(UUID(update.details["heir"]))
        if heir is not None:
            heir = without_labels(heir, update.details)
            taken_over = await transaction.only_taken_over(heir.id, messages_of(update.details))
            await transaction.overwrite(not_resting_on(heir, taken_over))
    return await transaction.audit(
        Action.RESTORE, reason, old.id, after=old.content, undoes=update.id, details=details
    )


async def _write_as_before(transaction: Transaction, update: Update, reason: Reason) -> Update:
    now = await _still_linked(transaction, update.memory_id)
    before = as_before(now, update)
    await _expect_no_other(transaction, before, now.id)
    await transaction.overwrite(before)
    if before.content != now.content:
        await _forget_note_of_change(transaction, before, update)
        await transaction.forget_injections([now.id])
        await reopen_todos(transaction, now, before.content)
    return await transaction.audit(
        Action.RESTORE, reason, now.id, before=now.content, after=before.content, undoes=update.id
    )


async def _drop_waiting(transaction: Transaction, update: Update, reason: Reason) -> Update:
    if await transaction.drop_waiting(update.memory_id) is None:
        raise NotUndoableError
    return await transaction.audit(Action.REFUSE, reason, update.memory_id, undoes=update.id)


async def _still_linked(transaction: Transaction, memory_id: UUID) -> Memory:
    memory = await transaction.linked(memory_id)
    if memory is None:
        raise NotUndoableError
    return memory


async def _still_unlinked(transaction: Transaction, memory_id: UUID | None, update: Update) -> Memory:
    """Return the memory that a change hid, unless it was forgotten since, also as a past one or with its replacement."""
    memory = None if memory_id is None else await transaction.unlinked(memory_id)
    if memory is None:
        raise NotUndoableError
    asked = (transaction.user_id, memory.id, update.id)
    if await transaction.connection.fetchval(SQL["is_unwanted"], *asked):
        raise NotUndoableError
    return memory


async def _expect_no_other(transaction: Transaction, memory: Memory, besides: UUID | None = None) -> None:
    if await transaction.with_content(memory.content) not in {None, besides}:
        raise DuplicateMemoryError


async def _forget_note_of_change(transaction: Transaction, memory: Memory, update: Update) -> None:
    await transaction.connection.execute(
        SQL["unnote_change"], transaction.user_id, memory.provenance.message_ids, update.at
    )
