"""What the engine needs of the world, as Protocols. Never: an implementation."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.ports.chats import ChatMemory, MessageLog, RequestLog
from recollect.ports.models import Embedder, Extractor
from recollect.ports.stores import LogIndex, MemoryStore
from recollect.ports.surroundings import Cache, Clock
from recollect.ports.work import Inbox, Jobs

__all__ = [
    "Backends",
    "Cache",
    "ChatMemory",
    "Clock",
    "Embedder",
    "Extractor",
    "Inbox",
    "Jobs",
    "LogIndex",
    "MemoryStore",
    "MessageLog",
    "RequestLog",
]


@dataclass(frozen=True, slots=True)
class Backends:
    """What the engine works with: one implementation of each port."""

    memories: MemoryStore
    log: MessageLog
    index: LogIndex
    chats: ChatMemory
    requests: RequestLog
    inbox: Inbox
    jobs: Jobs
    embedder: Embedder
    extractor: Extractor | None = None
    caches: Sequence[Cache] = ()
