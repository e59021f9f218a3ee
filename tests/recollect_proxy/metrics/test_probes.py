"""The two paths that an orchestrator asks: whether the process lives, and whether requests should come."""

import asyncio
import json
from pathlib import Path

from tests.recollect_proxy.memory_api.serving import GivenEngine, engine_over
from tests.recollect_proxy.settings import changed
from tests.servers.running_proxy import RunningProxy, User, running_proxy
from tests.support.stores import Store
from tests.support.waiting import until
from tests.support.watched_stores import Through, with_parts

from recollect.engine.live.live_engine import LiveEngine
from recollect.model import Backlog
from recollect_proxy.metrics.health_check import PROBES, Probes
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Event


class Hanging(Through):
    """An inbox that does not say how formation stands."""

    async def backlog(self) -> Backlog:
        await asyncio.Event().wait()
        raise AssertionError("nothing ends this")


async def ask(probes: Probes, path: bytes, method: str = "GET") -> tuple[int, dict[bytes, bytes], bytes]:
    """Return status, headers and body of an answer."""
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
    probes = Probes(GivenEngine(engine_over(store)))
    assert await readiness(probes) == (503, {"ready": False, "memory": "available", "waiting": 0})

    probes.is_started = True
    assert await readiness(probes) == (200, {"ready": True, "memory": "available", "waiting": 0})

    probes.draining = True
    assert await readiness(probes) == (503, {"ready": False, "memory": "available", "waiting": 0})


async def test_a_store_that_is_not_there_leaves_it_ready() -> None:
    probes = Probes(GivenEngine(None))
    probes.is_started = True

    assert await readiness(probes) == (200, {"ready": True, "memory": "unavailable", "waiting": 0})


async def test_a_store_that_hangs_is_not_waited_for(store: Store) -> None:
    hanging = with_parts(store, inbox=Hanging(store.inbox))
    probes = Probes(GivenEngine(engine_over(hanging)), patience=0.02)
    probes.is_started = True

    async with asyncio.timeout(20):
        assert await readiness(probes) == (200, {"ready": True, "memory": "unavailable", "waiting": 0})


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
