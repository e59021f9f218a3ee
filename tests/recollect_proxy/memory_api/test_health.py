"""Health answers whatever the database does, needs no token, and tells nothing about users."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import asyncpg
import structlog
from tests.recollect_proxy.memory_api.serving import Api, engine_over, live, serve
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import Backlog, Exchange, Scope, Turn
from recollect.testing import BrokenStore, InMemoryStore
from recollect_proxy.health_check import HealthCheck
from recollect_proxy.memory_api.health import Health

UNAVAILABLE: dict[str, Any] = {"status": "degraded", "store": "unavailable", "formation": None, "skipped": {}}


class HangingStore(InMemoryStore):
    """Does not answer, and does not let go at once when it is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.cancelled = 0
        self.answers = asyncio.Event()

    async def backlog(self) -> Backlog:
        self.asked += 1
        while not self.answers.is_set():
            try:
                await self.answers.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
        return await super().backlog()


async def health(api: Api) -> Any:
    response = await api.call("GET", "/memory/health", headers=[])
    assert response.status == 200
    assert response.header(b"cache-control") == b"no-store"
    return response.json


async def test_health_needs_no_token_and_says_how_formation_stands(api: Api) -> None:
    assert await health(api) == {
        "status": "ok",
        "store": "ok",
        "formation": {"pending": 0, "failed": 0, "formed": 0, "fallbacks": 0, "oldest_pending_at": None},
        "skipped": {},
    }


async def test_health_is_degraded_while_the_engine_is_not_open() -> None:
    async with serve(None) as api:
        assert await health(api) == UNAVAILABLE


async def test_health_is_degraded_while_the_store_is_away_and_well_again_afterwards() -> None:
    store = BrokenStore()
    async with serve(engine_over(store)) as api:
        assert await health(api) == UNAVAILABLE
        store.failure = None
        assert (await health(api))["status"] == "ok"


async def test_health_answers_while_the_database_hangs(api: Api, store_dsn: str) -> None:
    lock = await asyncpg.connect(store_dsn)
    try:
        async with lock.transaction():
            await lock.execute("LOCK TABLE recollect.exchanges IN ACCESS EXCLUSIVE MODE")
            assert await health(api) == UNAVAILABLE
            assert await asyncio.gather(*(health(api) for _ in range(20))) == [UNAVAILABLE] * 20
    finally:
        await lock.close()

    async with asyncio.timeout(60):
        while (await health(api))["store"] != "ok":
            pass


async def test_a_store_that_hangs_is_asked_once_however_many_ask_us() -> None:
    store = HangingStore()
    engine = live(engine_over(store))
    await engine.start()
    check = HealthCheck(engine, patience=0.02)

    assert await asyncio.gather(*(check.backlog() for _ in range(10))) == [None] * 10
    assert await check.backlog() is None
    assert (store.asked, store.cancelled) == (1, 1)

    store.answers.set()
    async with asyncio.timeout(10):
        while await check.backlog() is None:
            pass
    await engine.aclose()


async def test_what_the_store_raises_is_logged_and_stays_inside() -> None:
    class Faulty(InMemoryStore):
        async def backlog(self) -> Backlog:
            raise failures.pop()

    failures = [ZeroDivisionError("a bug"), StoreError("a failure")]
    engine = live(engine_over(Faulty()))
    await engine.start()
    check = HealthCheck(engine)

    with structlog.testing.capture_logs() as logs:
        assert await check.backlog() is None
        assert await check.backlog() is None

    assert [(entry["event"], entry["error"]) for entry in logs] == [
        ("health_store_unavailable", "StoreError"),
        ("health_store_unavailable", "ZeroDivisionError"),
    ]
    await engine.aclose()


async def test_health_names_no_user_and_no_text() -> None:
    store = InMemoryStore()
    turn = Turn(Scope("ada", "chat-1"), "A secret.", "key", datetime(2026, 3, 15, tzinfo=UTC), "a-model")
    await store.append(Exchange(uuid7(), turn, "A reply.", uuid7(), uuid7()))
    async with serve(engine_over(store)) as api:
        body = (await api.call("GET", "/memory/health", headers=[])).body

    assert b'"pending":1' in body
    assert b"ada" not in body
    assert b"secret" not in body


def test_exchanges_held_as_failed_are_a_degradation() -> None:
    assert Health.of(Backlog(failed=1), {}).status == "degraded"
    assert Health.of(Backlog(pending=1000, fallbacks=5), {}).status == "ok"
