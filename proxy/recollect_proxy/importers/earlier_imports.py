"""Decides what to do with a source memory that an earlier import wrote, by its audit trail. Pure. Never: a store.

Each text that an import writes for one memory of the source is a version of it. A version's id is derived from the id of the
source memory and the version's number, so that all versions are found again, also those that the person has deleted.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias
from uuid import UUID

from recollect.model import Action, Actor, Add, Memory, Quarantine, Reason, Replace, Update
from recollect.text.normalization import content_hash
from recollect_proxy.importers.common_format import StoredMemory, stable_id

_EPOCH = datetime.fromtimestamp(0, UTC)
_WRITES = frozenset({Action.ADD, Action.REPLACE})
_HOLDS = frozenset({Action.QUARANTINE, Action.REFUSE})
_LEAVES = frozenset({Action.REINFORCE, Action.MARK})
"""The actions of formation that leave the imported text as it is."""

Brought: TypeAlias = Add | Quarantine
"""The change that ``screened`` chose for a memory, which applies if it was not imported before."""


class Kept(StrEnum):
    """Why a memory is not imported again."""

    THERE = "there"
    LEFT = "left"
    """It has changed in the source, but somebody also changed the imported text."""


@dataclass(frozen=True, slots=True)
class Version:
    """A text that an import wrote for a memory of the source.

    Attributes:
        memory: The memory as the user has it now; None if it was deleted, or is in quarantine.
        updates: Its audit trail, newest first.
    """

    memory: Memory | None
    updates: Sequence[Update]


def version_id(stored: StoredMemory, number: int = 0) -> UUID:
    """Return the id of a version of a source memory; the first version has the number 0."""
    names = (stored.origin, "memory", stored.user_id, stored.id, str(number))
    return stable_id(stored.created_at or _EPOCH, *names)


def next_change(
    stored: StoredMemory, brought: Brought, versions: Sequence[Version], known: Collection[bytes]
) -> Brought | Replace | Kept:
    """Return how to import the present text of a source memory.

    A later text, by the source's own timestamps, replaces the imported one, unless somebody changed that here. An older
    export therefore never undoes a newer one.

    ``brought`` applies if it was not imported before. ``versions`` are those that earlier imports wrote, oldest first,
    ``known`` the content hashes of the user's memories and of those in quarantine.
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
    """Return how to import a later text of a memory whose imported version the user still has."""
    if is_touched:
        return Kept.THERE if is_known else Kept.LEFT
    if isinstance(further, Quarantine):  # the present version stays until the person approves the new one
        return Kept.THERE if is_known else further
    reason = Reason.WRITTEN if further.reason is Reason.WRITTEN else Reason.CORRECTED
    return Replace(standing.id, further.memory, reason)


def _beside(further: Brought, versions: Sequence[Version], *, is_known: bool) -> Brought | Kept:
    """Return how to import a text of a memory of which the user has no version any more."""
    if is_known or content_hash(further.memory.content) in map(content_hash, _texts(versions)):
        return Kept.THERE
    latest = versions[-1].updates
    # The last version was never approved: a later text gets a new chance.
    if latest and latest[0].action in _HOLDS:
        return Kept.THERE if further.memory.observed_at <= latest[-1].at else further
    is_ours = all(update.actor is Actor.IMPORT for version in versions for update in version.updates)
    return further if is_ours else Kept.LEFT


def _came_before(brought: Brought, versions: Sequence[Version]) -> bool:
    """Tell whether the last import brought this text; of a quarantined one the audit trail has the time alone."""
    if isinstance(brought, Quarantine):
        rows = [update for version in versions for update in version.updates]
        held = [update.at for update in rows if update.action is Action.QUARANTINE]
        return bool(held) and brought.memory.observed_at <= max(held)
    last = next(_texts(versions), None)
    return last is not None and content_hash(last) == content_hash(brought.memory.content)


def _texts(versions: Sequence[Version]) -> Iterator[str]:
    """Yield the texts that imports wrote, newest first."""
    for version in reversed(versions):
        for update in version.updates:
            if update.actor is Actor.IMPORT and update.action in _WRITES and update.after is not None:
                yield update.after


def _is_later(new: Memory, standing: Memory) -> bool:
    is_same = content_hash(new.content) == content_hash(standing.content)
    return not is_same and new.observed_at > standing.observed_at


def _is_touched(version: Version, new: Memory) -> bool:
    """Tell whether anything but an import changed a version, or reinforced it after the source had changed its text."""
    return any(
        update.actor is not Actor.IMPORT
        and (
            update.action not in _LEAVES
            or (update.action is Action.REINFORCE and update.at > new.observed_at)
        )
        for update in version.updates
    )
