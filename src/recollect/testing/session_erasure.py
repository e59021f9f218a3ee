"""Deletes all that is kept of one chat of a user, in memory. Never: touches what other chats told, too."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.audit import messages_of, not_resting_on
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Memory, Reason
from recollect.redaction import is_by_hand, is_wish_to_forget, redacted
from recollect.testing.belongings import Author, Logged, Possessions
from recollect.testing.hiding import hide_messages
from recollect.testing.undoing import is_undone, undo

_ADDED = {Action.ADD, Action.REPLACE}


def erase_session(user: Possessions, session_id: str, at: datetime) -> dict[str, int]:
    """Delete a chat and what only it taught, as ``MemoryStore.erase_session`` says; return how much of what."""
    by = Author(Actor.ADMIN, at)
    logged = [each for each in user.log if each.exchange.turn.scope.session_id == session_id]
    exchanges = {each.exchange.id for each in logged}
    messages = {known for each in logged for known in _messages(each)}
    told = _detach_what_stays(user, session_id, exchanges, messages)
    _undo_what_it_taught(user, by, exchanges, told)
    for memory_id in (
        told | _detach_what_stays(user, session_id, exchanges, messages)
    ) & user.memories.keys():
        user.unlink(memory_id)
    hide_messages(user, by, Reason.DELETED, messages, told)
    _delete_log(user, session_id, messages)
    gone = _delete_memories(user, session_id, messages, told)
    lost = redacted(user.updates, session_id=session_id, exchanges=exchanges, memories=gone)
    written = {each.id: each for each in lost.written}
    user.updates = [written.get(each.id, each) for each in user.updates if each.id not in lost.deleted]
    return {"memories": len(gone), "updates": len(lost.deleted), "exchanges": len(logged)}


def _messages(logged: Logged) -> set[UUID]:
    return {logged.exchange.message_id, logged.exchange.reply_id, *logged.alternates}


def _detach_what_stays(
    user: Possessions, session_id: str, exchanges: set[UUID], messages: set[UUID]
) -> set[UUID]:
    """Let memories that are known otherwise, too, forget the chat; return those that only the chat told."""
    told = set()
    for memory in [*user.memories.values()]:
        came = memory.provenance
        is_of_chat = came.session_id == session_id or messages & set(came.message_ids)
        if memory.owner != user.user_id or not is_of_chat:
            continue
        left = not_resting_on(memory, messages)
        rows = [each for each in user.updates if each.memory_id == memory.id]
        added = [each for each in rows if each.action in _ADDED and each.exchange_id in exchanges]
        inherited = messages_of(added[0].details) if added else ()
        if any(map(is_by_hand, rows)) or set(left.provenance.message_ids) - set(inherited):
            user.memories[memory.id] = _detached(left, session_id)
        else:
            told.add(memory.id)
    return told


def _detached(memory: Memory, session_id: str) -> Memory:
    if memory.provenance.session_id != session_id:
        return memory
    return replace(memory, provenance=replace(memory.provenance, session_id=None, evidence=None))


def _undo_what_it_taught(user: Possessions, by: Author, exchanges: set[UUID], told: set[UUID]) -> None:
    taught = [each for each in reversed(user.updates) if each.exchange_id in exchanges and not each.undoes]
    for update in taught:
        stays = update.action in _ADDED and update.memory_id not in told
        if stays or is_wish_to_forget(update) or is_undone(user, update):
            continue
        try:
            undo(user, by, update, Reason.DELETED)
        except (NotUndoableError, DuplicateMemoryError):
            continue


def _delete_log(user: Possessions, session_id: str, messages: set[UUID]) -> None:
    index = user.index
    index.chunks = {number: each for number, each in index.chunks.items() if each.said.id not in messages}
    index.indexed -= messages
    index.hidden -= messages
    for known in messages:
        index.statements.pop(known, None)
        index.changed.pop(known, None)
    user.log = [each for each in user.log if each.exchange.turn.scope.session_id != session_id]
    user.injections.pop(session_id, None)
    user.detached = {each for each in user.detached if each[0] != session_id}
    user.summarized.pop(session_id, None)
    user.requests = {
        known: each for known, each in user.requests.items() if each.scope.session_id != session_id
    }


def _delete_memories(user: Possessions, session_id: str, messages: set[UUID], told: set[UUID]) -> set[UUID]:
    """Delete what only the chat told and the user sees no longer, and what is held back of it; return which."""
    gone = {
        known
        for known, each in user.gone.items()
        if known not in user.memories and (known in told or _is_of(each, session_id, messages))
    }
    user.gone = {known: each for known, each in user.gone.items() if known not in gone}
    held = {hashed: each for hashed, each in user.quarantine.items() if each is not None}
    for hashed, each in held.items():
        if _is_of(each.memory, session_id, messages):
            del user.quarantine[hashed]
            gone.add(each.memory.id)
    return gone


def _is_of(memory: Memory, session_id: str, messages: set[UUID]) -> bool:
    rests_on = set(memory.provenance.message_ids)
    return memory.provenance.session_id == session_id or (bool(rests_on) and rests_on <= messages)
