"""An LLM server on a real socket that answers from a script, and misbehaves at will.

HTTP/1.1 written by hand (RFC 9112), so that a test sees every byte that came and chooses every byte
that goes. An answer is a sequence of steps: bytes to write, seconds to wait, events to wait for, and
how to end. Never: an HTTP library, what a test expects.
"""

import asyncio
import contextlib
import gzip
import json
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self, TypeAlias

import brotli
import zstandard


class End(Enum):
    """How an answer leaves the connection; one without an end keeps it alive."""

    CLOSE = "close"
    RESET = "reset"  # RST instead of FIN
    SILENCE = "silence"  # say nothing more until the client leaves


Step: TypeAlias = bytes | float | asyncio.Event | End
Answer: TypeAlias = tuple[Step, ...]
Fields: TypeAlias = list[tuple[bytes, bytes]]


@dataclass
class Received:
    """A request, exactly as it came.

    Attributes:
        head: Request line and header lines, without the empty line behind them.
        raw_body: The body as it was framed.
        body: The body without its framing.
        client_left: Set when the client closes the connection.
        interrupted: Whether it did so before the answer was written to its end.
    """

    head: bytes
    raw_body: bytes = b""
    body: bytes = b""
    client_left: asyncio.Event = field(default_factory=asyncio.Event)
    interrupted: bool = False

    @property
    def line(self) -> bytes:
        """The request line."""
        return self.head.split(b"\r\n")[0]

    @property
    def method(self) -> bytes:
        """The request's method."""
        return self.line.split(b" ")[0]

    @property
    def target(self) -> bytes:
        """Path and query, as sent."""
        return self.line.split(b" ")[1]

    @property
    def headers(self) -> Fields:
        """The header fields in order, their names as sent."""
        lines = (line.partition(b":") for line in self.head.split(b"\r\n")[1:])
        return [(name, value.strip()) for name, _, value in lines]

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of a header, whatever the case of its name."""
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def system(self) -> str:
        """What the system says in a chat request; "" if it says nothing."""
        return "\n".join(
            message["content"] for message in self.json["messages"] if message["role"] == "system"
        )


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
        refuse_bodies: Whether a request is answered with 413 as soon as its head has come.
    """

    def __init__(self, otherwise: Callable[[Received], Answer] | None = None) -> None:
        self.begun: list[Received] = []
        self.received: list[Received] = []
        self.answers: deque[Answer] = deque()
        self.otherwise = otherwise or _all_right
        self.connections = 0
        self.refuse_bodies = False
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
        """Wait until that many requests have come (or their heads), and return all of them.

        Raises:
            TimeoutError: They did not come.
        """
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
        await self._note(self.begun, request)
        watcher = asyncio.create_task(_note_end(reader, request))
        if self.refuse_bodies:
            await _perform((*failure(413), End.CLOSE), reader, writer)
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


def _all_right(_request: Received) -> Answer:
    return completion("All right.")


async def _note_end(reader: _Reader, request: Received) -> None:
    await reader.ended.wait()
    request.client_left.set()


async def _read_body(reader: asyncio.StreamReader, request: Received) -> None:
    if any(value.lower() == b"chunked" for value in request.values(b"transfer-encoding")):
        await _read_chunks(reader, request)
    elif lengths := request.values(b"content-length"):
        request.raw_body = request.body = await reader.readexactly(int(lengths[0]))


async def _read_chunks(reader: asyncio.StreamReader, request: Received) -> None:
    raw, body = bytearray(), bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        data = await reader.readexactly(int(line.split(b";")[0], 16) + 2)
        raw += line + data
        body += data[:-2]
        if len(data) == 2:  # the last chunk; trailers are not read
            request.raw_body, request.body = bytes(raw), bytes(body)
            return


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
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


# -- what an answer is made of ---------------------------------------------------------------------


def head(status: int, headers: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
    """Return a status line and header lines, with the empty line behind them."""
    lines = [b"HTTP/1.1 %d Scripted" % status, *(name + b": " + value for name, value in headers)]
    return b"\r\n".join([*lines, b"", b""])


def chunk(data: bytes) -> bytes:
    """Return a chunk of the chunked transfer coding; of no data, the last one."""
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST_CHUNK = chunk(b"")
EVENT_STREAM: Fields = [(b"Content-Type", b"text/event-stream")]
JSON: Fields = [(b"Content-Type", b"application/json")]


def whole(body: bytes, *, status: int = 200, headers: Iterable[tuple[bytes, bytes]] = JSON) -> Answer:
    """Return an answer with its length."""
    return (head(status, [*headers, (b"Content-Length", b"%d" % len(body))]) + body,)


def until_close(body: bytes, *, headers: Iterable[tuple[bytes, bytes]] = JSON) -> Answer:
    """Return an answer that ends where the connection does."""
    return (head(200, [*headers, (b"Connection", b"close")]) + body, End.CLOSE)


def streamed(*steps: Step, headers: Iterable[tuple[bytes, bytes]] = EVENT_STREAM) -> Answer:
    """Return a chunked answer: each ``bytes`` is one chunk; it is cut off if its last step is an end."""
    framed = [chunk(step) if isinstance(step, bytes) else step for step in steps]
    if not steps or not isinstance(steps[-1], End):
        framed.append(LAST_CHUNK)
    return (head(200, [*headers, (b"Transfer-Encoding", b"chunked")]), *framed)


def compressed(body: bytes, encoding: str) -> bytes:
    """Return the body in one of the content codings gzip, br and zstd."""
    codings: dict[str, Callable[[bytes], bytes]] = {
        "gzip": lambda plain: gzip.compress(plain, mtime=0),
        "br": brotli.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    return codings[encoding](body)


# -- what a chat model says ------------------------------------------------------------------------


def completion_body(text: str | None, *, tool_calls: list[dict[str, Any]] | None = None) -> bytes:
    """Return a chat completion as JSON, in the layout of no common library."""
    message = {"role": "assistant", "content": text} | ({"tool_calls": tool_calls} if tool_calls else {})
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1700000000,
            "model": "scripted",
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if tool_calls else "stop"}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        },
        indent=1,
    ).encode()


def completion(text: str) -> Answer:
    """Return a chat completion that says this."""
    return whole(completion_body(text))


def event(delta: dict[str, Any], *, finish: str | None = None) -> bytes:
    """Return one server-sent event of a streamed chat completion."""
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(data).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def events(*pieces: str) -> Iterator[bytes]:
    """Yield the events of a streamed completion that says the pieces one after the other."""
    yield event({"role": "assistant", "content": ""})
    yield from (event({"content": piece}) for piece in pieces)
    yield event({}, finish="stop")
    yield DONE


def completion_stream(*pieces: str) -> Answer:
    """Return a streamed chat completion that says the pieces one after the other."""
    return streamed(*events(*pieces))


def failure(status: int, *, headers: Iterable[tuple[bytes, bytes]] = (), message: str = "No.") -> Answer:
    """Return an error in OpenAI's shape."""
    error = {"message": message, "type": "scripted_error", "param": None, "code": f"scripted_{status}"}
    return whole(json.dumps({"error": error}).encode(), status=status, headers=[*JSON, *headers])
