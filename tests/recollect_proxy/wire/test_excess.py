"""What is sent in excess, or never to its end, is refused, and the server lives."""

import asyncio

import pytest
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.raw_requests import CHUNKED, GET, HOST, POST, ask
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy
from tests.support.raw_client import RawConnection

from recollect_proxy.serving.protocol import LARGEST_HEAD, MOST_FIELDS, BoundedProtocol

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


async def test_an_answer_may_take_longer_than_a_head(
    proxy: RunningProxy, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_seconds", 0.1)
    upstream.answers.append((0.5, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))

    assert (await ask(proxy, GET + HOST + b"\r\n")).body == b"{}"
