"""Health answers whatever the database does, needs no token, and tells nothing about users."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import structlog
from tests.recollect_proxy.memory_api.serving import Api, GivenEngine, engine_over
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.api.insights import ModelCalls, Spooled
from recollect.engine.background.counts import ModelUse
from recollect.errors import StoreError, StoreUnavailableError
from recollect.formation import CallStatistics, TokenBudget
from recollect.model import Backlog
from recollect.store.inbox import Inbox
from recollect_proxy.memory_api.of_insights import health_of
from recollect_proxy.metrics.health_check import Condition, Inquiry, read_condition

SPOOL = {"exchanges": 0, "bytes": 0, "on_disk": False, "lost": 0, "late": 0}
UNAVAILABLE: dict[str, Any] = {"status": "degraded", "store": "unavailable", "formation": None, "model": None}
UNAVAILABLE |= {"spool": SPOOL, "skipped": {}}
NOTHING_WAITS = Spooled(0, 0, on_disk=True, lost=0, late=0)
IDLE = ModelUse(0, TokenBudget(), CallStatistics(), NOON - timedelta(minutes=1))


@pytest.fixture
def api(own_api: Api) -> Api:
    """The Memory API over a database of the test's own: health is everybody's."""
    return own_api


class Hanging(Through):
    """An inbox that does not answer, and does not let go at once when it is cancelled."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(inbox)
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
        backlog: Backlog = await self._part.backlog()
        return backlog


async def health(api: Api) -> Any:
    response = await api.call("GET", "/memory/health", headers=[])
    assert response.status == 200
    assert response.header(b"cache-control") == b"no-store"
    return response.json


async def test_health_needs_no_token_and_says_how_formation_stands(api: Api) -> None:
    formation: dict[str, Any] = dict.fromkeys(("pending", "failed", "formed"), 0) | {"waiting": {}}
    model = dict.fromkeys(("tokens_today", "tokens_per_day", "user_tokens_per_day"), 0)
    assert await health(api) == {
        "status": "ok",
        "store": "ok",
        "formation": formation | {"oldest_waiting_at": None, "oldest_pending_at": None},
        "model": model | {"breaker": "closed", "open_until": None},
        "spool": SPOOL,
        "skipped": {},
    }


async def test_health_is_degraded_while_the_store_is_away(api: Api, own_store: Store) -> None:
    with api.over(None):
        assert await health(api) == UNAVAILABLE
    outage = Outage(StoreUnavailableError())
    with api.over(engine_over(breakable(own_store, outage))):
        assert await health(api) == UNAVAILABLE
        outage.failure = None
        assert (await health(api))["status"] == "ok"


async def test_a_store_that_hangs_is_asked_once_however_many_ask_us(own_store: Store) -> None:
    inbox = Hanging(own_store.inbox)
    engine = GivenEngine(engine_over(with_parts(own_store, inbox=inbox)))
    check = Inquiry(engine, read_condition, patience=0.02)

    assert await asyncio.gather(*(check.answer() for _ in range(10))) == [None] * 10
    assert await check.answer() is None
    assert (inbox.asked, inbox.cancelled) == (1, 1)

    inbox.answers.set()

    async def answered() -> bool:
        return await check.answer() is not None

    await until(answered)


async def test_what_the_store_raises_is_logged_and_stays_inside(store: Store) -> None:
    class Faulty(Through):
        async def backlog(self) -> Backlog:
            raise failures.pop()

    failures = [ZeroDivisionError("a bug"), StoreError("a failure")]
    check = Inquiry(GivenEngine(engine_over(with_parts(store, inbox=Faulty(store.inbox)))), read_condition)

    with structlog.testing.capture_logs() as logs:
        assert await check.answer() is None
        assert await check.answer() is None

    assert [(entry["event"], entry["error"]) for entry in logs] == [
        ("health_check_failed", "StoreError"),
        ("health_check_failed", "ZeroDivisionError"),
    ]


def test_models_that_are_left_alone_are_a_degradation_and_it_is_said_until_when() -> None:
    guarded = CallStatistics(left_alone_until=NOON)
    use = replace(IDLE, tokens_today=81, budget=TokenBudget(user=10, everybody=90), guarded=guarded)

    health = health_of(Condition(Backlog(), use), NOTHING_WAITS, {})

    assert (health.status, health.store) == ("degraded", "ok")
    assert health.model == ModelCalls(81, 90, 10, "open", NOON)
