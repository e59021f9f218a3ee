"""What is sent in excess, or never to its end, is refused, and nobody holds a connection to the upstream who sends nothing or has left."""

import asyncio

import pytest
from structlog.testing import capture_logs
from tests.recollect_proxy.given import CAT
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.wire.routes import CHUNKED, GET, HOST, POST, Route, on_every_route
from tests.scripted.upstream import (
    EVENT_STREAM,
    JSON,
    Answer,
    End,
    ScriptedUpstream,
    completion,
    event,
    events,
    head,
    streamed,
)
from tests.servers.running_proxy import RunningProxy, User, chat_request
from tests.support.cancelling import survives_cancelling
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until

from recollect_proxy.serving.http_protocol import BoundedProtocol
from recollect_proxy.web.request_limits import LARGEST_HEAD, MOST_FIELDS

BOMBS = {
    "10,000 headers": GET + HOST + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
    "a megabyte in one": GET + HOST + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n",
    "a name of a megabyte": GET + HOST + b"y" * 1_000_000 + b": x\r\n\r\n",
    "a path of a megabyte": b"GET /v1/" + b"y" * 1_000_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "a megabyte that never ends": GET + HOST + b"X: " + b"y" * 1_000_000,
    "empty lines": b"\r\n" * 500_000,
    "10,000 trailers": POST
    + CHUNKED
    + b"\r\n0\r\n"
    + b"".join(b"X-%d: y\r\n" % n for n in range(10_000))
    + b"\r\n",
}


@in_turn("bomb", BOMBS.values())
async def test_a_head_out_of_all_proportion_is_refused_and_the_server_lives(
    proxy: RunningProxy, upstream: ScriptedUpstream, bomb: bytes
) -> None:
    async with asyncio.timeout(60), RawConnection(proxy.port) as connection:
        try:
            await connection.send(bomb)
            came = await connection.read_rest()
        except ConnectionError:
            came = b""  # refused before it was all sent

    assert came[:12] in {b"HTTP/1.1 400", b""}
    assert not [request for request in upstream.received if request.method == b"GET"]
    assert (await proxy.fetch(b"GET", b"/v1/models")).status == 200


async def test_a_head_that_is_large_but_sensible_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    fields = [(b"X-%d" % number, b"y" * 200) for number in range(MOST_FIELDS // 2)]

    answer = await proxy.fetch(b"GET", b"/v1/models", fields)

    assert sum(len(name) + len(value) for name, value in fields) < LARGEST_HEAD
    assert answer.status == 200
    assert len(upstream.last.headers) > MOST_FIELDS // 2


async def test_a_head_that_never_comes_is_not_waited_for(
    proxy: RunningProxy, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.2)
    beginnings = [b"", b"GET /v1/models HT", GET + HOST + b"X: y", GET + HOST + b"\r\n" + GET + b"Ho"]

    for beginning in beginnings:
        async with asyncio.timeout(30), RawConnection(proxy.port) as connection:
            await connection.send(beginning)
            if beginning.startswith(GET + HOST + b"\r\n"):
                await connection.read_response()
            assert await connection.read_rest() == b""
    assert len(upstream.received) == 1


IN_CHUNKS = [(b"Transfer-Encoding", b"chunked")]
LONG = [(b"Content-Length", b"100")]


@pytest.mark.parametrize("framing", [IN_CHUNKS, LONG])
async def test_who_sends_a_head_and_nothing_more_takes_no_connection(
    proxy: RunningProxy, upstream: ScriptedUpstream, framing: list[tuple[bytes, bytes]]
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", framing))
        await proxy.busy()

        assert (await proxy.fetch(b"GET", b"/v1/models")).status == 200
        assert proxy.app.upstream.connections.lent == 0
        assert len(upstream.begun) == 1


@pytest.mark.parametrize("framing", [IN_CHUNKS, LONG])
async def test_a_body_that_stops_coming_is_given_up(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    framing: list[tuple[bytes, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.3)
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", framing))
        await client.send(b"1\r\nx\r\n" if framing is IN_CHUNKS else b"x")
        await upstream.requests(1, begun=True)

        assert await client.read_rest() == b""

    await until(lambda: not proxy.app.upstream.connections.lent)


@pytest.mark.parametrize("behind", [b"", b"GET /v1/models HTTP/1.1\r\nHos"])
async def test_an_answer_may_take_longer_than_a_head_though_half_a_request_stands_behind_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, behind: bytes
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.2)
    upstream.answers.append((0.6, *completion("At last.")))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models", []) + behind)

        answer = await client.read_response()

    assert (answer.status, answer.complete) == (200, True)


async def test_who_asked_twice_at_once_and_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(streamed(event({"content": "One"}), End.SILENCE))
    async with RawConnection(proxy.port) as client:
        await client.send(2 * request_bytes(b"GET", b"/v1/models", []))
        await client.read_head()
        client.leave()

    await until(lambda: not proxy.app.upstream.connections.lent)
    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()


async def test_many_upgrades_to_another_protocol_in_one_breath_are_each_declined(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upgrade = [(b"Connection", b"Upgrade"), (b"Upgrade", b"h2c")]
    async with RawConnection(proxy.port) as client:
        await client.send(400 * request_bytes(b"GET", b"/v1/models", upgrade))
        statuses = [(await client.read_response()).status for _ in range(400)]

    assert statuses == [200] * 400
    assert len(upstream.received) == 400


@in_turn("method", [b"POST", b"PATCH", b"GET"])
async def test_what_makes_something_is_not_asked_for_twice(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes
) -> None:
    await proxy.fetch(b"GET", b"/v1/models")
    upstream.answers += [(End.CLOSE,), (End.CLOSE,)]
    before = len(upstream.received)

    answer = await proxy.fetch(method, b"/v1/batches", [], None if method == b"GET" else b"{}")

    assert answer.status == 502
    assert len(upstream.received) - before == (2 if method == b"GET" else 1)


@in_turn(
    ("target", "status"),
    [
        (b"/v1/../admin/keys", 400),
        (b"/v1/chat/..%253b/..;/x", 400),
        (b"/v1/models/org%2Fmodel", 200),
        (b"/v1/a/../b/./c?x=/../..", 200),
    ],
)
async def test_the_operators_key_is_for_what_lies_below_the_base(
    keyed: RunningProxy, upstream: ScriptedUpstream, target: bytes, status: int
) -> None:
    answer = await keyed.fetch(b"GET", target)

    assert answer.status == status
    assert len(upstream.received) == (status == 200)


async def test_a_request_always_has_a_target(
    upstream: ScriptedUpstream, listening_proxies: ListeningProxies
) -> None:
    origin = upstream.base_url.removesuffix("/v1")
    async with listening_proxies.serve(upstream=origin, upstreams='[{"path": "/v1"}]') as proxy:
        for target in (b"/v1", b"/v1?a=1"):
            assert (await proxy.fetch(b"GET", target)).status == 200
            assert upstream.last.target == b"/" + target.removeprefix(b"/v1")


MOMENTS: dict[str, Answer] = {
    "before the first byte": (End.SILENCE,),
    "behind the head": (head(200, [*EVENT_STREAM, (b"Transfer-Encoding", b"chunked")]), End.SILENCE),
    "within a stream": streamed(*list(events("Min", "ka"))[:3], End.SILENCE),
    "within a whole answer": (head(200, [*JSON, (b"Content-Length", b"4000")]) + b"{" * 40, End.SILENCE),
}


@in_turn("moment", MOMENTS)
@in_turn("politely", [True, False])
@on_every_route
async def test_a_client_that_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, moment: str, route: Route, *, politely: bool
) -> None:
    upstream.answers.append(MOMENTS[moment])
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, route.headers(user), route.body))
        [request] = await upstream.requests(1)
        if moment != "before the first byte":
            assert await client.read_head() == 200
        if not politely:
            client.leave()

    async with asyncio.timeout(5):
        await request.client_left.wait()


async def test_an_upload_that_breaks_off_is_not_the_upstreams_failure(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    with capture_logs() as logs:
        async with RawConnection(proxy.port) as client:
            await client.send(request_bytes(b"POST", b"/v1/files", [(b"Content-Length", b"100000")]))
            await client.send(b"x" * 50_000)
            [request] = await upstream.requests(1, begun=True)
            client.leave()
            async with asyncio.timeout(20):
                await request.client_left.wait()
            await proxy.settle()

    said = {line["event"] for line in logs}
    assert "client_left" in said
    assert "upstream_failed" not in said
    assert upstream.received == []


async def test_a_chat_that_breaks_off_is_not_sent_on(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(chat_request(user, CAT)[:-5])
        await proxy.busy()
        client.leave()
    await proxy.settle()

    assert upstream.begun == []
    assert await proxy.logged(user) == []


async def test_of_300_requests_cancelled_at_random_nothing_is_left(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await survives_cancelling(proxy, upstream, user, count=300, least=30, answers=20)
