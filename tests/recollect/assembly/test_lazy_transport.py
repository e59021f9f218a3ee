"""The client that an engine opens with asks as httpx's own does."""

import asyncio

import httpx
import pytest

from recollect.assembly.lifecycle import LazyTransport


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
    await writer.drain()
    writer.close()


async def test_it_is_made_at_the_first_request_and_closed_with_the_client() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    transport = LazyTransport()
    async with server, httpx.AsyncClient(transport=transport) as client:
        answers = [await client.get(f"http://127.0.0.1:{port}/") for _ in range(2)]

    assert [each.text for each in answers] == ["hi", "hi"]


async def test_it_checks_certificates() -> None:
    transport = LazyTransport()
    async with httpx.AsyncClient(transport=transport) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://127.0.0.1:9/")

    assert transport._made is not None
    context = transport._made._pool._ssl_context
    assert context is not None
    assert context.check_hostname


async def test_it_is_closed_without_ever_having_been_asked() -> None:
    async with httpx.AsyncClient(transport=LazyTransport()):
        pass
