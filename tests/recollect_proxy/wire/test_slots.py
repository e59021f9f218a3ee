"""Nobody holds a connection to the upstream who sends nothing, or has left. On real sockets."""

import asyncio

import pytest
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.scripted.upstream import End, ScriptedUpstream, completion, event, streamed
from tests.servers.running_proxy import RunningProxy
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until

from recollect_proxy.serving.protocol import BoundedProtocol

CHUNKED = [(b"Transfer-Encoding", b"chunked")]
LONG = [(b"Content-Length", b"100")]


@pytest.mark.parametrize("framing", [CHUNKED, LONG])
async def test_who_sends_a_head_and_nothing_more_takes_no_connection(
    proxy: RunningProxy, upstream: ScriptedUpstream, framing: list[tuple[bytes, bytes]]
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", framing))
        await proxy.busy()

        assert (await proxy.fetch(b"GET", b"/v1/models")).status == 200
        assert proxy.app.upstream.connections.lent == 0
        assert len(upstream.begun) == 1


@pytest.mark.parametrize("framing", [CHUNKED, LONG])
async def test_a_body_that_stops_coming_is_given_up(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    framing: list[tuple[bytes, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.3)
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", framing))
        await client.send(b"1\r\nx\r\n" if framing is CHUNKED else b"x")
        await upstream.requests(1, begun=True)

        assert await client.read_rest() == b""

    await until(lambda: not proxy.app.upstream.connections.lent)


async def test_a_long_answer_is_not_cut_by_half_a_request_behind_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.2)
    upstream.answers.append((0.6, *completion("At last.")))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models", []) + b"GET /v1/models HTTP/1.1\r\nHos")

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


async def test_what_an_upstreams_header_must_not_hold_costs_nobody_the_answer(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((b"HTTP/1.1 200 OK\r\nX-Odd: a\x01b\x7f\r\nContent-Length: 2\r\n\r\n{}",))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert (answer.status, answer.body, answer.values(b"x-odd")) == (200, b"{}", [b"a b"])


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
        (b"/v1/a/%2e%2E/../keys", 400),
        (b"/v1/..%2fadmin", 400),
        (b"/v1/..;/x", 400),
        (b"/v1/%252e%252e/x", 400),
        (b"/v1/..%5cx", 400),
        (b"/v1/..%00/x", 400),
        (b"/v1/%c0%ae%c0%ae/x", 400),
        (b"/v1/a%2fb/../../x", 400),
        (b"/v1/chat/..%253b/..;/x", 400),
        (b"/v1/models/org%2Fmodel", 200),
        (b"/v1/a/../b/./c?x=/../..", 200),
        (b"/v1/...", 200),
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
