"""Reads a user's memories, and what earlier imports wrote, through the engine's backends. It writes nothing."""

from dataclasses import dataclass, field
from uuid import UUID

from recollect.backends import Backends
from recollect.model import Memory, Replace
from recollect.text.normalization import content_hash
from recollect_proxy.importers.lines import StoredMemory
from recollect_proxy.importers.versions import Brought, Version, version_id

_PAGE = 500
_MOST_UPDATES = 1_000


@dataclass(frozen=True, slots=True)
class ExistingMemories:
    """The memories of a user.

    Attributes:
        memories: The memories by id.
        hashes: The content hashes of these memories and of those in quarantine.
    """

    memories: dict[UUID, Memory] = field(default_factory=dict)
    hashes: set[bytes] = field(default_factory=set)

    def take_change(self, change: Brought | Replace) -> None:
        """Update the hashes for a change that is about to be written."""
        if isinstance(change, Replace):
            self.hashes.discard(content_hash(self.memories[change.old].content))
        self.hashes.add(content_hash(change.memory.content))


async def read_existing_memories(backends: Backends, user_id: str) -> ExistingMemories:
    """Read a user's memories, and those in quarantine.

    Raises:
        StoreError: The store failed.
    """
    held = await backends.memories.quarantined(user_id)
    known = ExistingMemories({}, {content_hash(each.memory.content) for each in held})
    page = await backends.memories.page(user_id, limit=_PAGE)
    while True:
        known.memories.update((memory.id, memory) for memory in page.memories)
        known.hashes.update(content_hash(memory.content) for memory in page.memories)
        if page.next is None:
            return known
        page = await backends.memories.page(user_id, limit=_PAGE, after=page.next)


async def read_versions(
    backends: Backends, stored: StoredMemory, brought: Brought, known: ExistingMemories
) -> list[Version]:
    """Return the versions of ``stored`` that earlier imports wrote, oldest first.

    ``brought`` is the change that would import it for the first time, ``known`` are the memories of its user.

    Raises:
        StoreError: The store failed.
    """
    found: list[Version] = []
    while True:
        id_ = version_id(stored, len(found))
        memory = known.memories.get(id_)
        if not found and memory is not None and memory.content == brought.memory.content:
            return [Version(memory, ())]  # unchanged, as most are: its history makes no difference
        updates = await backends.memories.history(stored.user_id, id_, limit=_MOST_UPDATES)
        if memory is None and not updates:
            return found
        found.append(Version(memory, updates))
