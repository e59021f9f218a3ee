"""What the engine needs of the world, as Protocols. Never: an implementation."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.ports.chats import USAGE_OUTLIVES, ChatMemory, FlagStore, MessageLog, RequestLog, Spooled
from recollect.ports.models import (
    Asker,
    Chosen,
    Conversation,
    Embedder,
    Extracted,
    Extractor,
    Judge,
    Material,
    Summarized,
    Summarizer,
)
from recollect.ports.stores import MOST_QUARANTINED, LogIndex, MemoryStore
from recollect.ports.surroundings import Cache, Clock
from recollect.ports.work import NO_CAPS, Inbox, Jobs, Tries, UsageLog

__all__ = [
    "MOST_QUARANTINED",
    "NO_CAPS",
    "USAGE_OUTLIVES",
    "Asker",
    "Backends",
    "Cache",
    "ChatMemory",
    "Chosen",
    "Clock",
    "Conversation",
    "Embedder",
    "Extracted",
    "Extractor",
    "FlagStore",
    "Inbox",
    "Jobs",
    "Judge",
    "LogIndex",
    "Material",
    "MemoryStore",
    "MessageLog",
    "RequestLog",
    "Spooled",
    "Summarized",
    "Summarizer",
    "Tries",
    "UsageLog",
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
    flags: FlagStore
    usage: UsageLog
    tries: Tries
    embedder: Embedder
    second_embedder: Embedder | None = None
    extractor: Extractor | None = None
    judge: Judge | None = None
    summarizer: Summarizer | None = None
    caches: Sequence[Cache] = ()
    spool: Spooled | None = None
