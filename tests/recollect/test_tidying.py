"""What the engine looks after by itself: what has no index yet is indexed, old requests are forgotten."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from structlog.testing import capture_logs
from tests.recollect.engines import PATIENT, engine_over
from tests.recollections import NOON, turn
from tests.waiting import until
from uuid_utils.compat import uuid7

from recollect import tidying
from recollect.engine import Engine
from recollect.errors import StoreUnavailableError
from recollect.model import RequestRecord, Scope
from recollect.testing import InMemoryStore


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tidy again at once, where a real engine waits for an hour."""
    monkeypatch.setattr(tidying, "_EVERY_SECONDS", 0.01)
    monkeypatch.setattr(tidying, "_RETRY_SECONDS", 0.01)


class Watched(InMemoryStore):
    """A store that tells when it was tidied, and may break at it."""

    def __init__(self) -> None:
        super().__init__()
        self.pruned = 0
        self.enqueued = 0
        self.breaks: Exception | None = None

    async def enqueue_unindexed(self) -> int:
        self.enqueued += 1
        if self.breaks is not None:
            raise self.breaks
        return await super().enqueue_unindexed()

    async def prune_requests(self, before: datetime) -> int:
        self.pruned += 1
        if self.breaks is not None:
            raise self.breaks
        return await super().prune_requests(before)


@asynccontextmanager
async def running(engine: Engine) -> AsyncIterator[None]:
    task = asyncio.create_task(engine.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})
    assert task.cancelled()


async def tidied(store: Watched, times: int = 2) -> None:
    wanted = store.pruned + times
    await until(lambda: store.pruned >= wanted)


def request_at(at: datetime) -> RequestRecord:
    return RequestRecord(uuid7(), at, Scope("anna", "chat-1"), "completions/stable", "scripted")


async def test_old_requests_are_forgotten_and_others_stay() -> None:
    store = Watched()
    engine = engine_over(store, replace(PATIENT, keep_requests_days=7))
    old, young = request_at(NOON - timedelta(days=8)), request_at(NOON - timedelta(days=6))
    for told in (old, young):
        await engine.record(told, turn())

    async with running(engine):
        await tidied(store)

    assert await engine.request(old.id) is None
    assert await engine.request(young.id) == young


async def test_what_was_said_before_there_was_an_index_is_indexed() -> None:
    store = Watched()
    await engine_over(store, PATIENT).remember(turn("I drink tea"), "Good.")
    store.jobs.erase("anna")  # as in a database of before

    async def is_indexed() -> bool:
        return not await store.unindexed("anna", limit=1)

    async with running(engine_over(store, PATIENT)):
        await until(is_indexed)


async def test_a_store_that_is_away_is_tidied_later() -> None:
    store = Watched()
    engine = engine_over(store, PATIENT)
    old = request_at(NOON - timedelta(days=365))
    await engine.record(old, turn())
    store.failure = StoreUnavailableError()

    with capture_logs() as logs:
        async with running(engine):
            await tidied(store)
            store.failure = None
            await tidied(store)

    assert {line["event"] for line in logs} >= {"enqueue_unindexed_failed", "prune_requests_failed"}
    assert await engine.request(old.id) is None


async def test_a_fault_in_tidying_ends_no_formation_and_quotes_nobody() -> None:
    store = Watched()
    store.breaks = ValueError("I drink tea")
    engine = engine_over(store, PATIENT)

    async def all_formed() -> bool:
        return (await engine.backlog()).pending == 0

    with capture_logs() as logs:
        async with running(engine):
            await tidied(store)
            await engine.remember(turn("I drink tea"), "Good.")
            await until(all_formed)

    failed = [line for line in logs if line["event"].endswith("_failed")]
    assert {line["error"] for line in failed} == {"ValueError"}
    assert all(line["place"] for line in failed)
    assert "tea" not in str(failed)


async def test_what_has_no_index_is_enqueued_until_that_has_succeeded_once() -> None:
    store = Watched()
    store.breaks = ValueError()

    async with running(engine_over(store, PATIENT)):
        await until(lambda: store.enqueued >= 3)
        store.breaks = None
        await tidied(store)
        enqueued = store.enqueued
        await tidied(store, 3)

    assert store.enqueued == enqueued
