"""The JSON of events: what happened to a user's memories, for webhooks and streams."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from recollect.model import Action, Kind, Reason, Update, person_of, project_of


class EventType(StrEnum):
    """The kinds of events."""

    REMEMBERED = "memory.remembered"
    REPLACED = "memory.replaced"
    CORRECTED = "memory.corrected"
    FORGOTTEN = "memory.forgotten"
    ERASED = "memory.erased"
    UNDONE = "memory.undone"
    USER_ERASED = "user.erased"


_TYPES = {
    Action.ADD: EventType.REMEMBERED,
    Action.REPLACE: EventType.REPLACED,
    Action.EDIT: EventType.CORRECTED,
    Action.RETIRE: EventType.FORGOTTEN,
    Action.ERASE: EventType.ERASED,
    Action.RESTORE: EventType.UNDONE,
}
"""The other changes leave a memory's words as they are, or concern none that is kept."""


class EventPlace(NamedTuple):
    """A place in the changes of a user.

    Attributes:
        epoch: Another one after an erasure; None: of the user nothing is kept.
        number: The number of a change; the next one has a higher number.
    """

    epoch: UUID | None = None
    number: int = 0


class Text(Struct):
    """The texts of a change; null where there is none."""

    before: str | None
    after: str | None


class EventData(Struct, kw_only=True):
    """The data of an event.

    Attributes:
        id: The id of the change, as the list of changes has it; of an erasure its own.
        project: Their project; null: their own memory.
        memory_id: The memory that holds now; null if none does.
        gone: The memories that the user has no longer.
        kind: The kind of the memory; null if it is erased, or shared by several people.
        text: The texts, only if the operator sends them.
    """

    id: UUID
    user_id: str
    project: str | None
    memory_id: UUID | None = None
    gone: list[UUID] = []
    kind: str | None = None
    actor: str | None = None
    reason: str | None = None
    session_id: str | None = None
    text: Text | UnsetType = UNSET


class Event(Struct):
    """An event, in the form that Standard Webhooks recommends."""

    type: EventType
    timestamp: datetime
    data: EventData


def event_of(scope: str, update: Update, kind: Kind | None, *, with_text: bool = False) -> Event | None:
    """Return the event of a change of a user's memory; None if it is none."""
    if update.action not in _TYPES or update.reason is Reason.KEPT_VERBATIM:
        return None
    heir, gone = update.details.get("heir"), [] if update.replaced_id is None else [update.replaced_id]
    holds: UUID | None = update.memory_id
    if update.action is Action.RETIRE:
        holds, gone = None if heir is None else UUID(heir), [update.memory_id]
    elif update.action is Action.ERASE:
        holds, gone = None, [UUID(each) for each in update.details.get("ids", ())]
    kept = _TYPES[update.action] if heir is None else EventType.REPLACED
    data = EventData(
        id=update.id,
        user_id=person_of(scope),
        project=project_of(scope) or None,
        memory_id=holds,
        gone=gone,
        kind=kind,
        actor=update.actor,
        reason=update.reason,
        session_id=update.session_id,
        text=Text(update.before, update.after) if with_text else UNSET,
    )
    return Event(kept if update.undoes is None else EventType.UNDONE, update.at, data)


def erasure_of(scope: str, erasure_id: UUID, at: datetime) -> Event:
    """Return the event of the erasure of a user, or of a project of theirs."""
    data = EventData(id=erasure_id, user_id=person_of(scope), project=project_of(scope) or None)
    return Event(EventType.USER_ERASED, at, data)
