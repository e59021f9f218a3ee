"""How failures are told apart."""

import asyncio

import pytest
from tests.scripted.upstream import End, ScriptedUpstream, streamed

from recollect_proxy.upstream.upstream import Upstream, UpstreamError
from recollect_proxy.web.errors import BAD_REQUEST


async def failure_of(upstream: Upstream, target: bytes = b"/x", *headers: tuple[bytes, bytes]) -> object:
    with pytest.raises(UpstreamError) as caught:
        async with upstream.forward("GET", target, headers, None):
            pass
    await upstream.aclose()
    return caught.value.failure


async def test_what_can_not_be_sent_is_the_requests_own_fault() -> None:
    async with ScriptedUpstream() as server:
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)

        assert await failure_of(upstream, b"/x", (b"x-a", b"1\r\nx-b: 2")) is BAD_REQUEST


async def test_closing_without_a_request_is_nothing() -> None:
    await Upstream("http://127.0.0.1:9/v1", connect_timeout=5, read_timeout=5).aclose()


async def test_an_answer_that_is_not_read_closes_its_connection() -> None:
    async with ScriptedUpstream() as server:
        server.answers.append(streamed(b"x", End.SILENCE))
        upstream = Upstream(server.base_url, connect_timeout=5, read_timeout=5)
        async with upstream.forward("GET", b"/x", [], None) as answer:
            assert answer.status == 200
        async with asyncio.timeout(20):
            await server.last.client_left.wait()
        await upstream.aclose()
