"""One connection to a server by HTTP/1.1 (RFC 9110, 9112): it carries a request and its response at a time, unchanged.

It keeps no cookies, follows no redirects and decodes no content. It adds no header except those that frame the body. A response is
parsed as its bytes arrive, by a class that knows no socket.
"""

import asyncio
import re
import select
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeAlias, cast

import httptools

from recollect_proxy.web.asgi import Headers, values


class UnreachableError(Exception):
    """No connection could be made: refused, unknown host, or untrusted certificate."""


class BusyError(Exception):
    """All connections of the pool were in use for too long."""


class SilentError(Exception):
    """A timeout: the server did not connect, send or accept data in time."""


class BrokenOffError(Exception):
    """The server closed the connection, or sent invalid HTTP, before its response was complete."""


class UnsendableError(Exception):
    """HTTP can't carry the request as it is: for example a header holds a line break."""


_LARGEST_HEAD = 1024 * 1024  # generous: an endless one must not fill the memory
_BODILESS = frozenset({204, 304})  # RFC 9110, sections 15.3.5 and 15.4.5
_FIRST = 100
_SWITCHING = 101  # we never ask for an upgrade here
_FIRST_FINAL = 200

_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""Control characters, which no header value may hold (RFC 9110, section 5.5); each is replaced by a space."""


class Response:
    """One response: its head, and its body as it arrives.

    Interim responses (RFC 9110, section 15.2) and trailers are ignored.

    Args:
        loop: The running event loop.
        bodiless: Whether the response has no body whatever its headers say: it answers a HEAD request.
        drained: Called whenever all received bytes of the body have been read.

    Attributes:
        head: A future that is done once status and headers have arrived; it holds the exception if they never do.
        status: 0 until the head is done.
        began: Whether any byte has arrived, even of an interim response.
        persists: Whether the server keeps the connection open after the response.
        waiting: The number of received bytes of the body that are still unread.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, bodiless: bool, drained: Callable[[], None]
    ) -> None:
        self.head: asyncio.Future[None] = loop.create_future()
        self.status = 0
        self.headers: Headers = []
        self.began = False
        self.complete = False
        self.persists = False
        self.waiting = 0
        self._loop = loop
        self._bodiless = bodiless
        self._drained = drained
        self._until_close = False
        self._head_size = 0
        self._since_body = 0
        self._pieces: list[bytes] = []
        self._reader: asyncio.Future[None] | None = None
        self._failure: Exception | None = None
        self._parser = httptools.HttpResponseParser(self)
        # Common server faults that are unambiguous, and that other clients accept.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )

    async def read_unread(self) -> bytes:
        """Wait for unread bytes of the body, and return all of them; b"" at its end.

        Raises:
            BrokenOffError: The response ended too early. All bytes received before it have been returned.
            SilentError: The server sent nothing for too long; likewise.
        """
        while not self._pieces:
            if self.complete:
                return b""
            if self._failure is not None:
                raise self._failure
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        pieces, self._pieces, self.waiting = self._pieces, [], 0
        self._drained()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def feed(self, data: bytes) -> None:
        """Parse bytes from the connection. Invalid HTTP makes the response fail."""
        self.began = True
        if self.complete:
            self.persists = False  # unsolicited bytes after the response
        if self.complete or self._failure is not None:
            return
        self._since_body += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.persists = False
            self.fail(BrokenOffError())  # has no effect if the response is complete
        if self._since_body > _LARGEST_HEAD:  # for example an endless line, which the parser buffers
            self.fail(BrokenOffError())

    def end_stream(self) -> None:
        """Handle the end of the stream: it completes a response without a length (RFC 9112, section 6.3), else is an error."""
        if self._until_close and self._failure is None:
            self._complete()
        else:
            self.fail(BrokenOffError())

    def fail(self, failure: Exception) -> None:
        """Fail the response with ``failure``, unless it is complete or has failed already."""
        if self.complete or self._failure is not None:
            return
        self._failure = failure
        if not self.head.done():
            self.head.set_exception(failure)
            self.head.exception()  # marks it as retrieved: the caller may be gone
        self._wake()

    def _complete(self) -> None:
        self.complete = True
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def on_message_begin(self) -> None:
        """Start with empty headers, also after an interim response."""
        if self.status:
            self.persists = False  # an unsolicited second response
        else:
            self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; those of a trailer only count for the size limit.

        Raises:
            ValueError: Head and trailer are larger than 1 MiB together.
        """
        self._head_size += len(name) + len(value)
        if self._head_size > _LARGEST_HEAD:
            raise ValueError("the head is too large")  # the parser stops
        if not self.status:  # repairs as in RFC 9112, section 5.1, and RFC 9110, section 5.5
            self.headers.append((name.rstrip(), _CONTROLS.sub(b" ", value)))

    def on_headers_complete(self) -> None:
        """Complete the head, unless it is that of an interim response.

        Raises:
            ValueError: The status is 101 or below 100, or the transfer coding is not chunked.
        """
        status = self._parser.get_status_code()
        if status == _SWITCHING or status < _FIRST:
            raise ValueError("an unrequested upgrade, or an invalid status")  # the parser stops
        if self.status or status < _FIRST_FINAL:
            return
        self.status = status
        codings = b",".join(values(self.headers, b"transfer-encoding")).lower()
        if codings.strip() not in {b"", b"chunked"}:
            raise ValueError("an unknown transfer coding")  # our client could not decode it; the parser stops
        chunked = bool(codings)
        bodiless = self._bodiless or status in _BODILESS
        self._until_close = not (bodiless or chunked or values(self.headers, b"content-length"))
        self.persists = not self._until_close and self._server_stays()
        if bodiless:
            self.complete = True
        if not self.head.done():
            self.head.set_result(None)

    def on_body(self, piece: bytes) -> None:
        """Add a piece of the body."""
        if self.complete:
            self.persists = False  # a body that may not be there
            return
        self._pieces.append(piece)
        self._since_body = 0
        self.waiting += len(piece)
        self._wake()

    def on_message_complete(self) -> None:
        """Complete the response, unless it was an interim one."""
        if self.status:
            self._complete()

    def _server_stays(self) -> bool:
        listed = b",".join(values(self.headers, b"connection")).lower()
        options = {option.strip() for option in listed.split(b",")}
        stays: bool = b"keep-alive" in options if self._parser.get_http_version() == "1.0" else True
        return stays and b"close" not in options


Body: TypeAlias = bytes | AsyncIterator[bytes] | None

_MOST_WAITING = 256 * 1024
"""Backpressure, in bytes: with more of the response unread, the socket is not read."""

_MOST_UNSENT = 256 * 1024
"""Backpressure, in bytes: with more of the request unsent, the body's source is not read."""

_MOST_JOINED = 64 * 1024
"""The most bytes that are copied, so that small parts share one packet and one system call."""


class Connection(asyncio.Protocol):
    """A connection to a server.

    Attributes:
        closed: Whether either side closed the connection, or it was lost.
        idle_since: When its last exchange ended, in seconds of the event loop's clock.
    """

    def __init__(self) -> None:
        self.closed = False
        self.idle_since = 0.0
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._response: Response | None = None
        self._reading = True
        self._sendable = asyncio.Event()
        self._sendable.set()
        self._upload: asyncio.Task[None] | None = None
        self._sent_whole = True
        self._silence = 0.0
        self._heard_at = 0.0
        self._watch: asyncio.TimerHandle | None = None

    def send(self, method: bytes, target: bytes, headers: Headers, body: Body, *, silence: float) -> Response:
        """Start sending a request, and return its response before any of it has arrived.

        If the headers lack ``Content-Length`` for a body, the framing is added: an iterator is sent in chunks. ``silence`` is the
        timeout in seconds for the server to send a first byte after the request's last one, between two reads, and for it
        to accept more of a streamed body.

        Raises:
            UnsendableError: One of them holds a line break or NUL, or the target a space.
        """
        chunked = False
        if body is not None and not any(name.lower() == b"content-length" for name, _ in headers):
            chunked = not isinstance(body, bytes)
            length = b"%d" % len(body) if isinstance(body, bytes) else b""
            headers = [
                *headers,
                (b"Content-Length", length) if length else (b"Transfer-Encoding", b"chunked"),
            ]
        head = _head(method, target, headers)
        self._response = response = Response(self._loop, bodiless=method == b"HEAD", drained=self._read_on)
        if self.closed:  # no callback will come for this response
            response.fail(BrokenOffError())
        elif isinstance(body, AsyncIterator):
            self._sent_whole = False
            sending = self._send_all(head, body, response, chunked=chunked, silence=silence)
            self._upload = self._loop.create_task(sending)
        else:
            self._write([head, body or b""])
            self.expect_within(silence)
        return response

    def expect_within(self, seconds: float) -> None:
        """Set the timeout for the next bytes of the response: after so many seconds of silence it fails."""
        if self._watch is not None and seconds != self._silence:
            self._watch.cancel()
            self._watch = None
        self._silence = seconds
        self._heard_at = self._loop.time()
        if self._watch is None and not self.closed:
            self._watch = self._loop.call_later(seconds, self._listen)

    def end_exchange(self) -> bool:
        """End the exchange. Return whether the connection can be reused; if not, it is closed."""
        response, self._response = self._response, None
        if self._upload is not None:
            self._upload.cancel()
            self._upload = None
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        good = response is not None and response.complete and response.persists and self._sent_whole
        if not good or self.closed or self._transport.is_closing():
            self.abort()
            return False
        self._read_on()
        return True

    def abort(self) -> None:
        """Close the connection at once; unsent bytes are lost."""
        self.closed = True
        self._transport.abort()

    async def _send_all(
        self, head: bytes, body: AsyncIterator[bytes], response: Response, *, chunked: bool, silence: float
    ) -> None:
        """Send a request with a streamed body."""
        unsent = [head]  # goes out with the first piece, so that no head is sent alone
        try:
            said = select.poll()
            said.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
            async for piece in body:
                while self._reading and not self.closed and said.poll(0):  # noqa: ASYNC110 -- no event to await
                    # A server may respond and close before the body's end. We read its response before we write
                    # again: writing to a connection that it closed would lose the unread response.
                    await asyncio.sleep(0)
                if self.closed:
                    return
                if piece:  # an empty chunk would be the last
                    unsent += [b"%x\r\n" % len(piece), piece, b"\r\n"] if chunked else [piece]
                    self._write(unsent)
                    unsent = []
                    await self._taken(silence)
            self._write([*unsent, b"0\r\n\r\n" if chunked else b""])
            self._sent_whole = True
        except Exception as error:  # noqa: BLE001 -- the body's source may raise anything; the response's reader gets it
            response.fail(error)
        finally:
            if not response.head.done():  # later, the response's reader sets the timeout
                self.expect_within(silence)

    def _write(self, pieces: Sequence[bytes]) -> None:
        """Write pieces, as one if they are small."""
        if sum(map(len, pieces)) <= _MOST_JOINED:
            pieces = [b"".join(pieces)]
        # Not by `writelines`: asyncio's own loop since 3.12 keeps an empty piece and never comes to rest, and up to 3.12.8 and
        # 3.13.1 it does not tell us that its buffer is full (python/cpython#127655).
        for piece in pieces:
            self._transport.write(piece)

    async def _taken(self, silence: float) -> None:
        """Wait until the send buffer has room again.

        Raises:
            SilentError: The server accepted too little for ``silence`` seconds.
        """
        if not self._sendable.is_set():
            try:
                async with asyncio.timeout(silence):
                    await self._sendable.wait()
            except TimeoutError:
                raise SilentError from None

    def _listen(self) -> None:
        self._watch = None
        if self._response is None or self._response.complete:
            return
        now = self._loop.time()
        if not self._reading:  # the silence is ours: reading is paused
            self._heard_at = now
        left = self._heard_at + self._silence - now
        if left > 0:
            self._watch = self._loop.call_later(left, self._listen)
        else:
            self._response.fail(SilentError())
            self.abort()

    def _read_on(self) -> None:
        if not self._reading:
            self._reading = True
            self._heard_at = self._loop.time()
            if not self.closed:
                self._transport.resume_reading()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # create_connection makes no other
        self._transport.set_write_buffer_limits(high=_MOST_UNSENT)

    def data_received(self, data: bytes) -> None:
        """Pass received bytes to the response, and pause reading if too many of its bytes are unread."""
        response = self._response
        if response is None:  # unsolicited bytes
            self.abort()
            return
        self._heard_at = self._loop.time()
        response.feed(data)
        if response.waiting > _MOST_WAITING and self._reading:
            self._reading = False
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """End the response at the server's end of stream. asyncio then sends the rest, and closes the connection."""
        self.closed = True
        self._sendable.set()
        if self._response is not None:
            self._response.end_stream()

    def connection_lost(self, _error: Exception | None) -> None:
        """Fail the response: the connection is lost."""
        self.closed = True
        self._sendable.set()
        if self._response is not None:
            self._response.fail(BrokenOffError())

    def pause_writing(self) -> None:
        """Pause the request body: the send buffer is full."""
        self._sendable.clear()

    def resume_writing(self) -> None:
        """Resume the request body."""
        self._sendable.set()


def _head(method: bytes, target: bytes, headers: Headers) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % field for field in headers), b"", b""]
    head = b"\r\n".join(lines)
    ends = len(lines) - 1
    if (
        head.count(b"\n") != ends or head.count(b"\r") != ends or b"\0" in head or lines[0].count(b" ") != 2  # noqa: PLR2004 -- of a request line (RFC 9112, section 3)
    ):
        raise UnsendableError
    return head
