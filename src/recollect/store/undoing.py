"""Undoes changes by their rows of the audit. Never: decides what is undone; opens or ends the transaction."""

from uuid import UUID

from recollect.audit import as_before, as_linked_before, messages_of, not_resting_on
from recollect.errors import DuplicateMemoryError, NotUndoableError, UpdateNotFoundError
from recollect.model import Action, Memory, Reason, Update
from recollect.store.changing import Changing
from recollect.store.rows import update_of
from recollect.store.sql import SQL
from recollect.text.normalization import content_hash


async def undo_by_id(changing: Changing, update_id: UUID) -> Update:
    """Undo one change of the user's audit, as ``Memories.undo`` says.

    Raises:
        UpdateNotFoundError: The user has no such row.
        NotUndoableError: It was undone already, changed nothing, or what it left was changed since.
        DuplicateMemoryError: The user has the old content by another memory now.
    """
    row = await changing.connection.fetchrow(SQL["update_to_undo"], changing.user_id, update_id)
    if row is None:
        raise UpdateNotFoundError
    update = update_of(row)
    if row["undone"] or update.undoes is not None:
        raise NotUndoableError
    return await undo(changing, update, Reason.UNDONE)


async def undo(changing: Changing, update: Update, reason: Reason) -> Update:
    """Undo a change that nobody undid, and return the row that says so. What can't be undone is left as it is.

    Raises:
        NotUndoableError: It changed nothing, or what it left was changed since.
        DuplicateMemoryError: The user has the old content by another memory now.
    """
    match update.action:
        case Action.ADD:
            memory = await _still_linked(changing, update.memory_id)
            return await changing.retire(memory, reason, undoes=update.id)
        case Action.REPLACE:
            return await _undo_replacement(changing, update, reason)
        case Action.RETIRE:
            return await _undo_retirement(changing, update, reason)
        case Action.REINFORCE | Action.MARK | Action.EDIT:
            return await _write_as_before(changing, update, reason)
        case _:
            raise NotUndoableError


async def _undo_replacement(changing: Changing, update: Update, reason: Reason) -> Update:
    new = await _still_linked(changing, update.memory_id)
    old = await _still_unlinked(changing, update.replaced_id)
    await _expect_no_other(changing, old, new.id)
    await changing.unlink(new)
    await changing.relink(as_linked_before(old, update.details))
    await _forget_note_of_change(changing, old, update)
    return await changing.audit(
        Action.RESTORE,
        reason,
        old.id,
        replaced_id=new.id,
        before=new.content,
        after=old.content,
        undoes=update.id,
    )


async def _undo_retirement(changing: Changing, update: Update, reason: Reason) -> Update:
    if "says_what_is_hidden" in update.details:
        raise NotUndoableError
    old = await _still_unlinked(changing, update.memory_id)
    await _expect_no_other(changing, old)
    await changing.relink(as_linked_before(old, update.details))
    if update.reason is Reason.INSTRUCTION:  # who brings it back approves of it
        await changing.connection.execute(
            SQL["release_with_content"], changing.user_id, content_hash(old.content)
        )
    if "heir" in update.details:
        await _forget_note_of_change(changing, old, update)
        heir = await changing.linked(UUID(update.details["heir"]))
        if heir is not None:
            await changing.write(not_resting_on(heir, messages_of(update.details)))
    return await changing.audit(Action.RESTORE, reason, old.id, after=old.content, undoes=update.id)


async def _write_as_before(changing: Changing, update: Update, reason: Reason) -> Update:
    now = await _still_linked(changing, update.memory_id)
    before = as_before(now, update)
    await _expect_no_other(changing, before, now.id)
    await changing.write(before)
    if before.content != now.content:
        await _forget_note_of_change(changing, before, update)
        await changing.forget_injections([now.id])
    return await changing.audit(
        Action.RESTORE, reason, now.id, before=now.content, after=before.content, undoes=update.id
    )


async def _still_linked(changing: Changing, memory_id: UUID) -> Memory:
    memory = await changing.linked(memory_id)
    if memory is None:
        raise NotUndoableError
    return memory


async def _still_unlinked(changing: Changing, memory_id: UUID | None) -> Memory:
    memory = None if memory_id is None else await changing.unlinked(memory_id)
    if memory is None:
        raise NotUndoableError
    return memory


async def _expect_no_other(changing: Changing, memory: Memory, besides: UUID | None = None) -> None:
    if await changing.with_content(memory.content) not in {None, besides}:
        raise DuplicateMemoryError


async def _forget_note_of_change(changing: Changing, memory: Memory, update: Update) -> None:
    await changing.connection.execute(
        SQL["unnote_change"], changing.user_id, memory.provenance.message_ids, update.at
    )
