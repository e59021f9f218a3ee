"""Takes back what other versions of a message taught one user, in memory. Never: forms the new version."""

from uuid import UUID

from recollect.audit import messages_of
from recollect.errors import DuplicateMemoryError, NotUndoableError
from recollect.model import Action, Actor, Reason, Turn, Update
from recollect.testing.belongings import Author, Logged, Possessions
from recollect.testing.hiding import hide_messages
from recollect.testing.quarantine import abandon_waiting
from recollect.testing.undoing import is_undone, undo


def abandon_other_versions(user: Possessions, turn: Turn) -> bool:
    """Abandon the other turns of the chat with the turn's parent, and all that was said in it after the first.

    Return whether the turn is itself to be abandoned: a later version is in the log already.
    """
    of_chat = [each for each in user.log if each.exchange.turn.scope.session_id == turn.scope.session_id]
    others = {number: each.exchange.turn for number, each in enumerate(of_chat) if _is_version(each, turn)}
    later = [each for each in others.values() if each.at > turn.at]
    if later:
        _forget_blocks(user, turn, {turn.anchor} - {each.anchor for each in later})
        return True
    since = of_chat[min(others, default=len(of_chat)) :]
    abandoned = [each for each in since if each.state != "abandoned" and each.exchange.turn.at <= turn.at]
    if not abandoned:
        return False
    for logged in abandoned:
        logged.state = "abandoned"
    by = Author(Actor.FORMATION, turn.at, turn.scope.session_id)
    exchanges = [each.exchange for each in abandoned]
    messages = {known for each in exchanges for known in (each.message_id, each.reply_id)}
    undone = _undo_what_they_taught(user, by, {each.id for each in exchanges}, messages)
    hide_messages(user, by, Reason.ABANDONED, messages, undone)
    abandon_waiting(user, messages)
    _forget_blocks(user, turn, {each.turn.anchor for each in exchanges} - {turn.anchor})
    return False


def abandoned_by(user: Possessions, turn: Turn) -> frozenset[UUID]:
    """Return the messages that a turn abandons, once it is in the log."""
    if turn.parent is None:
        return frozenset()
    of_chat = [each for each in user.log if each.exchange.turn.scope.session_id == turn.scope.session_id]
    if any(each.exchange.turn.key == turn.key for each in of_chat):  # answered anew, it abandons nothing more
        return frozenset()
    others = [
        number
        for number, each in enumerate(of_chat)
        if _is_version(each, turn) and each.exchange.turn.at <= turn.at
    ]
    since = of_chat[min(others, default=len(of_chat)) :]
    said = [each.exchange for each in since if each.exchange.turn.at <= turn.at]
    return frozenset(known for each in said for known in (each.message_id, each.reply_id))


def _forget_blocks(user: Possessions, turn: Turn, anchors: set[str]) -> None:
    for anchor in anchors:
        user.injections.get(turn.scope.session_id, {}).pop(anchor, None)
        user.detached.discard((turn.scope.session_id, anchor))


def _is_version(logged: Logged, turn: Turn) -> bool:
    other = logged.exchange.turn
    return other.parent == turn.parent and other.key != turn.key


def _undo_what_they_taught(
    user: Possessions, by: Author, exchanges: set[UUID], messages: set[UUID]
) -> list[UUID]:
    """Undo what can be, the newest first; return the memories that are gone."""
    taught = [each for each in reversed(user.updates) if each.exchange_id in exchanges and not each.undoes]
    undone: list[UUID] = []
    for update in taught:
        if is_undone(user, update) or _is_known_otherwise(user, update, messages):
            continue
        try:
            undo(user, by, update, Reason.ABANDONED)
        except (NotUndoableError, DuplicateMemoryError):
            continue
        if update.action in {Action.ADD, Action.REPLACE}:
            undone.append(update.memory_id)
    return undone


def _is_known_otherwise(user: Possessions, update: Update, messages: set[UUID]) -> bool:
    """Return whether a memory was said again elsewhere since, or written over."""
    memory = user.memories.get(update.memory_id)
    if memory is None or update.action not in {Action.ADD, Action.REPLACE}:
        return False
    said_since = {*memory.provenance.message_ids} - {*messages, *messages_of(update.details)}
    return bool(said_since) or memory.content != update.after
