"""The engine's backends: the classes of the store, and one implementation of each port."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.index import SnapshotCache
from recollect.ports import (
    ONLY_TODAYS,
    Cache,
    Embedder,
    Extractor,
    Generations,
    Hinter,
    Judge,
    Spooled,
    Summarizer,
)

if TYPE_CHECKING:  # a host starts its database before it imports a driver, or an HTTP client
    from recollect.store.browsing import Browsing
    from recollect.store.chats import ChatRequests, Chats
    from recollect.store.feedback import Feedback
    from recollect.store.inbox import Inbox
    from recollect.store.jobs import Jobs
    from recollect.store.kept_answers import Answers
    from recollect.store.log_index import EmbedderGenerations, LogIndex
    from recollect.store.memories import Memories, Repairs
    from recollect.store.message_log import MessageLog
    from recollect.store.retention import Retention
    from recollect.store.statistics import Statistics
    from recollect.store.turn_writing import RequestLog
    from recollect.store.user_leases import Attempts
    from recollect.store.users import (
        AdminReadLog,
        Events,
        Portability,
        Profiles,
        Projects,
        Teams,
        UsageLog,
        UserSettings,
    )
    from recollect.webhook import Webhook


@dataclass(frozen=True, slots=True)
class Backends:
    """The parts of an open store, the models, and the caches that forget an erased person.

    Attributes:
        embedder: Embeds statements, and every text that is compared with them.
        log_embedder: Embeds the messages of the log; the same embedder, unless the settings name a server's model.
    """

    memories: "Memories"
    log: "MessageLog"
    index: "LogIndex"
    chats: "Chats"
    asked: "ChatRequests"
    requests: "RequestLog"
    retention: "Retention"
    inbox: "Inbox"
    jobs: "Jobs"
    flags: "UserSettings"
    usage: "UsageLog"
    admin_reads: "AdminReadLog"
    browsing: "Browsing"
    attempts: "Attempts"
    answers: "Answers"
    portability: "Portability"
    repairs: "Repairs"
    profiles: "Profiles"
    projects: "Projects"
    teams: "Teams"
    feedback: "Feedback"
    events: "Events"
    statistics: "Statistics"
    snapshots: SnapshotCache
    embedder: Embedder
    log_embedder: Embedder
    extractor: Extractor | None = None
    judge: Judge | None = None
    summarizer: Summarizer | None = None
    hinter: Hinter | None = None
    caches: Sequence[Cache] = ()
    spool: Spooled | None = None
    generations: Generations = ONLY_TODAYS
    generation_store: "EmbedderGenerations | None" = None
    webhook: "Webhook | None" = None
