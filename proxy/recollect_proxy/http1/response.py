"""A server's answer, put together as its bytes come. Never: a socket."""

import asyncio
import re
from collections.abc import Callable

import httptools

from recollect_proxy.asgi import Headers, values
from recollect_proxy.http1.errors import BrokenOffError

_LARGEST_HEAD = 1024 * 1024
_BODILESS = frozenset({204, 304})
_FIRST = 100
_SWITCHING = 101
_FIRST_FINAL = 200

_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""What no header may hold, and no server of ours sends (RFC 9110, section 5.5)."""


class Response:
    """One answer: its head, and its body as it comes.

    Interim answers (RFC 9110, section 15.2) and trailers are passed over.

    Args:
        loop: The running one.
        bodiless: Whether the request was one whose answer has no body, whatever its head says.
        drained: Called when what has come was read.

    Attributes:
        head: Done when status and headers are there; fails if they never are.
        status: 0 before that.
        headers: In order, duplicates kept.
        began: Whether a byte of it came, even of an interim answer.
        complete: Whether it is there to its end.
        persists: Whether the server leaves the connection open after it.
        waiting: Bytes of the body that have come and were not read.
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
        # Faults of servers that can be read in only one way, and that other clients accept.
        self._parser.set_dangerous_leniencies(
            lenient_headers=True, lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True
        )

    async def read(self) -> bytes:
        """Return what has come of the body since the last time, as soon as there is any; b"" at its end.

        Raises:
            BrokenOffError, SilentError: It will not come whole; what had come was returned before.
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
        """Take bytes off the connection."""
        self.began = True
        if self.complete:
            self.persists = False  # there is more than was asked for
        if self.complete or self._failure is not None:
            return
        self._since_body += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self.persists = False
            self.fail(BrokenOffError())  # nothing changes if the answer itself is complete
        if self._since_body > _LARGEST_HEAD:  # a line without end, say, that the parser keeps for itself
            self.fail(BrokenOffError())

    def end(self) -> None:
        """Take the end of the connection: some answers end with it (RFC 9112, section 6.3)."""
        if self._until_close and self._failure is None:
            self._complete()
        else:
            self.fail(BrokenOffError())

    def fail(self, failure: Exception) -> None:
        """Take note that nothing more will come."""
        if self.complete or self._failure is not None:
            return
        self._failure = failure
        if not self.head.done():
            self.head.set_exception(failure)
            self.head.exception()  # who asked may be gone
        self._wake()

    def _complete(self) -> None:
        self.complete = True
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    # -- what the parser tells ----------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Begin with an answer, behind an interim one perhaps."""
        if self.status:
            self.persists = False  # a second answer, that nobody asked for
        else:
            self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._head_size += len(name) + len(value)
        if self._head_size > _LARGEST_HEAD:
            raise ValueError("a head out of all proportion")  # the parser stops
        if not self.status:  # for what is mended see RFC 9112, section 5.1, and RFC 9110, section 5.5
            self.headers.append((name.rstrip(), _CONTROLS.sub(b" ", value)))

    def on_headers_complete(self) -> None:
        """Take the head as whole, unless it is an interim one."""
        status = self._parser.get_status_code()
        if status == _SWITCHING or status < _FIRST:
            raise ValueError("an upgrade that nobody asked for, or no status")  # the parser stops
        if self.status or status < _FIRST_FINAL:
            return
        self.status = status
        codings = b",".join(values(self.headers, b"transfer-encoding")).lower()
        if codings.strip() not in {b"", b"chunked"}:
            raise ValueError("a coding of the hop's")  # nobody behind us could undo it; the parser stops
        chunked = bool(codings)
        bodiless = self._bodiless or status in _BODILESS
        self._until_close = not (bodiless or chunked or values(self.headers, b"content-length"))
        self.persists = not self._until_close and self._server_stays()
        if bodiless:
            self.complete = True
        if not self.head.done():
            self.head.set_result(None)

    def on_body(self, piece: bytes) -> None:
        """Take a piece of the body."""
        if self.complete:
            self.persists = False  # of a body that there should not be
            return
        self._pieces.append(piece)
        self._since_body = 0
        self.waiting += len(piece)
        self._wake()

    def on_message_complete(self) -> None:
        """Take the answer as whole, unless it was an interim one."""
        if self.status:
            self._complete()

    def _server_stays(self) -> bool:
        listed = b",".join(values(self.headers, b"connection")).lower()
        options = {option.strip() for option in listed.split(b",")}
        stays: bool = b"keep-alive" in options if self._parser.get_http_version() == "1.0" else True
        return stays and b"close" not in options
