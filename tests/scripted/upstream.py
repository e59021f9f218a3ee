"""An LLM server on a real socket that answers from a script, and misbehaves at will.

HTTP/1.1 written by hand (RFC 9112), so that a test sees every byte that came and chooses every byte
that goes. An answer is a sequence of steps: bytes to write, seconds to wait, events to wait for, and
how to end.
"""

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Callable
from typing import Self

from tests.scripted.answers import (
    DONE,
    EVENT_STREAM,
    JSON,
    LAST_CHUNK,
    Answer,
    End,
    Fields,
    Step,
    chunk,
    completion,
    completion_body,
    completion_stream,
    compressed,
    event,
    events,
    failure,
    head,
    streamed,
    until_close,
    whole,
)
from tests.support.received import Received

from recollect_proxy.upstream.upstream import USER_AGENT

__all__ = [
    "DONE",
    "EVENT_STREAM",
    "JSON",
    "LAST_CHUNK",
    "Answer",
    "End",
    "Fields",
    "Received",
    "ScriptedUpstream",
    "Step",
    "chunk",
    "completion",
    "completion_body",
    "completion_stream",
    "compressed",
    "event",
    "events",
    "failure",
    "head",
    "streamed",
    "until_close",
    "whole",
]


class _Reader(asyncio.StreamReader):
    """Notes the end of the client's words as it comes, not only when it is read."""

    def __init__(self) -> None:
        super().__init__(limit=2**20)
        self.ended = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.ended.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.ended.set()


class ScriptedUpstream:
    """Serves on a free port of the loopback; use it as an async context manager.

    Attributes:
        begun: Every request whose head has come, in order.
        received: Every request that came whole, in order.
        answers: What to answer next, in order.
        otherwise: What to answer when ``answers`` is empty.
        connections: How many were ever opened.
        refuse_bodies: Whether a request is answered as soon as its head has come.
        refusal: The status it is then answered with.
        looked_at: What to answer where a start looks whether we are there; that is no request of anybody, and not noted.
    """

    def __init__(self, otherwise: Callable[[Received], Answer] | None = None) -> None:
        self.begun: list[Received] = []
        self.received: list[Received] = []
        self.answers: deque[Answer] = deque()
        self.otherwise = otherwise or _all_right
        self.connections = 0
        self.refuse_bodies = False
        self.refusal = 413
        self.looked_at: Callable[[Received], Answer] = _nothing
        self.port = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Condition()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def base_url(self) -> str:
        """Where it is served, as a proxy is told it."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        """Serve, on the same port as before if there was one."""

        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(_Reader(), self._connected)

        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(protocol, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Refuse connections from now on, and cut those that are open."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def requests(self, count: int, *, begun: bool = False, seconds: float = 20) -> list[Received]:
        """Wait until that many requests have come (or their heads), and return all of them."""
        requests = self.begun if begun else self.received
        async with asyncio.timeout(seconds), self._arrived:
            await self._arrived.wait_for(lambda: len(requests) >= count)
        return requests

    def forget(self) -> None:
        """Forget what was received, what is to be answered, and how to answer otherwise."""
        self.begun.clear()
        self.received.clear()
        self.answers.clear()
        self.otherwise = _all_right
        self.refuse_bodies = False
        self.refusal = 413

    @property
    def last(self) -> Received:
        """The latest request."""
        return self.received[-1]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        assert isinstance(reader, _Reader)
        self._open.add(task)
        self.connections += 1
        try:
            while await self._answer_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or we stop
        finally:
            self._open.discard(task)
            writer.close()

    async def _answer_one(self, reader: _Reader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; return whether another may follow."""
        request = Received((await reader.readuntil(b"\r\n\r\n"))[:-4])
        if request.values(b"user-agent") == [USER_AGENT]:
            return await _perform(self.looked_at(request), reader, writer) is None
        await self._note(self.begun, request)
        watcher = asyncio.create_task(_note_end(reader, request))
        if self.refuse_bodies:
            await _perform((*failure(self.refusal), End.CLOSE), reader, writer)
            return False
        await _read_body(reader, request)
        await self._note(self.received, request)
        answer = self.answers.popleft() if self.answers else self.otherwise(request)
        end: End | None = None
        try:
            end = await _perform(answer, reader, writer)
        finally:
            request.interrupted = reader.ended.is_set()
            if not request.interrupted:
                watcher.cancel()
        return end is None and not request.interrupted

    async def _note(self, requests: list[Received], request: Received) -> None:
        async with self._arrived:
            requests.append(request)
            self._arrived.notify_all()


def _nothing(_request: Received) -> Answer:
    return whole(b"{}")


def _all_right(_request: Received) -> Answer:
    return completion("All right.")


async def _note_end(reader: _Reader, request: Received) -> None:
    await reader.ended.wait()
    request.client_left.set()


async def _read_body(reader: asyncio.StreamReader, request: Received) -> None:
    if any(value.lower() == b"chunked" for value in request.values(b"transfer-encoding")):
        await _read_chunks(reader, request)
    elif lengths := request.values(b"content-length"):
        request.raw_body = request.body = await _read_exactly(reader, request, int(lengths[0]))


async def _read_chunks(reader: asyncio.StreamReader, request: Received) -> None:
    raw, body = bytearray(), bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        data = await _read_exactly(reader, request, int(line.split(b";")[0], 16)) + await reader.readexactly(
            2
        )
        raw += line + data
        body += data[:-2]
        if len(data) == 2:  # the last chunk; trailers are not read
            request.raw_body, request.body = bytes(raw), bytes(body)
            return


async def _read_exactly(reader: asyncio.StreamReader, request: Received, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = await reader.read(size - len(data))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(data), size)
        data += piece
        request.arrived += len(piece)
    return bytes(data)


async def _perform(answer: Answer, reader: _Reader, writer: asyncio.StreamWriter) -> End | None:
    for step in answer:
        if reader.ended.is_set():
            return None
        if isinstance(step, bytes):
            writer.write(step)
            await writer.drain()
        elif isinstance(step, asyncio.Event):
            await _first(step, reader.ended)
        elif isinstance(step, End):
            if step is End.SILENCE:
                await reader.ended.wait()
            if step is End.RESET:
                linger = struct.pack("ii", 1, 0)  # nothing is sent any more, not even a FIN
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
            return step
        else:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.ended.wait(), step)
    return None


async def _first(*events: asyncio.Event) -> None:
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
