"""Undoes changes of one user by their audit, in memory. Never: decides what is undone."""

from uuid import UUID

from recollect.audit import as_before, as_linked_before, messages_of, not_resting_on
from recollect.errors import DuplicateMemoryError, NotUndoableError, UpdateNotFoundError
from recollect.model import Action, Memory, Reason, Update
from recollect.testing.belongings import Author, Possessions
from recollect.testing.hiding import of_their_exchanges


def undo_by_id(user: Possessions, by: Author, update_id: UUID) -> Update:
    """Undo one change, as ``MemoryStore.undo`` says."""
    update = next((each for each in user.updates if each.id == update_id), None)
    if update is None:
        raise UpdateNotFoundError
    if update.undoes is not None or is_undone(user, update):
        raise NotUndoableError
    return undo(user, by, update, Reason.UNDONE)


def is_undone(user: Possessions, update: Update) -> bool:
    """Return whether a row was undone by another."""
    return any(each.undoes == update.id for each in user.updates)


def undo(user: Possessions, by: Author, update: Update, reason: Reason) -> Update:
    """Undo a change that nobody undid, and return the row that says so."""
    match update.action:
        case Action.ADD:
            return user.retire(by, _linked(user, update.memory_id), reason, undoes=update.id)
        case Action.REPLACE:
            return _undo_replacement(user, by, update, reason)
        case Action.RETIRE:
            return _undo_retirement(user, by, update, reason)
        case Action.REINFORCE | Action.MARK | Action.EDIT:
            return _write_as_before(user, by, update, reason)
        case _:
            raise NotUndoableError


def _undo_replacement(user: Possessions, by: Author, update: Update, reason: Reason) -> Update:
    new, old = _linked(user, update.memory_id), _unlinked(user, update.replaced_id)
    _expect_no_other(user, old, new.id)
    user.unlink(new.id)
    _relink(user, old, update)
    _forget_note_of_change(user, old, update)
    return user.audit(
        by,
        Action.RESTORE,
        reason,
        old.id,
        replaced_id=new.id,
        before=new.content,
        after=old.content,
        undoes=update.id,
    )


def _undo_retirement(user: Possessions, by: Author, update: Update, reason: Reason) -> Update:
    if "says_what_is_hidden" in update.details:
        raise NotUndoableError
    old = _unlinked(user, update.memory_id)
    _expect_no_other(user, old)
    _relink(user, old, update)
    if "heir" in update.details:
        _forget_note_of_change(user, old, update)
        heir = user.memories.get(UUID(update.details["heir"]))
        if heir is not None and heir.owner == user.user_id:
            user.memories[heir.id] = not_resting_on(heir, messages_of(update.details))
    return user.audit(by, Action.RESTORE, reason, old.id, after=old.content, undoes=update.id)


def _write_as_before(user: Possessions, by: Author, update: Update, reason: Reason) -> Update:
    now = _linked(user, update.memory_id)
    before = as_before(now, update)
    _expect_no_other(user, before, now.id)
    user.memories[now.id] = before
    if before.content != now.content:
        _forget_note_of_change(user, before, update)
        user.forget_injections({now.id})
    return user.audit(
        by, Action.RESTORE, reason, now.id, before=now.content, after=before.content, undoes=update.id
    )


def _relink(user: Possessions, memory: Memory, update: Update) -> None:
    user.memories[memory.id] = as_linked_before(memory, update.details)


def _linked(user: Possessions, memory_id: UUID) -> Memory:
    memory = user.memories.get(memory_id)
    if memory is None:
        raise NotUndoableError
    return memory


def _unlinked(user: Possessions, memory_id: UUID | None) -> Memory:
    memory = user.unlinked(memory_id)
    if memory is None:
        raise NotUndoableError
    return memory


def _expect_no_other(user: Possessions, memory: Memory, besides: UUID | None = None) -> None:
    if user.with_content(memory.content) not in {None, besides}:
        raise DuplicateMemoryError


def _forget_note_of_change(user: Possessions, memory: Memory, update: Update) -> None:
    for each in of_their_exchanges(user, memory.provenance.message_ids):
        if user.index.changed.get(each) == update.at:
            del user.index.changed[each]
