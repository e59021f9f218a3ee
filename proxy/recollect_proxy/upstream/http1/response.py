"""Parses a server's response incrementally. Never: a socket."""

import asyncio
import re
from collections.abc import Callable

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


_LARGEST_HEAD = 1024 * 1024
_BODILESS = frozenset({204, 304})
_FIRST = 100
_SWITCHING = 101
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
