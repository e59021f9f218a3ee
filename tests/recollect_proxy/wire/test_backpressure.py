"""Who is slow is waited for, either way: what can't be handed on is not fetched, and fills no memory."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.recollect_proxy.own_proxies import ListeningProxies
from tests.recollect_proxy.upstream.servers import Talk
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_request
from tests.support.raw_client import request_bytes
from tests.support.waiting import until

MIB = 2**20
BLOCK = b"data: " + b"x" * (2**18 - 8) + b"\n\n"


def _most_buffered() -> int:
    """Return what the system's buffers of two connections may hold, and what little the proxy does; bytes.

    Each grows as it is needed, up to the last of the three numbers of a setting: tcp(7), tcp_rmem and tcp_wmem.
    """
    limits = [Path(f"/proc/sys/net/ipv4/{name}").read_text().split()[-1] for name in ("tcp_rmem", "tcp_wmem")]
    return 2 * sum(map(int, limits)) + 8 * MIB


IN_BUFFERS = _most_buffered()


@dataclass
class Flow:
    """One upstream, for one request at a time."""

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
async def serving(flow: Flow, talk: Talk) -> AsyncIterator[Flow]:
    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        flow.port = server.sockets[0].getsockname()[1]
        yield flow


class StubbornClient:
    """A client that reads only when told to, and writes as long as it may."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self.written = 0

    async def write(self, data: bytes) -> None:
        """Write these bytes, however long it takes."""
        view = memoryview(data)
        while view:
            try:
                sent = self._socket.send(view)
            except BlockingIOError:
                await asyncio.sleep(0.001)
                continue
            self.written += sent
            view = view[sent:]

    async def write_blocks(self, count: int) -> None:
        """Write so many of them."""
        for _ in range(count):
            await self.write(BLOCK)

    async def read(self, size: int) -> int:
        """Read at least so many bytes; return how many they were."""
        taken = 0
        while taken < size:
            piece = await asyncio.get_running_loop().sock_recv(self._socket, MIB)
            assert piece, "the answer ended too early"
            taken += len(piece)
        return taken


@asynccontextmanager
async def stubborn_client(port: int) -> AsyncIterator[StubbornClient]:
    """Connect, and close without reading in the end."""
    with socket.socket() as connected:
        connected.setblocking(False)  # noqa: FBT003 -- its only argument
        await asyncio.get_running_loop().sock_connect(connected, ("127.0.0.1", port))
        yield StubbornClient(connected)


async def stands_still(count: Callable[[], int]) -> int:
    """Wait until a count has begun and then is the same however often it is looked at; return it."""
    await until(lambda: count() > 0)
    before, looks = 0, 0
    while looks < 8:
        looks = looks + 1 if count() == before else 0
        before = count()
        await asyncio.sleep(0.1)  # in which everybody who may go on does
    return before


@pytest.fixture(scope="module")
async def pouring(listening_proxies: ListeningProxies) -> AsyncIterator[tuple[Flow, RunningProxy]]:
    """An upstream that sends without end, and a proxy before it."""
    async with (
        serving(flow := Flow(), flow.pour) as upstream,
        listening_proxies.serve(upstream=upstream.base_url) as proxy,
    ):
        yield upstream, proxy


@pytest.mark.parametrize("with_memory", [True, False], ids=["a chat", "another path"])
async def test_a_client_that_does_not_read_stops_the_upstream(
    pouring: tuple[Flow, RunningProxy], user: User, *, with_memory: bool
) -> None:
    upstream, proxy = pouring
    upstream.forget()
    request = chat_request(user, "Hi.", stream=True) if with_memory else request_bytes(b"GET", b"/v1/files/1")
    async with stubborn_client(proxy.port) as client:
        await client.write(request)

        assert await stands_still(lambda: upstream.sent) < IN_BUFFERS

        taken = await client.read(40 * MIB)  # and goes on where it stood
        assert taken < await stands_still(lambda: upstream.sent) < taken + IN_BUFFERS
        assert not upstream.client_left.is_set()
        client._socket.close()
        async with asyncio.timeout(20):
            await upstream.client_left.wait()


@pytest.fixture(scope="module")
async def stalling(listening_proxies: ListeningProxies) -> AsyncIterator[tuple[Flow, RunningProxy]]:
    """An upstream that does not read on, and a proxy before it."""
    async with serving(flow := Flow(), flow.stall) as upstream:
        own = {"upstream": upstream.base_url, "memory_body_limit": MIB}
        async with listening_proxies.serve(**own) as proxy:
            yield upstream, proxy


@pytest.mark.parametrize("with_memory", [True, False], ids=["a chat too large for memory", "an upload"])
async def test_an_upstream_that_does_not_read_stops_the_client(
    stalling: tuple[Flow, RunningProxy], user: User, *, with_memory: bool
) -> None:
    upstream, proxy = stalling
    upstream.forget()
    length = (b"Content-Length", b"%d" % (2000 * len(BLOCK)))  # 500 MB
    own = [length, *(user.headers() if with_memory else [])]
    head = request_bytes(b"POST", CHAT if with_memory else b"/v1/files", own)
    async with stubborn_client(proxy.port) as client:
        await client.write(head)
        writing = asyncio.create_task(client.write_blocks(2000))
        await until(lambda: upstream.taken > 0)

        assert await stands_still(lambda: client.written) < IN_BUFFERS

        upstream.reads_on.set()
        await until(lambda: upstream.taken > 40 * MIB)  # and goes on where it stood
        assert client.written < upstream.taken + IN_BUFFERS
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        client._socket.close()
        async with asyncio.timeout(20):
            await upstream.client_left.wait()
