"""Servers that talk as a test tells them, and connections to them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.scripted.upstream import ScriptedUpstream

from recollect_proxy.upstream.connection import Connection, Response
from recollect_proxy.upstream.pool import Address, Pool

GET = (b"GET", b"/x", [(b"Host", b"x")], None)
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

Talk: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Serving:
    """A server."""

    port: int = 0
    heads: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer every request that has no body."""
        while True:
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(WHOLE)


async def endless(drawn: list[int]) -> AsyncIterator[bytes]:
    """Yield a megabyte after the other, and count them."""
    while True:
        drawn[0] += 1
        yield b"x" * 2**20
        await asyncio.sleep(0.01)


def says(*said: bytes) -> Talk:
    """Return a talk that says this to a request without a body, and then listens until the other side leaves."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for each in said:
            writer.write(each)
            await asyncio.sleep(0.06 if len(said) > 1 else 0)
        await reader.read()

    return talk


@asynccontextmanager
async def serving(talk: Talk | None = None, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Serving]:
    server = Serving()
    open_now: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_now.add(task)
        try:
            await (talk or server.answer)(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or we stop
        finally:
            server.left.set()
            open_now.discard(task)
            writer.transport.abort()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)


@asynccontextmanager
async def connected(server: Serving | ScriptedUpstream) -> AsyncIterator[Connection]:
    _, connection = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", server.port)
    try:
        yield connection
    finally:
        connection.end_exchange()
        connection.abort()


@asynccontextmanager
async def pooled(
    where: Serving | str, *, limit: int = 10, connect_timeout: float = 20
) -> AsyncIterator[Pool]:
    """Make a pool; it is closed on leaving."""
    url = where if isinstance(where, str) else f"http://127.0.0.1:{where.port}"
    pool = Pool(Address.parse(url), limit=limit, connect_timeout=connect_timeout)
    try:
        yield pool
    finally:
        await pool.aclose()


async def drained(answer: Response) -> bytes:
    """Read an answer to its end; return its body."""
    body = b""
    while piece := await answer.read_unread():
        body += piece
    return body


async def ask(connection: Connection) -> Response:
    """Send a request that has no body, and return the answer when it is there to its end."""
    response = connection.send(*GET, silence=20)
    await response.head
    await drained(response)
    return response
