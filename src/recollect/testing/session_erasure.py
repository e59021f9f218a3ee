"""Deletes all that is kept of one chat of a user, in memory. Never: touches what other chats told, too."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from recollect.audit import messages_of, not_resting_on
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Kind, Memory, Reason
from recollect.redaction import is_by_hand, is_wish_to_forget, redacted
from recollect.testing.belongings import Author, Logged, Possessions
from recollect.testing.hiding import hide_messages
from recollect.testing.undoing import is_undone, undo

_ADDED = {Action.ADD, Action.REPLACE}
_HIDDEN = "says_what_is_hidden"


def erase_session(user: Possessions, session_id: str, at: datetime) -> dict[str, int]:
    """Delete a chat and what only it taught, as ``MemoryStore.erase_session`` says; return how much of what."""
    by = Author(Actor.ADMIN, at)
    logged = [each for each in user.log if each.exchange.turn.scope.session_id == session_id]
    exchanges = {each.exchange.id for each in logged}
    messages = {known for each in logged for known in _messages(each)}
    told, rewritten = _sort_out(user, session_id, exchanges, messages)
    _take_back(user, by, exchanges, told)
    hide_messages(user, by, Reason.DELETED, messages, told)
    told |= {each.memory_id for each in user.updates if each.at == at and _HIDDEN in each.details}
    _delete_log(user, session_id, messages)
    gone = _delete_memories(user, session_id, messages, told)
    lost = redacted(
        user.updates, session_id=session_id, exchanges=exchanges, memories=gone, rewritten=rewritten
    )
    written = {each.id: each for each in lost.written}
    user.updates = [written.get(each.id, each) for each in user.updates if each.id not in lost.deleted]
    return {"memories": len(gone), "updates": len(lost.deleted), "exchanges": len(logged)}


def _messages(logged: Logged) -> set[UUID]:
    return {logged.exchange.message_id, logged.exchange.reply_id, *logged.alternates}


def _sort_out(
    user: Possessions, session_id: str, exchanges: set[UUID], messages: set[UUID]
) -> tuple[set[UUID], dict[UUID, str]]:
    """Let what is known otherwise, too, forget the chat.

    Return what only the chat told, and what stays only as a person stood behind it, with what that says.
    """
    told, rewritten = set(), {}
    for memory in (user.gone | user.memories).values():
        linked = memory.id in user.memories
        if memory.owner != user.user_id or not _is_of_chat(memory, session_id, messages):
            continue
        left = not_resting_on(memory, messages)
        rows = [each for each in user.updates if each.memory_id == memory.id]
        added = [each for each in rows if each.action in _ADDED and each.exchange_id in exchanges]
        inherited = messages_of(added[0].details) if added else ()
        is_told_elsewhere = bool(set(left.provenance.message_ids) - set(inherited))
        by_hand = linked and any(map(is_by_hand, rows))
        if not is_told_elsewhere and not by_hand:
            told.add(memory.id)
            continue
        (user.memories if linked else user.gone)[memory.id] = _detached(left, session_id)
        if not is_told_elsewhere:
            rewritten[memory.id] = memory.content
    return told, rewritten


def _is_of_chat(memory: Memory, session_id: str, messages: set[UUID]) -> bool:
    came, is_summary = memory.provenance, memory.kind is Kind.SUMMARY
    return came.session_id == session_id or (not is_summary and bool(messages & set(came.message_ids)))


def _detached(memory: Memory, session_id: str) -> Memory:
    if memory.provenance.session_id != session_id:
        return memory
    return replace(memory, provenance=replace(memory.provenance, session_id=None, evidence=None))


def _take_back(user: Possessions, by: Author, exchanges: set[UUID], told: set[UUID]) -> None:
    """Undo what the chat changed of what stays, and let the user see no longer what it told."""
    changed = [each for each in reversed(user.updates) if each.exchange_id in exchanges and not each.undoes]
    updates = [each for each in changed if not is_undone(user, each)]
    replacing = {each.memory_id for each in updates if each.action is Action.REPLACE}
    _unlink(user, told - replacing)
    for update in updates:
        stays = update.action is Action.REPLACE and update.memory_id not in told
        if update.action is Action.ADD or stays or is_wish_to_forget(update):
            continue
        with suppress(NotUndoableError, DuplicateMemoryError):
            undo(user, by, update, Reason.DELETED)
    _unlink(user, told)


def _unlink(user: Possessions, memories: set[UUID]) -> None:
    for memory_id in memories & user.memories.keys():
        user.unlink(memory_id)


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
    gone = {known for known, each in user.gone.items() if known not in user.memories and known in told}
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
