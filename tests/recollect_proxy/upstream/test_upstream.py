"""The client as the relay uses it, end to end and on either loop; how failures are told apart."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.upstream.http1.loops import on_both_loops
from tests.scripted.upstream import End, ScriptedUpstream, streamed
from tests.support.waiting import until

from recollect_proxy.upstream.upstream import TruncatedError, Upstream, UpstreamError
from recollect_proxy.web.errors import (
    BAD_REQUEST,
    UPSTREAM_BROKE_OFF,
    UPSTREAM_BUSY,
    UPSTREAM_SILENT,
)


async def failure_of(upstream: Upstream, target: bytes = b"/x", *headers: tuple[bytes, bytes]) -> object:
    with pytest.raises(UpstreamError) as caught:
        async with upstream.forward("GET", target, headers, None):
            pass
    return caught.value.failure


async def test_what_can_not_be_sent_is_the_requests_own_fault() -> None:
    async with ScriptedUpstream() as server:
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)

        assert await failure_of(upstream, b"/x", (b"x-a", b"1\r\nx-b: 2")) is BAD_REQUEST
        await upstream.aclose()


def upstream_at(url: str, *, connections: int = 10, connect_timeout: float = 20) -> Upstream:
    return Upstream(url, connect_timeout=connect_timeout, read_timeout=20, connections=connections)


@on_both_loops
async def test_a_stream_and_an_upload_pass_on_one_connection() -> None:
    async def upload() -> AsyncIterator[bytes]:
        for _ in range(3):
            await asyncio.sleep(0)
            yield b"abc"

    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"one", 0.01, b"two"))
        upstream = upstream_at(server.base_url)
        async with upstream.forward("POST", b"/chat", [], b"{}") as answer:
            assert (answer.status, await answer.read_body()) == (200, b"onetwo")
        async with upstream.forward("POST", b"/files", [], upload()) as answer:
            await answer.read_body()

        assert server.last.body == b"abcabcabc"
        assert (server.connections, upstream.connections.idle) == (1, 1)
        await upstream.aclose()


@on_both_loops
async def test_failures_are_told_apart_and_take_no_place() -> None:
    async with ScriptedUpstream() as server:
        impatient = Upstream(server.base_url, connect_timeout=20, read_timeout=20, first_byte_timeout=0.2)
        server.answers.append((End.SILENCE,))
        assert await failure_of(impatient) is UPSTREAM_SILENT
        assert impatient.connections.lent == 0

        upstream = upstream_at(server.base_url, connections=1, connect_timeout=1)
        server.answers.append((b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n",))
        assert await failure_of(upstream) is UPSTREAM_BROKE_OFF
        server.answers.append((b"nonsense\r\n\r\n",))
        assert await failure_of(upstream) is UPSTREAM_BROKE_OFF

        server.answers.append(streamed(b"x", End.SILENCE))
        async with upstream.forward("GET", b"/x", [], None):
            assert await failure_of(upstream) is UPSTREAM_BUSY
        assert (upstream.connections.lent, upstream.connections.waiting) == (0, 0)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert answer.status == 200
        await upstream.aclose()


@on_both_loops
async def test_closing_ends_what_is_under_way() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"x", End.SILENCE))
        upstream = upstream_at(server.base_url)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert await answer.chunk() == b"x"
            reading = asyncio.create_task(answer.chunk())
            await asyncio.sleep(0)
            await upstream.aclose()
            with pytest.raises(TruncatedError):
                await reading
        async with asyncio.timeout(20):
            await server.last.client_left.wait()
        await until(lambda: upstream.connections.lent == 0)
