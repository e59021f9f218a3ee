"""An upstream that sends without end, or reads when it likes, and counts what really went. Never: HTTP's rules."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

BLOCK = b"data: " + b"x" * (2**18 - 8) + b"\n\n"


@dataclass
class Flow:
    """One upstream, for one request at a time.

    Attributes:
        port: Where on the loopback.
        sent: Bytes of the answer's body that it could hand to its socket.
        taken: Bytes of the request that it read, its head included.
        reads_on: Whether it may read what stands behind the request's head.
        client_left: Set when the other side is gone.
    """

    port: int = 0
    sent: int = 0
    taken: int = 0
    reads_on: asyncio.Event = field(default_factory=asyncio.Event)
    client_left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def base_url(self) -> str:
        """Where it is served, as a proxy is told it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def forget(self) -> None:
        """Forget the request before."""
        self.sent = self.taken = 0
        self.reads_on, self.client_left = asyncio.Event(), asyncio.Event()

    async def pour(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer with 500 MB, as fast as they are taken."""
        await reader.readuntil(b"\r\n\r\n")
        length = 500 * 2**20
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % length)
        try:
            while self.sent < length:
                writer.write(BLOCK)
                await writer.drain()
                self.sent += len(BLOCK)
        except ConnectionError:
            self.client_left.set()
        finally:
            writer.close()

    async def stall(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request's head, and the rest when told to; never answer."""
        self.taken = len(await reader.readuntil(b"\r\n\r\n"))
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's has it
        await self.reads_on.wait()
        writer.transport.resume_reading()  # type: ignore[attr-defined]  # as above
        try:
            while piece := await reader.read(2**20):
                self.taken += len(piece)
        except ConnectionError:
            pass  # as good as an end
        self.client_left.set()
        writer.close()


@asynccontextmanager
async def pouring_upstream() -> AsyncIterator[Flow]:
    """Serve an upstream that sends without end."""
    flow = Flow()
    async with await asyncio.start_server(flow.pour, "127.0.0.1", 0) as server:
        flow.port = server.sockets[0].getsockname()[1]
        yield flow


@asynccontextmanager
async def stalling_upstream() -> AsyncIterator[Flow]:
    """Serve an upstream that does not read on."""
    flow = Flow()
    async with await asyncio.start_server(flow.stall, "127.0.0.1", 0) as server:
        flow.port = server.sockets[0].getsockname()[1]
        yield flow
