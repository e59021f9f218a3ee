"""Requests written byte by byte. Never: a test."""

import asyncio

from tests.servers.running_proxy import RunningProxy
from tests.support.raw_client import RawConnection, Response

HOST = b"Host: proxy.test\r\n"
POST = b"POST /v1/embeddings HTTP/1.1\r\n" + HOST
GET = b"GET /v1/models HTTP/1.1\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


async def ask(proxy: RunningProxy, request: bytes) -> Response:
    """Send bytes on a connection of its own, and read one answer."""
    async with asyncio.timeout(30), RawConnection(proxy.port) as connection:
        await connection.send(request)
        return await connection.read_response()
