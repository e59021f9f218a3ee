"""Enqueues and runs background jobs in PgQueuer's queue, whose table is in our schema. Each job drains one user's inbox."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from typing import Any, cast

import asyncpg
import structlog
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Job, TracebackRecord
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.domain.types import JOB_STATUS, Channel

from recollect.errors import RecollectError, StoreError, described
from recollect.store.pool import Access, Connection, store_errors
from recollect.store.sql import SQL

_FORM = "form"
"""The one kind of job: a user has something to form. The payload is the user's id, as UTF-8."""

_CHANNEL = Channel("recollect_jobs")

_HELD_AT_ONCE = 1000  # jobs of one batch

# Every name is given, so that no PGQUEUER_* variable of another application changes ours.
_SETTINGS = DBSettings(
    prefix="",
    db_schema="recollect",
    channel=_CHANNEL,
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
_OUR_NAMES: dict[str, Any] = {
    "qbe": QueryBuilderEnvironment(_SETTINGS),
    "qbq": QueryQueueBuilder(_SETTINGS),
    "qbs": QuerySchedulerBuilder(_SETTINGS),
}


def _queue_on(connection: Connection) -> Queries:
    """Return the queue's queries, run on ``connection`` and in its transaction."""
    return Queries(
        AsyncpgDriver(cast("asyncpg.Connection", connection)), **_OUR_NAMES
    )  # a lent one is as good


async def install_queue(connection: Connection) -> None:
    """Create the queue's tables, or bring them up to the installed PgQueuer; and an index of ours on them."""
    queue = _queue_on(connection)
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
    await _queue_on(connection).enqueue(
        [_FORM] * count, [job_payload(user_id) for user_id in user_ids], [0] * count
    )


def job_payload(user_id: str) -> bytes:
    """Return the payload by which the user's jobs are known."""
    return user_id.encode()


async def requeue_held(connection: Connection) -> None:
    """Put every job held as failed back into the queue."""
    queue = _queue_on(connection)
    while held := await queue.list_failed_jobs(_HELD_AT_ONCE):
        await queue.requeue_jobs([job.id for job in held])


Drain = Callable[[str], Awaitable[timedelta | None]]

_POLL_WHEN_FULL = timedelta(seconds=0.25)
_POLL_WHEN_IDLE = timedelta(seconds=1)
"""No notification comes when a retry is due."""
WORKERS = 4
"""Users formed for at the same time by a process. They share a model's server; `recollect worker` adds more on any machine."""

HEARTBEAT_SECONDS = 10.0
"""Seconds until the jobs of a killed process are taken up again: soon for a person who waits for a memory, and rare
enough for a write to the database each."""

_RETRY_AFTER_OUTAGE = timedelta(seconds=5)
_SHORTEST_BACKOFF, _LONGEST_BACKOFF = 0.5, 15.0
_LEAVE_SECONDS = 2.0  # a job's end may hang on a lost connection
_LOG_KEPT = timedelta(days=7)  # long enough to look into a fault
_PRUNE_SECONDS = 3600.0

_log = structlog.get_logger(__name__)


class JobFailedError(RecollectError):
    """A job failed; its own error is in the log, as its message may quote a user."""


class Jobs:
    """Durable background work in the same database as the memories, over a connection of its own.

    At most so many ``workers`` run at the same time. After a ``heartbeat`` without a sign of life another process takes over a job.
    """

    def __init__(self, access: Access, *, workers: int, heartbeat: timedelta) -> None:
        self._access = access
        self._workers = workers
        self._heartbeat = heartbeat

    async def run(self, drain: Drain) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once.

        A job says only that this user has something to form. ``drain`` returns None when the
        user's inbox is empty, else after how long to call it again; that time survives a crash.
        When ``drain`` raises a StoreError, it is called again later, for as long as that lasts;
        when it raises anything else, the job is held as failed, visible, never dropped.
        """
        backoff = _SHORTEST_BACKOFF
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                async with self._access.connection() as connection:
                    worker = _Worker(connection, drain, self._workers, pooled=self._access.pooled)
                    await worker.run(self._heartbeat)
            except Exception as error:  # noqa: BLE001 - whatever ends the queue's loop, the jobs must go on
                _log.warning("jobs_interrupted", **described(error), retry_seconds=backoff)
            if loop.time() - began > _LONGEST_BACKOFF:  # it worked meanwhile: this is another outage
                backoff = _SHORTEST_BACKOFF
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _LONGEST_BACKOFF)


class _Driver(AsyncpgDriver):
    """PgQueuer's driver, which tells when a statement failed."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        super().__init__(connection)
        self._connection = connection
        # PgQueuer waits for its running jobs before it gives up a connection, and asyncpg does not always call its termination
        # listeners: jobs must not keep a worker on a connection that is lost.
        self.failed = asyncio.Event()
        connection.add_termination_listener(lambda _: self.failed.set())

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        with self._telling():
            return await super().fetch(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        with self._telling():
            return await super().execute(query, *args)

    async def notify(self, channel: str, payload: str) -> None:
        with self._telling():
            await super().notify(channel, payload)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            self.failed.set()
            raise


class _PooledDriver(_Driver):
    """The same behind a pooler: a statement is a transaction."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        super().__init__(connection)
        self._one_at_a_time = asyncio.Lock()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        async with self._transaction():
            return await super().fetch(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        async with self._transaction():
            return await super().execute(query, *args)

    async def notify(self, channel: str, payload: str) -> None:
        async with self._transaction():
            await super().notify(channel, payload)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        async with self._one_at_a_time, self._connection.transaction():
            await self._connection.execute(SQL["end_by_itself"])
            yield

    async def add_listener(self, channel: str, callback: Callable[[str | bytes | bytearray], None]) -> None:
        """Listen to nothing: the next transaction may be on another connection. Jobs are looked for every second anyway."""


class _Queries(Queries):
    """PgQueuer's queries, but no job is lost to a cancellation or an outage: without a heartbeat it is picked up again."""

    async def log_jobs(self, job_status: list[tuple[Job, JOB_STATUS, TracebackRecord | None]]) -> None:
        # PgQueuer would delete a job that was cancelled.
        ended = [entry for entry in job_status if entry[1] != "canceled"]
        if ended:
            await super().log_jobs(ended)

    async def retry_job(self, job: Job, delay: timedelta, traceback_record: TracebackRecord | None) -> None:
        try:
            with store_errors():
                await super().retry_job(job, delay, traceback_record)
        except StoreError as error:  # PgQueuer would hold it as failed
            _log.warning("job_abandoned", **described(error))


class _Worker:
    """Works off the queue over one connection, until that is lost."""

    def __init__(self, connection: Connection, drain: Drain, workers: int, *, pooled: bool) -> None:
        self._drain = drain
        self._workers = workers
        self._free = asyncio.Semaphore(workers)
        driver = (_PooledDriver if pooled else _Driver)(cast("asyncpg.Connection", connection))
        self._ending = driver.failed
        self._queries = _Queries(driver, **_OUR_NAMES)

    async def run(self, heartbeat: timedelta) -> None:
        queue = QueueManager(self._queries, channel=_CHANNEL)
        queue.min_dequeue_poll_interval = _POLL_WHEN_FULL
        # A failed job stays visible, else it would be dropped.
        queue.entrypoint(_FORM, on_failure="hold")(self._form)
        working = asyncio.create_task(
            queue.run(
                dequeue_timeout=min(heartbeat / 2, _POLL_WHEN_IDLE),
                batch_size=max(1, self._workers // 2),
                max_concurrent_tasks=max(2, self._workers),  # PgQueuer asks for twice the batch
                shutdown_on_listener_failure=True,
                heartbeat_timeout=heartbeat,
                log_aggregation_interval=timedelta(0),  # PgQueuer's statistics are not used
            )
        )
        pruning = asyncio.create_task(self._prune_log())
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._ending.set()
            queue.shutdown.set()
            pruning.cancel()
            await _leave(working)
        if not working.cancelled():
            working.result()

    async def _form(self, job: Job) -> None:
        draining = asyncio.create_task(self._call_drain(job.payload or b""))
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait({draining, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            draining.cancel()
            await asyncio.wait({draining})  # so that it gives its lease back before the job is free
        if draining.cancelled():
            raise RetryRequested(timedelta(0) if self._ending.is_set() else _RETRY_AFTER_OUTAGE)
        try:
            again_after = draining.result()
        except StoreError as error:  # the work is still to be done once the store can
            _log.warning(
                "job_postponed", **described(error), retry_seconds=_RETRY_AFTER_OUTAGE.total_seconds()
            )
            raise RetryRequested(_RETRY_AFTER_OUTAGE) from None
        except Exception as error:  # noqa: BLE001 - whatever it is, PgQueuer must not write its text down
            _log.error("job_failed", **described(error))
            raise JobFailedError from None
        if again_after is not None:
            raise RetryRequested(again_after)

    async def _call_drain(self, payload: bytes) -> timedelta | None:
        async with self._free:
            await self._take_over(payload)
            return await self._drain(payload.decode())

    async def _take_over(self, payload: bytes) -> None:
        """Delete the user's waiting jobs: this one reads the whole inbox, and does their work, too."""
        # Every exchange adds a job. While another worker holds the inbox all of them would come back every few seconds, ahead of
        # other users' newer ones, and delay everybody's memories.
        with suppress(StoreError), store_errors():  # they then find an empty inbox
            await self._queries.driver.execute(SQL["take_over_jobs"], _FORM, payload)

    async def _prune_log(self) -> None:
        while True:
            with suppress(StoreError), store_errors():  # the next hour tries again
                await self._queries.driver.execute(SQL["prune_job_log"], _LOG_KEPT)
            await asyncio.sleep(_PRUNE_SECONDS)


async def _leave(working: asyncio.Task[None]) -> None:
    """Wait for the end of the queue's loop, and cancel it if it does not come."""
    await asyncio.wait({working}, timeout=_LEAVE_SECONDS)
    if not working.done():
        working.cancel()
        await asyncio.wait({working}, timeout=_LEAVE_SECONDS)
