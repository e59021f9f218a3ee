"""An upstream that can't be asked, or does not answer: 502, 503 or 504, in OpenAI's shape, naming who failed."""

import asyncio

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import Route, on_every_route, said_by
from tests.scripted.upstream import End, ScriptedUpstream, completion
from tests.servers.full_queue import nobody_accepts
from tests.servers.running_proxy import RunningProxy, User

CAT = "I have a cat called Minka."


@on_every_route
async def test_a_refusal_is_a_502_on_every_route(lonely: RunningProxy, user: User, route: Route) -> None:
    answer = await route.ask(lonely, user)

    assert answer.status == 502
    assert said_by(answer) == "upstream_unreachable"


async def test_a_connection_that_is_not_made_in_time_is_a_504(
    listening_proxies: ListeningProxies, user: User
) -> None:
    with nobody_accepts() as port:
        upstream = f"http://127.0.0.1:{port}/v1"
        own = {"upstream": upstream, "connect_timeout_seconds": 0.2}
        async with listening_proxies.serve(**own) as proxy:
            for answer in (await proxy.say(user, CAT), await proxy.fetch(b"GET", b"/v1/models")):
                assert answer.status == 504
                assert said_by(answer) == "upstream_timeout"


async def test_an_upstream_that_says_nothing_is_a_504(
    impatient: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: (End.SILENCE,)

    for answer in (await impatient.say(user, CAT), await impatient.fetch(b"GET", b"/v1/models")):
        assert answer.status == 504
        assert said_by(answer) == "upstream_timeout"
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert await impatient.logged(user) == [("user", CAT)]


async def test_who_finds_every_connection_taken_waits_a_while_and_is_told_503(
    hasty: RunningProxy, upstream: ScriptedUpstream, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hasty.app.upstream.connections, "_limit", asyncio.Semaphore(2))
    go_on = asyncio.Event()
    upstream.answers += [(go_on, *completion("One.")), (go_on, *completion("Two."))]
    under_way = [asyncio.create_task(hasty.say(user, CAT, chat=f"chat-{number}")) for number in range(2)]
    await upstream.requests(2)

    refused = await hasty.say(user, CAT)
    other = await hasty.fetch(b"GET", b"/v1/models")
    go_on.set()
    answers = await asyncio.gather(*under_way)
    late = await hasty.say(user, CAT)

    for answer in (refused, other):
        assert answer.status == 503
        assert answer.header(b"x-recollect-error") == b"proxy"
        assert answer.json["error"]["code"] == "upstream_busy"
        assert answer.json["error"]["type"] == "proxy_error"
    assert [answer.status for answer in (*answers, late)] == [200, 200, 200]
