"""Opens the store: its schema brought up to date, and its parts over one pool."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, cast

import structlog

from recollect.index import SnapshotCache
from recollect.store.browsing import Browsing
from recollect.store.chats import ChatRequests, Chats
from recollect.store.feedback import Feedback
from recollect.store.inbox import Inbox
from recollect.store.jobs import HEARTBEAT_SECONDS, WORKERS, Jobs
from recollect.store.kept_answers import Answers
from recollect.store.log_index import EmbedderGenerations, LogIndex
from recollect.store.memories import Memories, Repairs
from recollect.store.message_log import MessageLog
from recollect.store.migration import migrate
from recollect.store.pool import Access, Connection, Database, is_pooled, store_errors
from recollect.store.pool.connections import POOL_SIZE
from recollect.store.retention import Retention
from recollect.store.snapshots import PostgresSnapshots
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

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Postgres:
    """An open store: its parts over one pool."""

    memories: Memories
    log: MessageLog
    index: LogIndex
    chats: Chats
    asked: ChatRequests
    requests: RequestLog
    retention: Retention
    inbox: Inbox
    jobs: Jobs
    flags: UserSettings
    usage: UsageLog
    admin_reads: AdminReadLog
    browsing: Browsing
    attempts: Attempts
    answers: Answers
    portability: Portability
    repairs: Repairs
    profiles: Profiles
    projects: Projects
    teams: Teams
    feedback: Feedback
    events: Events
    statistics: Statistics
    snapshots: SnapshotCache
    generations: EmbedderGenerations
    database: Database

    async def aclose(self) -> None:
        """Close the connections; the jobs must have been cancelled."""
        await self.database.aclose()


async def open_postgres(
    dsn: str,
    *,
    pool_size: int = POOL_SIZE,
    connect_timeout: float = 5.0,
    command_timeout: float = 30.0,
    lease: float = 15.0,
    workers: int = WORKERS,
    heartbeat: float = HEARTBEAT_SECONDS,
    cache_bytes: int = 256 * 1024 * 1024,
) -> Postgres:
    """Connect to a database, bring its schema up to date, and return the store.

    Args:
        dsn: ``postgresql://user:password@host/database``; a server with pgvector 0.8 or newer.
        pool_size: Connections at most; the jobs have one more of their own while they run.
        connect_timeout: Seconds a connection may take, and a call may wait for a free one.
        command_timeout: Seconds a statement may take.
        lease: Seconds after which the right to form for a user is free when its holder died.
        workers: Users formed for at the same time.
        heartbeat: Seconds after which the jobs of a killed process are taken up again.
        cache_bytes: The bytes of memory that the snapshots of active people may take.

    Raises:
        StoreUnavailableError: The database can't be reached; trying again may help.
        ConfigurationError: It can, but not used: wrong password, no pgvector, no privilege.
        StoreError: Its schema is newer than this code, or not what its record says.
    """
    async with Access(dsn, connect_timeout, command_timeout, pooled=True).connection() as connection:
        pooled = await _told_of_pooler(connection)
        schema = await migrate(connection, pooled=pooled)
    access = Access(dsn, connect_timeout, command_timeout, schema.search_path, pooled)
    pool = await access.pool(size=pool_size, vector_schema=schema.vector_schema)
    path = schema.search_path if pooled else None
    database = Database(pool, acquire_timeout=connect_timeout, user_role=schema.user_role, search_path=path)
    inbox = Inbox(database, lease=timedelta(seconds=lease))
    jobs = Jobs(access, workers=workers, heartbeat=timedelta(seconds=heartbeat))
    return _stores_over(database, inbox, jobs, cache_bytes)


def _stores_over(database: Database, inbox: Inbox, jobs: Jobs, cache_bytes: int) -> Postgres:
    made: dict[str, Any] = {
        "inbox": inbox,
        "jobs": jobs,
        "snapshots": SnapshotCache(PostgresSnapshots(database), most_bytes=cache_bytes),
        "database": database,
    }
    # The type of a field is its class, as this module's annotations are no strings.
    others = {each.name: cast("Any", each.type) for each in fields(Postgres) if each.name not in made}
    return Postgres(**{name: part(database) for name, part in others.items()}, **made)


async def migrate_postgres(
    dsn: str, *, connect_timeout: float = 5.0, command_timeout: float = 30.0
) -> tuple[str, ...]:
    """Bring a database's schema up to date, and return the names of the migrations that were applied.

    Args and errors are those of ``open_postgres``.
    """
    async with Access(dsn, connect_timeout, command_timeout, pooled=True).connection() as connection:
        return (await migrate(connection, pooled=await _told_of_pooler(connection))).applied


async def _told_of_pooler(connection: Connection) -> bool:
    """Return whether a pooler stands before the server, and log what that costs."""
    with store_errors():
        pooled = await is_pooled(connection)
    if pooled:
        log.info("pooler_detected", statements="not kept", jobs="looked for every second")
    return pooled
