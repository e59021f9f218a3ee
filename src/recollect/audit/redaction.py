"""Removes an erased chat, or erased memories, from a user's audit: drops rows, and rewrites others. Pure.

The remaining rows read as if they had never been: replayed (``audit.replay``), they still yield the memories that exist.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import UUID

from recollect.model import Action, Reason, Update


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
