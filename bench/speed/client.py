"""The connections of the load generator: HTTP/1.1 on raw protocols, timed.

It uses no library, so that the system is timed, not the client.
"""

import asyncio
import re
import time
from collections.abc import Callable

_STAMP = re.compile(rb"@(\d{6,})@")
_LONGEST_STAMP = 24
_HEAD_END = b"\r\n\r\n"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_PATIENCE_SECONDS = 60.0


class BrokenAnswerError(Exception):
    """A system answered with an error, or closed the connection within an answer."""


class Connection(asyncio.Protocol):
    """A kept connection with one request under way at most.

    Attributes:
        sent_at: When the request was written, in nanoseconds of CLOCK_MONOTONIC.
        first_at: When the first byte of the answer's body arrived; 0: not yet.
        ended_at: When its last byte arrived.
        events: How many events of this answer arrived.
        complete: Whether the answer came to its end; of a stream: with its `[DONE]`.
        memories: Whether the answer says that memories went into the prompt.

    Args:
        heard: Takes the nanoseconds from each event's stamp to its arrival.
    """

    def __init__(self, heard: list[int]) -> None:
        self._heard = heard
        self._transport: asyncio.Transport
        self._ended: Callable[[Connection], None] = _ignore
        self._busy = self._closed = False
        self._reset()

    def _reset(self) -> None:
        self.sent_at = self.first_at = self.ended_at = self.events = 0
        self.complete = self.memories = False
        self.failure: str | None = None
        self._head = b""
        self._in_body = self._streamed = self._chunked = self._done_seen = False
        self._left = 0
        self._tail = b""
        self._carried = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = transport  # type: ignore[assignment]  # a stream's

    def connection_lost(self, _error: Exception | None) -> None:
        """End the answer, if one was under way."""
        self._closed = True
        if self._busy:
            self._end("the connection was closed within an answer")

    def send(self, request: bytes, ended: Callable[["Connection"], None]) -> None:
        """Send a request; ``ended`` is called with this connection when its answer ended."""
        self._reset()
        self._busy = True
        self._ended = ended
        self.sent_at = time.monotonic_ns()
        if self._closed:
            asyncio.get_running_loop().call_soon(self._end, "the connection was closed between two requests")
        else:
            self._transport.write(request)

    async def ask(self, request: bytes) -> None:
        """Send a request and wait for the end of its answer."""
        ended = asyncio.get_running_loop().create_future()
        self.send(request, ended.set_result)
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await ended
        if self.failure:
            raise BrokenAnswerError(self.failure)

    @property
    def first_byte_ms(self) -> float:
        """Milliseconds from the request to the first byte of the answer's body."""
        return (self.first_at - self.sent_at) / 1e6

    def drop(self) -> None:
        """Close the connection, without waiting for an answer."""
        self._busy = False
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Note when it came, and what."""
        now = time.monotonic_ns()
        if not self._in_body:
            data = self._read_head(data)
            if not data and (self._left or not self._in_body):
                return
        if not self.first_at:
            self.first_at = now
        if self._streamed:
            self._read_events(data, now)
        if self._chunked:
            self._tail = (self._tail + data)[-len(_LAST_CHUNK) :]
            ended = self._tail == _LAST_CHUNK
        else:
            self._left -= len(data)
            ended = self._left <= 0
        if ended:
            self.ended_at = now
            self.complete = self._done_seen or not self._streamed
            self._end(None)

    def _read_head(self, data: bytes) -> bytes:
        self._head += data
        end = self._head.find(_HEAD_END)
        if end < 0:
            return b""
        head, body = self._head[:end].lower(), self._head[end + len(_HEAD_END) :]
        self._in_body = True
        if head[9:12] != b"200":
            self.failure = f"answered with {head[9:12].decode()}"
        self._streamed = b"text/event-stream" in head
        self._chunked = b"\r\ntransfer-encoding: chunked" in head
        self._left = 1 if self._chunked else int(_field(head, b"content-length") or b"0")
        self._tail = b"\r\n"
        self.memories = (_field(head, b"x-recollect-memories") or b"0") != b"0"
        return body

    def _read_events(self, data: bytes, now: int) -> None:
        text = self._carried + data
        end = 0
        for stamp in _STAMP.finditer(text):
            end = stamp.end()
            self.events += 1
            self._heard.append(now - int(stamp[1]))
        self._done_seen = self._done_seen or b"[DONE]" in text
        self._carried = text[max(end, len(text) - _LONGEST_STAMP) :]

    def _end(self, failure: str | None) -> None:
        self.failure = self.failure or failure
        self._busy = False
        self._ended(self)


def _ignore(_connection: Connection) -> None:
    """Do nothing."""


def _field(head: bytes, name: bytes) -> bytes | None:
    _, found, rest = head.partition(b"\r\n" + name + b":")
    return rest.split(b"\r\n", 1)[0].strip() if found else None


async def connect(port: int, heard: list[int] | None = None) -> Connection:
    """Open a connection."""
    sink = [] if heard is None else heard
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(sink), "127.0.0.1", port)
    return connection


async def connect_many(port: int, count: int, heard: list[int] | None = None) -> list[Connection]:
    """Open several connections."""
    return list(await asyncio.gather(*(connect(port, heard) for _ in range(count))))
