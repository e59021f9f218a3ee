import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.types import EventDict
from tests.recollect.store.embedded.servers import Start
from tests.recollect.store.indexing import whole
from tests.servers.databases import administrator, sql_rows, sql_value
from tests.support.stores import NOON, Store, store_over
from tests.support.waiting import until

from recollect.errors import EmbedderError, StoreError, StoreUnavailableError
from recollect.model import Scope
from recollect.store import open_postgres

SECRET = "what Anna said in confidence"

Drain = Callable[[str], Awaitable[timedelta | None]]


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.jobs._POLL_WHEN_FULL", timedelta(seconds=0.05))


@pytest.fixture
async def store(own_dsn: str) -> AsyncIterator[Store]:
    opened = await open_postgres(own_dsn, heartbeat=0.3)
    yield store_over(opened)
    await opened.aclose()


@asynccontextmanager
async def running(store: Store, drain: Drain) -> AsyncIterator[None]:
    task = asyncio.create_task(store.jobs.run(drain))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def say(store: Store, *user_ids: str) -> None:
    for user_id in user_ids:
        await store.log.append(store.exchange("hello", Scope(user_id, "chat-1")))


class Table:
    """The queue's tables as an operator sees them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    async def statuses(self) -> list[str]:
        rows = await sql_rows(self._dsn, "SELECT status::text FROM recollect.pgqueuer ORDER BY id")
        return [row["status"] for row in rows]

    async def is_empty(self) -> bool:
        return await self.statuses() == []

    async def holds_a_failed_job(self) -> bool:
        return await self.statuses() == ["failed"]

    async def log_text(self) -> str:
        return str(
            await sql_value(self._dsn, "SELECT string_agg(traceback::text, ' ') FROM recollect.pgqueuer_log")
        )


class Calls(list[str]):
    """Notes whose backlog is drained."""

    async def __call__(self, user_id: str) -> None:
        self.append(user_id)


@pytest.fixture
def table(own_dsn: str) -> Table:
    return Table(own_dsn)


async def test_a_users_backlog_is_one_job_and_keeps_nobody_waiting(store: Store, table: Table) -> None:
    calls: list[str] = []

    async def drain(user_id: str) -> timedelta | None:
        calls.append(user_id)
        return timedelta(seconds=600) if user_id == "anna" else None

    await say(store, *["anna"] * 50, "ben 🎉")
    async with running(store, drain):
        await until(lambda: "ben 🎉" in calls)

        async def few_wait() -> bool:
            return len(await table.statuses()) <= 4  # as many as were run at the same time

        await until(few_wait)

    assert calls.count("anna") <= 4


async def test_what_is_to_be_tried_again_is_looked_for_however_long_a_dead_process_has(own_dsn: str) -> None:
    calls: list[str] = []

    async def drain(user_id: str) -> timedelta | None:
        calls.append(user_id)
        return timedelta(milliseconds=100) if len(calls) == 1 else None

    patient = await open_postgres(own_dsn, heartbeat=600)
    store = store_over(patient)
    try:
        await say(store, "anna")
        async with running(store, drain):
            await until(lambda: len(calls) == 2, seconds=20)
    finally:
        await patient.aclose()


async def test_failures_quote_nobody(store: Store, table: Table, caplog: pytest.LogCaptureFixture) -> None:
    async def drain(_: str) -> None:
        try:
            await store.memories.apply(Scope("anna", SECRET), [SECRET], actor=SECRET, at=SECRET)  # type: ignore[arg-type, list-item]
        except AssertionError as error:  # as of assert_never: it quotes the value
            raise ValueError(SECRET) from error

    await say(store, "anna")
    with capture_logs() as logs:
        async with running(store, drain):
            await until(table.holds_a_failed_job)

    told = [each for each in logs if each["event"] == "job_failed"]
    assert [each["error"] for each in told] == ["ValueError"]
    assert told[0]["raised_at"].startswith("test_jobs.py:")
    assert "JobFailedError" in await table.log_text()
    for text in (await table.log_text(), str(logs), caplog.text):
        assert SECRET not in text


async def test_a_failure_of_ours_is_told_in_its_words(store: Store, table: Table) -> None:
    async def drain(_: str) -> None:
        raise EmbedderError("The embedder failed (X).")

    await say(store, "anna")
    with capture_logs() as logs:
        async with running(store, drain):
            await until(table.holds_a_failed_job)

    assert [each["detail"] for each in logs if each["event"] == "job_failed"] == ["The embedder failed (X)."]


@pytest.mark.parametrize(
    "failure",
    [
        StoreUnavailableError(),
        StoreError("The memory store failed (DiskFullError, 53100)."),
        asyncio.CancelledError(),  # by whomever: nothing of ours ends
    ],
)
async def test_whatever_fails_in_the_store_is_waited_out(
    store: Store, table: Table, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    monkeypatch.setattr("recollect.store.jobs._RETRY_AFTER_OUTAGE", timedelta(milliseconds=10))
    calls: list[str] = []

    async def drain(user_id: str) -> None:
        calls.append(user_id)
        if len(calls) < 3:
            raise failure

    await say(store, "anna")
    with capture_logs() as logs:
        async with running(store, drain):
            await until(table.is_empty)

    assert calls == ["anna"] * 3
    if isinstance(failure, StoreError):
        assert [each["event"] for each in logs if each["event"].startswith("job_")] == ["job_postponed"] * 2


async def test_one_worker_forms_for_one_user_at_a_time(own_dsn: str, table: Table) -> None:
    opened = await open_postgres(own_dsn, workers=1)
    store = store_over(opened)
    at_once = []
    draining = 0

    async def drain(_: str) -> None:
        nonlocal draining
        draining += 1
        at_once.append(draining)
        await asyncio.sleep(0.02)
        draining -= 1

    await say(store, "anna", "ben", "clara", "dora")
    async with running(store, drain):
        await until(table.is_empty)

    assert at_once == [1, 1, 1, 1]
    await opened.aclose()


async def test_no_end_waits_for_a_drain(store: Store, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.jobs._LEAVE_SECONDS", 0.2)
    began, go_on = asyncio.Event(), asyncio.Event()

    async def stubborn(_: str) -> None:
        began.set()
        while not go_on.is_set():
            with suppress(asyncio.CancelledError):
                await go_on.wait()

    await say(store, "anna")
    async with running(store, stubborn):
        await began.wait()
    assert await table.statuses() == ["picked"]
    go_on.set()

    async with running(store, Calls()):  # found by its silent heart
        await until(table.is_empty)


@pytest.mark.process
async def test_a_killed_processs_job_is_taken_up_again(store: Store, own_dsn: str, table: Table) -> None:
    script = """
import asyncio, sys
from recollect.store import open_postgres
async def drain(user_id):
    print(user_id, flush=True)
    await asyncio.sleep(600)
async def main():
    store = await open_postgres(sys.argv[1], heartbeat=1)
    await store.jobs.run(drain)
asyncio.run(main())
"""
    await say(store, "anna")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, own_dsn, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"anna\n"
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    calls = Calls()

    async with running(store, calls):
        await until(table.is_empty)

    assert calls == ["anna"]


def interruptions(logs: Sequence[EventDict]) -> int:
    return sum(each["event"] == "jobs_interrupted" for each in logs)


@pytest.mark.process
async def test_no_job_is_lost_by_outages(folder: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.jobs._RETRY_AFTER_OUTAGE", timedelta(seconds=0.1))
    monkeypatch.setattr("recollect.store.jobs._SHORTEST_BACKOFF", 0.05)
    server = start(folder)
    opened = await open_postgres(server.dsn, heartbeat=0.3)
    store = store_over(opened)
    table = Table(server.dsn)
    began = asyncio.Event()
    drained: list[str] = []

    async def drain(user_id: str) -> None:
        began.set()
        if server_is_up.is_set():
            await store.inbox.pending(user_id, limit=1)
        else:
            await asyncio.sleep(3600)  # cut off by the outage
        drained.append(user_id)

    server_is_up = asyncio.Event()
    await say(store, "anna")
    with capture_logs() as logs:
        async with running(store, drain):
            await began.wait()
            await asyncio.to_thread(server.stop)
            await until(lambda: interruptions(logs) > 3)
            server_is_up.set()
            await asyncio.to_thread(start, folder)
            await say(store, "ben")
            await until(table.is_empty)

    assert sorted(drained) == ["anna", "ben"]
    assert interruptions(logs) < 20
    assert any(each["event"] == "job_abandoned" for each in logs)
    await opened.aclose()


async def test_old_rows_of_the_queues_log_are_pruned(store: Store, own_dsn: str, table: Table) -> None:
    await say(store, "anna")
    async with administrator(own_dsn) as connection:
        await connection.execute("UPDATE recollect.pgqueuer_log SET created = now() - interval '8 days'")
        await say(store, "ben")

        async with running(store, Calls()):
            await until(table.is_empty)

        oldest = await connection.fetchval(
            "SELECT min(created) > now() - interval '1 day' FROM recollect.pgqueuer_log"
        )
    assert oldest is True


async def test_several_users_are_drained_at_once(store: Store) -> None:
    draining: set[str] = set()
    both = asyncio.Event()

    async def drain(user_id: str) -> None:
        draining.add(user_id)
        if len(draining) == 2:
            both.set()
        await both.wait()

    await say(store, store.anna, store.ben)
    async with running(store, drain):
        async with asyncio.timeout(60):
            await both.wait()


async def test_a_job_cut_off_by_the_end_is_the_next_runs_at_once(store: Store) -> None:
    began = asyncio.Event()
    calls = Calls()

    async def hang(user_id: str) -> None:
        calls.append(user_id)
        began.set()
        await asyncio.sleep(3600)

    await say(store, store.anna)
    async with running(store, hang):
        await began.wait()
    async with running(store, calls):
        await until(lambda: len(calls) == 2)

    assert calls == [store.anna] * 2


async def test_failed_exchanges_are_enqueued_again(store: Store) -> None:
    calls = Calls()

    said = store.exchange("hello", store.anna.scope)
    await store.log.append(said)
    async with running(store, calls):
        await until(lambda: len(calls) == 1)
        await store.inbox.postpone(said, error="broken", until=None)
        await store.inbox.retry_failed(at=NOON)
        await until(lambda: len(calls) == 2)


async def test_a_turn_called_valuable_is_indexed_by_one_job(store: Store) -> None:
    drained = []

    async def drain(user_id: str) -> None:
        for message in await store.index.unindexed(user_id, limit=9):
            await store.index.index(user_id, whole(message))
        drained.append(user_id)

    said = store.exchange("I drink tea.")
    await store.log.append(said)
    async with running(store, drain):
        await until(lambda: len(drained) == 1)
        for _ in range(2):
            assert await store.index.mark(store.anna.scope, said.message_id, marked=True)
        await until(lambda: len(drained) == 2)
        await store.index.enqueue("nobody-yet")
        await until(lambda: len(drained) == 3)

    assert drained == [store.anna, store.anna, "nobody-yet"]
