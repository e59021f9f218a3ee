"""Looks up what a user has already, and what was brought for them before, through the engine's ports. Reads only."""

from dataclasses import dataclass, field
from uuid import UUID

from recollect.model import Memory, Replace
from recollect.ports import Backends
from recollect.text.normalization import content_hash
from recollect_proxy.importers.rows import StoredMemory
from recollect_proxy.importers.versions import Brought, Version, version_id

_PAGE = 500
_MOST_UPDATES = 1_000


@dataclass(frozen=True, slots=True)
class ExistingMemories:
    """What a user has.

    Attributes:
        memories: By its id.
        hashes: Of that, and of what waits for them.
    """

    memories: dict[UUID, Memory] = field(default_factory=dict)
    hashes: set[bytes] = field(default_factory=set)

    def note(self, change: Brought | Replace) -> None:
        """Note what is about to be done."""
        if isinstance(change, Replace):
            self.hashes.discard(content_hash(self.memories[change.old].content))
        self.hashes.add(content_hash(change.memory.content))


async def read_existing_memories(backends: Backends, user_id: str) -> ExistingMemories:
    """Return what a user has, or waits for them.

    Raises:
        StoreError: The store failed.
    """
    held = await backends.memories.quarantined(user_id)
    known = ExistingMemories({}, {content_hash(each.memory.content) for each in held})
    after = None
    while True:
        page = await backends.memories.page(user_id, limit=_PAGE, after=after)
        known.memories.update((memory.id, memory) for memory in page.memories)
        known.hashes.update(content_hash(memory.content) for memory in page.memories)
        after = page.next
        if after is None:
            return known


async def read_versions(
    backends: Backends, stored: StoredMemory, brought: Brought, known: ExistingMemories
) -> list[Version]:
    """Return what was brought of a memory before, the oldest first.

    Args:
        backends: Where.
        stored: The memory.
        brought: As what it would be kept.
        known: What its user has.

    Raises:
        StoreError: The store failed.
    """
    found: list[Version] = []
    while True:
        id_ = version_id(stored, len(found))
        memory = known.memories.get(id_)
        if not found and memory is not None and memory.content == brought.memory.content:
            return [Version(memory, ())]  # as most are: what became of it makes no difference
        updates = await backends.memories.history(stored.user_id, id_, limit=_MOST_UPDATES)
        if memory is None and not updates:
            return found
        found.append(Version(memory, updates))
