"""Health and the two paths of an orchestrator answer whatever the database does, need no token, and tell nothing about users."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.recollect_proxy.memory_api.serving import Api, GivenEngine, engine_over
from tests.recollect_proxy.settings import changed
from tests.servers.running_proxy import RunningProxy, User, running_proxy
from tests.support.stores import NOON, Store
from tests.support.waiting import until
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.api.requests_and_health import ModelCalls, Spooled
from recollect.engine.counters import ModelUse
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import StoreError, StoreUnavailableError
from recollect.formation import CallStatistics, TokenBudget
from recollect.model import Awaits, Backlog
from recollect.store.inbox import Inbox
from recollect_proxy.memory_api.request_and_health_operations import health_of
from recollect_proxy.metrics import PROBES, Condition, Inquiry, Probes, read_condition
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Event

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


@pytest.mark.parametrize("awaits", Awaits)
def test_what_waits_for_the_next_day_or_for_a_person_is_no_degradation(awaits: Awaits) -> None:
    health = health_of(Condition(Backlog(waiting={awaits: 1}), IDLE), NOTHING_WAITS, {})

    is_expected = awaits in {Awaits.BUDGET, Awaits.APPROVAL, Awaits.GIVEN_UP}
    assert health.status == ("ok" if is_expected else "degraded")


async def ask(probes: Probes, path: bytes, method: str = "GET") -> tuple[int, dict[bytes, bytes], bytes]:
    sent: list[Event] = []

    async def receive() -> Event:
        raise AssertionError("it waits for nothing of the client's")

    async def send(event: Event) -> None:
        sent.append(event)

    await probes({"type": "http", "method": method, "raw_path": path, "headers": []}, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


async def readiness(probes: Probes) -> tuple[int, dict[str, object]]:
    status, headers, body = await ask(probes, b"/memory/ready")
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"cache-control"] == b"no-store"
    return status, json.loads(body)


async def test_it_is_ready_from_the_end_of_the_start_to_the_word_to_leave(store: Store) -> None:
    for engine, memory in ((engine_over(store), "available"), (None, "unavailable")):
        probes = Probes(GivenEngine(engine))
        for started, draining in ((False, False), (True, False), (True, True)):
            probes.is_started, probes.draining = started, draining
            ready = started and not draining
            told = {"ready": ready, "memory": memory, "waiting": 0}
            assert await readiness(probes) == (200 if ready else 503, told)


async def test_a_store_that_hangs_is_not_waited_for(store: Store) -> None:
    inbox = Hanging(store.inbox)
    probes = Probes(GivenEngine(engine_over(with_parts(store, inbox=inbox))), patience=0.02)
    probes.is_started = True

    async with asyncio.timeout(20):
        assert await readiness(probes) == (200, {"ready": True, "memory": "unavailable", "waiting": 0})
    inbox.answers.set()


async def test_it_lives_from_the_first_to_the_last_and_asks_nobody() -> None:
    probes = Probes(object.__new__(LiveEngine))  # which would fail if it were asked
    for started, draining in ((False, False), (True, False), (True, True)):
        probes.is_started, probes.draining = started, draining
        status, headers, body = await ask(probes, b"/memory/live")
        assert (status, json.loads(body)) == (200, {"live": True})
        assert headers[b"cache-control"] == b"no-store"


async def test_nothing_else_can_be_done_there() -> None:
    for path in PROBES:
        status, headers, _ = await ask(Probes(GivenEngine(None)), path, "POST")
        assert (status, headers[b"allow"]) == (405, b"GET, HEAD")


async def test_a_proxy_needs_no_token_for_them(proxy: RunningProxy) -> None:
    for path in PROBES:
        answer = await proxy.fetch(b"GET", path)
        head = await proxy.fetch(b"HEAD", path)

        assert (answer.status, head.status, head.body) == (200, 200, b"")
        assert answer.json in ({"live": True}, {"ready": True, "memory": "available", "waiting": 0})
        assert (await proxy.fetch(b"GET", path + b"/")).status == 404


async def test_a_proxy_without_its_database_is_ready_and_says_what_it_lacks(
    session_settings: ProxySettings, user: User, tmp_path: Path
) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"
    # A data folder of its own: the exchange that waits there would be written by whoever next starts over it.
    own = changed(session_settings, database_url=nowhere, data_dir=tmp_path)
    async with running_proxy(own) as proxy:
        ready = await proxy.fetch(b"GET", b"/memory/ready")
        chat = await proxy.say(user, "Is it morning?")

        async def one_waits() -> bool:
            waiting = await proxy.fetch(b"GET", b"/memory/ready")
            return bool(waiting.json == {"ready": True, "memory": "unavailable", "waiting": 1})

        await until(one_waits)
        health = await proxy.api(b"GET", "/health")

    assert (ready.status, ready.json) == (200, {"ready": True, "memory": "unavailable", "waiting": 0})
    assert health.json["spool"]["exchanges"] == 1
    assert chat.header(b"x-recollect-skipped") == b"store"
