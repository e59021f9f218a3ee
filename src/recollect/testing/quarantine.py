"""What is held back from one user until they approve it, in memory. Never: decides what is held back."""

from dataclasses import replace
from uuid import UUID

from recollect.audit import resting_on
from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import Action, Actor, Change, Ignore, Memory, Quarantine, Quarantined, Reason, Source
from recollect.normalization import content_hash, storable_text
from recollect.testing.belongings import Author, Possessions
from recollect.testing.hiding import hide_messages


def hold_back(user: Possessions, by: Author, change: Quarantine) -> Change:
    """Hold a memory back, and the words it was said in; return what was really done."""
    memory = change.memory
    if memory.owner != user.user_id or memory.source is Source.GLOBAL:
        raise StoreError("A memory that is not the user's own can't be held back.")
    equal = user.with_content(memory.content)
    if equal is not None:
        user.rest_on(equal, memory.provenance.message_ids)
        return Ignore(Reason.EQUAL_CONTENT, target=equal)
    known = held_back(user, by, memory)
    if known is not None:
        return known
    if any(each is not None and each.memory.id == memory.id for each in user.quarantine.values()):
        raise StoreError("Something is held back under this id already.")
    kept = replace(
        memory,
        content=storable_text(memory.content),
        embedding=None,
        embedding_model=None,
        standing=None,
        outline=None,
    )
    user.quarantine[content_hash(memory.content)] = Quarantined(kept, change.reason, by.at)
    hide_messages(user, by, change.reason, memory.provenance.message_ids)
    user.audit(by, Action.QUARANTINE, change.reason, memory.id)
    return change


def held_back(user: Possessions, by: Author, memory: Memory) -> Ignore | None:
    """Return why a memory can't be kept: it waits for the person, or they refused it; None if it can."""
    hashed, messages = content_hash(memory.content), memory.provenance.message_ids
    if hashed not in user.quarantine:
        return None
    if by.actor not in {Actor.FORMATION, Actor.IMPORT}:
        del user.quarantine[hashed]
        return None
    known = user.quarantine[hashed]
    if known is None:
        hide_messages(user, by, Reason.REFUSED, messages)
        return Ignore(Reason.REFUSED)
    hide_messages(user, by, known.reason, messages)
    user.quarantine[hashed] = replace(known, memory=resting_on(known.memory, messages))
    return Ignore(Reason.EQUAL_CONTENT)


def waiting(user: Possessions) -> list[Quarantined]:
    """Return what is held back, newest first."""
    held = (each for each in user.quarantine.values() if each is not None)
    return sorted(held, key=lambda each: (each.at, each.memory.id), reverse=True)


def waiting_under(user: Possessions, memory_id: UUID) -> Quarantined:
    """Return what is held back under this id, or raise MemoryNotFoundError."""
    for held in waiting(user):
        if held.memory.id == memory_id:
            return held
    raise MemoryNotFoundError


def let_go(user: Possessions, by: Author, memory_id: UUID, *, refuse: bool) -> None:
    """Hold something back no longer; where it is refused, keep by what it is known again."""
    held = waiting_under(user, memory_id)
    hashed = content_hash(held.memory.content)
    if refuse:
        user.quarantine[hashed] = None
        user.audit(by, Action.REFUSE, Reason.REFUSED, memory_id)
    else:
        del user.quarantine[hashed]


def abandon_waiting(user: Possessions, messages: set[UUID]) -> None:
    """Let go of what is held back and was said in these messages alone."""
    for held in waiting(user):
        rests_on = set(held.memory.provenance.message_ids)
        if rests_on and rests_on <= messages:
            del user.quarantine[content_hash(held.memory.content)]
