"""Connections are shared where they can be, and let go where nobody listens any more."""

import asyncio

from tests.scripted.upstream import End, ScriptedUpstream
from tests.servers.running_proxy import RunningProxy
from tests.support.raw_client import RawConnection, request_bytes


async def test_a_client_that_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((End.SILENCE,))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/embeddings", (), b"{}"))
        await upstream.requests(1)
        client.leave()

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert upstream.last.interrupted


async def test_many_requests_share_a_connection_each_way(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        await client.read_response()
        opened = upstream.connections
        for _ in range(20):
            await client.send(request_bytes(b"GET", b"/v1/models"))
            assert (await client.read_response()).status == 200

    assert upstream.connections == opened
