"""PgQueuer's queue among our tables: its names, its schema, and how a job is enqueued. Never: runs a job."""

from collections.abc import Sequence
from typing import TypeVar, cast

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.domain.types import Channel

from recollect.store.pool import Connection
from recollect.store.sql import SQL

AnyDriver = TypeVar("AnyDriver", bound=AsyncpgDriver)
AnyQueries = TypeVar("AnyQueries", bound=Queries)

FORM = "form"
"""The one kind of job: a user has something to form. The payload is the user's id, as UTF-8."""

CHANNEL = Channel("recollect_jobs")

_HELD_AT_ONCE = 1000

# Every name is given, so that no PGQUEUER_* variable of another application changes ours.
_SETTINGS = DBSettings(
    prefix="",
    db_schema="recollect",
    channel=CHANNEL,
    function="fn_pgqueuer_changed",
    statistics_table="pgqueuer_statistics",
    queue_status_type="pgqueuer_status",
    queue_table="pgqueuer",
    queue_table_log="pgqueuer_log",
    trigger="tg_pgqueuer_changed",
    schedules_table="pgqueuer_schedules",
    durability=Durability.durable,
    widen_id=True,
)
_ENVIRONMENT = QueryBuilderEnvironment(_SETTINGS)
_QUEUE = QueryQueueBuilder(_SETTINGS)
_SCHEDULES = QuerySchedulerBuilder(_SETTINGS)


def driver_on(connection: Connection, kind: type[AnyDriver]) -> AnyDriver:
    """Return PgQueuer's driver over ``connection``."""
    return kind(cast("asyncpg.Connection", connection))  # a lent one is as good


def queue_on(connection: Connection) -> Queries:
    """Return the queue's queries, run on ``connection`` and in its transaction."""
    return queries_of(driver_on(connection, AsyncpgDriver), Queries)


def queries_of(driver: AsyncpgDriver, kind: type[AnyQueries]) -> AnyQueries:
    """Return PgQueuer's queries over ``driver``, under our names."""
    return kind(driver, qbe=_ENVIRONMENT, qbq=_QUEUE, qbs=_SCHEDULES)


async def install_queue(connection: Connection) -> None:
    """Create the queue's tables, or bring them up to the installed PgQueuer; and an index of ours on them."""
    queue = queue_on(connection)
    if await queue.schema_is_installed():
        await queue.upgrade()
    else:
        await queue.install(create_schema=False)
    if await connection.fetchval(SQL["jobs_lack_index"]):
        await connection.execute(SQL["index_jobs"])


async def enqueue(connection: Connection, user_ids: Sequence[str]) -> None:
    """Enqueue one job for each user, in the connection's transaction."""
    # Also for a user who has one: that one may have looked at the inbox already.
    count = len(user_ids)
    await queue_on(connection).enqueue(
        [FORM] * count, [job_payload(user_id) for user_id in user_ids], [0] * count
    )


def job_payload(user_id: str) -> bytes:
    """Return the payload by which the user's jobs are known."""
    return user_id.encode()


async def requeue_held(connection: Connection) -> None:
    """Put every job held as failed back into the queue."""
    queue = queue_on(connection)
    while held := await queue.list_failed_jobs(_HELD_AT_ONCE):
        await queue.requeue_jobs([job.id for job in held])
