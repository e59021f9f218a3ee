"""Health answers whatever the database does, needs no token, and tells nothing about users."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import asyncpg
import structlog
from tests.contracts.stores import exchange
from tests.recollect_proxy.memory_api.serving import Api, engine_over, live, serve
from tests.recollections import NOON
from uuid_utils.compat import uuid7

from recollect.background import ModelUse
from recollect.errors import StoreError
from recollect.formation import Budget
from recollect.model import Backlog, Exchange, Scope, Turn
from recollect.postgres import Postgres
from recollect.testing import BrokenStore, InMemoryStore
from recollect_proxy.health_check import Condition, HealthCheck
from recollect_proxy.memory_api.health import Health, ModelCalls

UNAVAILABLE: dict[str, Any] = {
    "status": "degraded",
    "store": "unavailable",
    "formation": None,
    "model": None,
    "skipped": {},
}
IDLE = ModelUse(tokens_today=0, budget=Budget(), failures=0, left_alone_until=None, opened=0)


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
        "model": {
            "tokens_today": 0,
            "tokens_per_day": 0,
            "user_tokens_per_day": 0,
            "breaker": "closed",
            "open_until": None,
        },
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

    assert await asyncio.gather(*(check.condition() for _ in range(10))) == [None] * 10
    assert await check.condition() is None
    assert (store.asked, store.cancelled) == (1, 1)

    store.answers.set()
    async with asyncio.timeout(10):
        while await check.condition() is None:
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
        assert await check.condition() is None
        assert await check.condition() is None

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
    assert Health.of(Condition(Backlog(failed=1), IDLE), {}).status == "degraded"
    assert Health.of(Condition(Backlog(pending=1000, fallbacks=5), IDLE), {}).status == "ok"


def test_models_that_are_left_alone_are_a_degradation_and_it_is_said_until_when() -> None:
    use = replace(IDLE, tokens_today=81, budget=Budget(user=10, everybody=90), left_alone_until=NOON)

    health = Health.of(Condition(Backlog(), use), {})

    assert (health.status, health.store) == ("degraded", "ok")
    assert health.model == ModelCalls(81, 90, 10, "open", NOON)


async def test_what_models_took_today_is_told_of_all_users_together(api: Api, postgres: Postgres) -> None:
    today = datetime.now(UTC).date()
    for user_id, tokens in (("ada", 30), ("bob", 12)):
        await postgres.log.append(exchange("Hello", Scope(user_id, "chat-1")))
        await postgres.usage.use(user_id, today, tokens)

    assert (await health(api))["model"]["tokens_today"] == 42
