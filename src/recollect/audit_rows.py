"""Writes and reads the rows of a user's audit, one for each change to a memory. Pure.

From the rows it computes earlier states of a memory and the change that undoes one. It redacts the rows of erased chats and
memories, so that replaying the rest still yields the existing memories.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from uuid import UUID

from recollect.errors import NotUndoableError
from recollect.model import (
    COMMONS,
    Action,
    Change,
    Doubt,
    Erase,
    Hide,
    Hints,
    Kind,
    Memory,
    Reason,
    Source,
    Update,
    Use,
)

_REINFORCED_BY = 0.05
"""The importance that one reinforcement adds to a memory."""

_DIGITS = 6
"""The digits that a four-byte float holds, so that a sum is written as it was meant."""


def replay(updates: Iterable[Update]) -> set[UUID]:
    """Return the memories a user has according to their audit.

    Args:
        updates: All rows of the user's audit, oldest first.
    """
    linked: set[UUID] = set()
    for update in updates:
        match update.action:
            case Action.ADD | Action.REPLACE | Action.RESTORE:
                linked -= {update.replaced_id}
                linked.add(update.memory_id)
            case Action.RETIRE:
                linked.discard(update.memory_id)
            case _:  # the others change no memory's content, or none exists yet
                pass
    return linked


def reinforced(memory: Memory, further: Sequence[UUID]) -> Memory:
    """Return ``memory`` after the user said it again in ``further`` messages that it does not rest on yet.

    A shared memory has no user's importance, and rests on no user's messages.
    """
    said_again = replace(memory, reinforcement_count=memory.reinforcement_count + 1, doubt=None)
    if memory.owner == COMMONS:
        return said_again
    importance = round(min(1.0, memory.importance + _REINFORCED_BY), _DIGITS)
    return replace(resting_on(said_again, further), importance=importance)


def resting_on(memory: Memory, messages: Sequence[UUID]) -> Memory:
    """Return ``memory`` with these messages among those it rests on, each once."""
    known = memory.provenance.message_ids
    further = tuple(each for each in dict.fromkeys(messages) if each not in known)
    return replace(memory, provenance=replace(memory.provenance, message_ids=known + further))


def not_resting_on(memory: Memory, messages: Iterable[UUID]) -> Memory:
    """Return ``memory`` without these messages among those it rests on."""
    gone = set(messages)
    left = tuple(each for each in memory.provenance.message_ids if each not in gone)
    return replace(memory, provenance=replace(memory.provenance, message_ids=left))


def without_labels(heir: Memory, details: Mapping[str, Any]) -> Memory:
    """Return an heir without the tags and metadata that a row says it took over."""
    tags, metadata = details.get("tags", ()), details.get("metadata", ())
    return replace(
        heir,
        tags=tuple(each for each in heir.tags if each not in tags),
        metadata={key: value for key, value in heir.metadata.items() if key not in metadata},
    )


def addition_details(memory: Memory) -> dict[str, Any]:
    """Return the details of a row about a new memory: the messages it rested on then."""
    return {"messages": [str(each) for each in memory.provenance.message_ids]}


def removal_details(memory: Memory) -> dict[str, Any]:
    """Return the details of a row about a memory that is hidden from the user: the parts that were theirs alone."""
    last = memory.last_recalled_at
    return {
        "doubt": memory.doubt,
        "recalled": memory.recall_count,
        "last_recalled_at": None if last is None else last.isoformat(),
        "reinforced": memory.reinforcement_count,
        **({} if memory.expires_at is None else {"expires_at": _iso(memory.expires_at)}),
    }


def reinforcement_details(before: Memory, after: Memory) -> dict[str, Any]:
    """Return the details of a row about a reinforcement."""
    known = before.provenance.message_ids
    return {
        "importance": before.importance,
        "raised": after.importance,
        "reinforced": after.reinforcement_count - before.reinforcement_count,
        "messages": [str(each) for each in after.provenance.message_ids if each not in known],
        "doubt": before.doubt,
    }


def deciding_details(change: Change) -> dict[str, Any]:
    """Return the author of a decision, as details of a row; none if unknown."""
    decided_by = None if isinstance(change, Hide | Erase) else change.decided_by
    return {} if decided_by is None else {"decided_by": decided_by}


def mark_details(before: Memory, after: Memory, cause: UUID | None) -> dict[str, Any]:
    """Return the details of a row about a mark."""
    return {"doubt": before.doubt, "marked": after.doubt, "cause": None if cause is None else str(cause)}


def limit_details(before: Memory, after: Memory, cause: UUID | None) -> dict[str, Any]:
    """Return the details of a row about a memory that holds until a day, when another one takes over."""
    return {
        "held_until": _iso(before.holds_until),
        "limited_to": _iso(after.holds_until),
        "cause": None if cause is None else str(cause),
    }


def opening_details(todo: Memory, end: Update, change_id: UUID) -> dict[str, Any]:
    """Return the details of a row about a done to-do that a change of another memory opens again: how it had ended."""
    assert todo.past is not None  # noqa: S101 -- it was done
    kept = {name: end.details[name] for name in ("messages", "tags", "metadata") if name in end.details}
    if end.action is Action.REPLACE:  # its heir keeps them
        kept = {}
    ended = {
        "at": _iso(end.at),
        "reason": end.reason,
        "until": _iso(todo.past.until),
        "heir": str(todo.past.heir),
    }
    return {"change": str(change_id), "end": ended | kept}


def edit_details(before: Memory, after: Memory) -> dict[str, Any]:
    """Return the details of a row about an edit: everything but the content that it may have changed, before and after."""
    return {**_editable(before), "now": _editable(after)}


def _editable(memory: Memory) -> dict[str, Any]:
    return {
        "kind": memory.kind,
        "importance": memory.importance,
        **{
            name: _iso(getattr(memory, name))
            for name in ("event_at", "holds_from", "holds_until", "expires_at")
        },
        "source": memory.source,
        "doubt": memory.doubt,
        "hints": _kept_hints(memory.hints),
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
    }


def as_linked_before(memory: Memory, details: Mapping[str, Any]) -> Memory:
    """Return a memory that is now hidden as the user saw it, by the row that says since when."""
    last = details.get("last_recalled_at")
    return replace(
        memory,
        doubt=_doubt(details),
        recall_count=details.get("recalled", 0),
        last_recalled_at=None if last is None else datetime.fromisoformat(last),
        reinforcement_count=details.get("reinforced", 0),
        expires_at=_moment(details.get("expires_at")),
    )


def as_before(memory: Memory, update: Update) -> Memory:
    """Return ``memory`` as it was before it was reinforced, marked or edited.

    Args:
        memory: As it is now.
        update: The row of that change.

    Raises:
        NotUndoableError: The change's result has changed since, or the row is of another action.
    """
    if not _is_as_left(memory, update):
        raise NotUndoableError
    before = _one_back(memory, update, None)
    if update.action is not Action.EDIT:
        return before
    if before.content != memory.content:
        return replace(before, embedding=None, embedding_model=None)
    hints = update.details.get("hints")
    return replace(before, hints=memory.hints) if hints == update.details["now"].get("hints") else before


def _is_as_left(memory: Memory, update: Update) -> bool:
    """Return whether ``memory`` still has the values that the row wrote."""
    details = update.details
    match update.action:
        case Action.REINFORCE:
            return "importance" in details
        case Action.MARK if "limited_to" in details:
            return bool(_iso(memory.holds_until) == details["limited_to"])
        case Action.MARK:
            return bool(memory.doubt == details.get("marked"))
        case _:
            is_own_edit = update.action is Action.EDIT and memory.owner != COMMONS
            return is_own_edit and _is_as_edited(memory, update)


def as_of(memory: Memory, updates: Sequence[Update], at: datetime) -> Memory:
    """Return a memory's words at a time, going back through its rows of the audit.

    Args:
        memory: As it is now.
        updates: Its rows, newest first, also those before that time.
        at: When.
    """
    rows = {update.id: update for update in updates}
    for update in updates:
        if update.at > at:
            undone = None if update.undoes is None else rows.get(update.undoes)
            memory = _one_back(memory, update, undone)
    return memory


def _one_back(memory: Memory, update: Update, undone: Update | None) -> Memory:  # noqa: PLR0911  # one for each action
    """Return ``memory`` as it was before a row of its audit, whatever was changed since."""
    details = update.details
    match update.action:
        case Action.EDIT if "kind" in details:
            return replace(_with_editable(memory, details), content=update.before or memory.content)
        case Action.REINFORCE if "importance" in details:
            return _not_reinforced(memory, details)
        case Action.MARK if "held_until" in details:
            return replace(memory, holds_until=_moment(details["held_until"]))
        case Action.MARK:
            return replace(memory, doubt=_doubt(details))
        case Action.RESTORE if undone is not None and undone.action is Action.EDIT:
            again = _with_editable(memory, undone.details.get("now", {}))
            return replace(again, content=update.before or memory.content)
        case Action.RESTORE if undone is not None and undone.action is Action.REINFORCE:
            return reinforced(memory, messages_of(undone.details))
        case Action.RESTORE if undone is not None and undone.action is Action.MARK:
            if "limited_to" in undone.details:
                return replace(memory, holds_until=_moment(undone.details["limited_to"]))
            marked = undone.details.get("marked")
            return replace(memory, doubt=None if marked is None else Doubt(marked))
        case _:
            return memory


def _with_editable(memory: Memory, kept: Mapping[str, Any]) -> Memory:
    """Return ``memory`` with the other columns that a row keeps of an edited one."""
    if "kind" not in kept:
        return memory
    return replace(
        memory,
        kind=Kind(kept["kind"]),
        importance=kept["importance"],
        event_at=_moment(kept["event_at"]),
        holds_from=_moment(kept["holds_from"]),
        holds_until=_moment(kept["holds_until"]),
        expires_at=_moment(kept.get("expires_at")),
        source=Source(kept["source"]),
        doubt=_doubt(kept),
        hints=_hints(kept.get("hints")),
        tags=tuple(kept.get("tags", ())),
        metadata=kept.get("metadata", {}),
    )


def _moment(told: str | None) -> datetime | None:
    return None if told is None else datetime.fromisoformat(told)


def _is_as_edited(memory: Memory, update: Update) -> bool:
    now, left = _editable(memory), update.details.get("now", {})
    if left.get("hints") is None:  # a model may have written some since
        now, left = now | {"hints": None}, left | {"hints": None}
    is_as_left = memory.content == update.after and now == left
    return is_as_left and update.before is not None  # if that is gone, its content is unknown


def _not_reinforced(memory: Memory, details: Mapping[str, Any]) -> Memory:
    """Return the memory without one reinforcement; those that came after it stay."""
    before = replace(
        memory,
        reinforcement_count=max(0, memory.reinforcement_count - details["reinforced"]),
        doubt=memory.doubt or _doubt(details),
    )
    if memory.owner == COMMONS:
        return before
    importance = details["importance"]
    if memory.importance != details["raised"]:
        importance = max(0.0, round(memory.importance - details["raised"] + importance, _DIGITS))
    return replace(not_resting_on(before, messages_of(details)), importance=importance)


def messages_of(details: Mapping[str, Any]) -> tuple[UUID, ...]:
    """Return the messages of the log that a row names."""
    return tuple(UUID(each) for each in details.get("messages", ()))


def _iso(moment: datetime | None) -> str | None:
    """Return a moment as a row holds it: in UTC, so that equal moments are equal texts."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def _kept_hints(hints: Hints | None) -> dict[str, Any] | None:
    """Return hints as a row holds them, in JSON."""
    if hints is None:
        return None
    return {"use": hints.use, "topics": list(hints.topics), "questions": list(hints.questions)}


def _hints(kept: Mapping[str, Any] | None) -> Hints | None:
    return None if kept is None else Hints(Use(kept["use"]), tuple(kept["topics"]), tuple(kept["questions"]))


def _doubt(details: Mapping[str, Any]) -> Doubt | None:
    kept = details.get("doubt")
    return None if kept is None else Doubt(kept)


@dataclass(frozen=True, slots=True)
class Redaction:
    """The rows that an audit loses or changes.

    Attributes:
        deleted: Rows that go.
        written: Rows that stay, as they are then.
    """

    deleted: frozenset[UUID]
    written: tuple[Update, ...]


def redacted(
    updates: Iterable[Update],
    *,
    memories: set[UUID],
    of_chat: Collection[UUID] = frozenset(),
    rewritten: Mapping[UUID, str] = MappingProxyType({}),
) -> Redaction:
    """Return the rows of an audit that go with an erased chat, or with erased memories.

    Args:
        updates: Rows of one user's audit: at least the ones that name the chat, one of the exchanges or one of the
            memories, and the rows that undo these.
        memories: The erased memories, also from quarantine.
        of_chat: The rows that came from an erased chat.
        rewritten: Memories that stay only because a person wrote or approved them, with their current contents;
            contents from the chat go.
    """
    rows = list(updates)
    undone = {row.undoes: row.id for row in rows if row.undoes is not None}
    taken_back = undone.keys() & {*of_chat}
    back_and_forth = taken_back | {undone[each] for each in taken_back}
    taught = {(row.memory_id, row.after) for row in rows if row.id in of_chat and row.memory_id in rewritten}
    taught -= {*rewritten.items()}
    kept = {
        row.id: _without(_untaught(row, taught), memories, is_of_chat=row.id in of_chat)
        for row in rows
        if row.id not in back_and_forth
    }
    before = {row.id: row for row in rows}
    return Redaction(
        frozenset(before.keys() - {each for each, row in kept.items() if row is not None}),
        tuple(row for each, row in kept.items() if row is not None and row != before[each]),
    )


def is_forget_command(update: Update) -> bool:
    """Return whether a row says that a person asked to forget the memory and did not take that back."""
    return update.action is Action.RETIRE and update.reason is Reason.FORGOTTEN


def _untaught(row: Update, taught: set[tuple[UUID, str | None]]) -> Update:
    """Return a row without the contents learned from a chat."""
    before = None if (row.memory_id, row.before) in taught else row.before
    after = None if (row.memory_id, row.after) in taught else row.after
    if (before, after) == (row.before, row.after):
        return row
    return _without_hints(replace(row, before=before, after=after))


def _without(row: Update, memories: set[UUID], *, is_of_chat: bool) -> Update | None:
    """Return a row without mentions of removed memories; None if nothing is left of it."""
    if row.memory_id in memories:
        other = row.replaced_id
        if other is None or other in memories:
            return None
        # The removed memory had taken the place of another, which was retired then all the same.
        return replace(
            row,
            action=Action.RETIRE,
            memory_id=other,
            replaced_id=None,
            after=None,
            session_id=None,
            exchange_id=None,
            details={},
        )
    if row.replaced_id in memories:
        action = Action.ADD if row.action is Action.REPLACE else row.action
        row = replace(row, action=action, replaced_id=None, before=None)
    if is_of_chat:
        row = replace(row, session_id=None, exchange_id=None)
        if row.action is Action.EDIT:
            row = _without_hints(replace(row, before=None, after=None))
    return row


def _without_hints(row: Update) -> Update:
    """Return a row without the hints of a removed statement, since they paraphrase it."""
    details = {name: each for name, each in row.details.items() if name != "hints"}
    if "now" in details:
        details["now"] = {name: each for name, each in details["now"].items() if name != "hints"}
    return replace(row, details=details)
