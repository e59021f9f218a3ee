"""Decides what becomes of a memory of OpenWebUI's that was brought before, by what the audit tells of it. Pure.

Never: a store.

Each text that an import writes for one memory of OpenWebUI's is a version of it, with an id that is made of that memory's id
and the version's number. So all of them are found again, those too that the person has let go of since.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from recollect.model import Action, Actor, Add, Memory, Quarantine, Reason, Replace, Update
from recollect.text.normalization import content_hash
from recollect_proxy.importers.rows import StoredMemory
from recollect_proxy.importers.stable_ids import stable_id

_EPOCH = datetime.fromtimestamp(0, UTC)
_WRITES = frozenset({Action.ADD, Action.REPLACE})
_HOLDS = frozenset({Action.QUARANTINE, Action.REFUSE})
_LEAVES = frozenset({Action.REINFORCE, Action.MARK})
"""What formation does to a memory that goes on saying what the import wrote."""

Brought: TypeAlias = Add | Quarantine
"""What is to be done with a memory as ``screened`` says, had it not been brought before."""


class Kept(StrEnum):
    """Why nothing is to be done."""

    THERE = "there"
    LEFT = "left"
    """It was changed there, and somebody changed here what the import wrote."""


@dataclass(frozen=True, slots=True)
class Version:
    """What an import wrote for a memory of OpenWebUI's.

    Attributes:
        memory: As the user has it now; None if they have it no more, or do not have it yet.
        updates: The rows of the audit that name it, newest first.
    """

    memory: Memory | None
    updates: Sequence[Update]


def version_id(stored: StoredMemory, number: int = 0) -> UUID:
    """Return the id of a version of a memory of OpenWebUI's, the first of which has the number 0."""
    names = (stored.origin, "memory", stored.user_id, stored.id, str(number))
    return stable_id(stored.created_at or _EPOCH, *names)


def next_change(
    stored: StoredMemory, brought: Brought, versions: Sequence[Version], known: Collection[bytes]
) -> Brought | Replace | Kept:
    """Return what is to be done with a memory as it stands in OpenWebUI now.

    What the import wrote gives way to what was written there later, by OpenWebUI's own time of that, unless somebody
    changed it here. So an older export changes nothing that a newer one brought.

    Args:
        stored: The memory.
        brought: What would be done with it, had it not been brought before.
        versions: What was brought of it before, the oldest first.
        known: The hashes of what the user has, or waits for them.
    """
    new = brought.memory
    is_known = content_hash(new.content) in known
    if not versions:
        return Kept.THERE if is_known else brought
    standing = next((each for each in reversed(versions) if each.memory is not None), None)
    if _came_before(brought, versions):
        return Kept.THERE
    further = replace(brought, memory=replace(new, id=version_id(stored, len(versions))))
    if standing is None or standing.memory is None:
        return _beside(further, versions, is_known=is_known)
    if not _is_later(new, standing.memory):
        return Kept.THERE
    return _in_place_of(standing.memory, further, is_known=is_known, is_touched=_is_touched(standing, new))


def _in_place_of(
    standing: Memory, further: Brought, *, is_known: bool, is_touched: bool
) -> Brought | Replace | Kept:
    """Return what is to be done if the user has a memory that was imported, and OpenWebUI has another text for it now."""
    if is_touched:
        return Kept.THERE if is_known else Kept.LEFT
    if isinstance(further, Quarantine):  # what stands stays until the person approves
        return Kept.THERE if is_known else further
    reason = Reason.WRITTEN if further.reason is Reason.WRITTEN else Reason.CORRECTED
    return Replace(standing.id, further.memory, reason)


def _beside(further: Brought, versions: Sequence[Version], *, is_known: bool) -> Brought | Kept:
    """Return what is to be done where the user has nothing of what was brought."""
    if is_known or content_hash(further.memory.content) in map(content_hash, _texts(versions)):
        return Kept.THERE
    latest = versions[-1].updates
    if latest and latest[0].action in _HOLDS:  # that was never theirs: this may be
        return Kept.THERE if further.memory.observed_at <= latest[-1].at else further
    is_ours = all(update.actor is Actor.IMPORT for version in versions for update in version.updates)
    return further if is_ours else Kept.LEFT


def _came_before(brought: Brought, versions: Sequence[Version]) -> bool:
    """Tell whether this was imported last; a text that was held back is in no version, and is recognized by its time."""
    if isinstance(brought, Quarantine):
        rows = [update for version in versions for update in version.updates]
        held = [update.at for update in rows if update.action is Action.QUARANTINE]
        return bool(held) and brought.memory.observed_at <= max(held)
    last = next(_texts(versions), None)
    return last is not None and content_hash(last) == content_hash(brought.memory.content)


def _texts(versions: Sequence[Version]) -> Iterator[str]:
    """Yield what imports wrote, the newest first."""
    for version in reversed(versions):
        for update in version.updates:
            if update.actor is Actor.IMPORT and update.action in _WRITES and update.after is not None:
                yield update.after


def _is_later(new: Memory, standing: Memory) -> bool:
    is_same = content_hash(new.content) == content_hash(standing.content)
    return not is_same and new.observed_at > standing.observed_at


def _is_touched(version: Version, new: Memory) -> bool:
    """Tell whether anything but an import changed a version, or the person said it again after OpenWebUI had changed it."""
    return any(
        update.actor is not Actor.IMPORT
        and (
            update.action not in _LEAVES
            or (update.action is Action.REINFORCE and update.at > new.observed_at)
        )
        for update in version.updates
    )
