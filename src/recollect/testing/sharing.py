"""What several people share, and what serves everybody, in memory. Never: who may share."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from recollect.audit import addition_details
from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import COMMONS, STATEMENTS, Action, Memory, Provenance, Reason, Source
from recollect.normalization import content_hash, storable_text
from recollect.testing.belongings import Author, Possessions


def share_memory(user: Possessions, by: Author, memory_id: UUID) -> Memory:
    """Move a memory of the user's own to the commons, without the words it was said in, and return it."""
    memory = user.memories.get(memory_id)
    if memory is None:
        raise MemoryNotFoundError
    if memory.owner == COMMONS:
        return memory
    if memory.kind not in STATEMENTS:
        raise MemoryNotFoundError
    shared = replace(memory, owner=COMMONS, source=Source.MANUAL, provenance=Provenance())
    user.memories[memory_id] = shared
    said = memory.content
    details = addition_details(memory)
    user.audit(by, Action.EDIT, Reason.SHARED, memory_id, before=said, after=said, details=details)
    return shared


def with_globals(
    known: Mapping[UUID, Memory], added: Sequence[Memory], removed: Sequence[UUID]
) -> dict[UUID, Memory]:
    """Return what serves everybody with these, and without those."""
    kept = {each.id: each for each in known.values() if each.id not in removed}
    for memory in added:
        if (memory.owner, memory.source) != (COMMONS, Source.GLOBAL):
            raise StoreError("What serves everybody belongs to the commons, and is global.")
        hashed = content_hash(memory.content)
        if any(content_hash(each.content) == hashed for each in kept.values()):
            continue
        if memory.id in known:
            raise StoreError("There is a memory with this id already.")
        kept[memory.id] = replace(memory, content=storable_text(memory.content))
    return kept
