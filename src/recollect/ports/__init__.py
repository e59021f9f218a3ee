"""What the engine needs of the world, as Protocols. Never: an implementation."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.index import SnapshotCache
from recollect.ports.browsing import Browsing
from recollect.ports.chats import (
    ADMIN_READS_OUTLIVE,
    ANSWERS_KEPT,
    USAGE_OUTLIVES,
    AnswerStore,
    ChatMemory,
    ChatRequestStore,
    FlagStore,
    MessageLog,
    RequestLog,
    Spooled,
)
from recollect.ports.generations import ONLY_TODAYS, Generation, Generations, GenerationStore
from recollect.ports.log_index import LogIndex
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
from recollect.ports.profiles import ProfileStore
from recollect.ports.repairs import Repairs
from recollect.ports.statistics import Statistics
from recollect.ports.stores import MOST_QUARANTINED, AdminReadLog, MemoryStore, Portability
from recollect.ports.surroundings import Cache, Clock
from recollect.ports.work import NO_CAPS, Attempts, Inbox, Jobs, UsageLog

__all__ = [
    "ADMIN_READS_OUTLIVE",
    "ANSWERS_KEPT",
    "MOST_QUARANTINED",
    "NO_CAPS",
    "ONLY_TODAYS",
    "USAGE_OUTLIVES",
    "AdminReadLog",
    "AnswerStore",
    "Asker",
    "Attempts",
    "Backends",
    "Browsing",
    "Cache",
    "ChatMemory",
    "ChatRequestStore",
    "Chosen",
    "Clock",
    "Conversation",
    "Embedder",
    "Extracted",
    "Extractor",
    "FlagStore",
    "Generation",
    "GenerationStore",
    "Generations",
    "Inbox",
    "Jobs",
    "Judge",
    "LogIndex",
    "Material",
    "MemoryStore",
    "MessageLog",
    "Portability",
    "ProfileStore",
    "Repairs",
    "RequestLog",
    "Spooled",
    "Statistics",
    "Summarized",
    "Summarizer",
    "UsageLog",
]


@dataclass(frozen=True, slots=True)
class Backends:
    """What the engine works with: one implementation of each port."""

    memories: MemoryStore
    log: MessageLog
    index: LogIndex
    chats: ChatMemory
    asked: ChatRequestStore
    requests: RequestLog
    inbox: Inbox
    jobs: Jobs
    flags: FlagStore
    usage: UsageLog
    admin_reads: AdminReadLog
    browsing: Browsing
    attempts: Attempts
    answers: AnswerStore
    portability: Portability
    repairs: Repairs
    profiles: ProfileStore
    statistics: Statistics
    snapshots: SnapshotCache
    embedder: Embedder
    second_embedder: Embedder | None = None
    extractor: Extractor | None = None
    judge: Judge | None = None
    summarizer: Summarizer | None = None
    caches: Sequence[Cache] = ()
    spool: Spooled | None = None
    generations: Generations = ONLY_TODAYS
    generation_store: GenerationStore | None = None
