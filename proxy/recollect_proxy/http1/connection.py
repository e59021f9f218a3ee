"""One connection to a server, over which one exchange runs at a time."""

import asyncio
import select
from collections.abc import AsyncIterator
from typing import TypeAlias, cast

from recollect_proxy.asgi import Headers
from recollect_proxy.http1.errors import BrokenOffError, SilentError, UnsendableError
from recollect_proxy.http1.response import Response

Body: TypeAlias = bytes | AsyncIterator[bytes] | None

_MOST_WAITING = 256 * 1024
"""Bytes that may wait to be read; beyond, the server is not read from."""

_MOST_UNSENT = 256 * 1024
"""Bytes that may wait to be sent; beyond, the body is not read from."""

_SPACES = 2
"""In a request line (RFC 9112, section 3)."""


class Connection(asyncio.Protocol):
    """A connection, open until ``closed``.

    Attributes:
        closed: Whether it was lost or abandoned, or the server has closed it.
        idle_since: When it was last used, by the loop's clock.
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

    # -- an exchange ----------------------------------------------------------------------------------

    def send(self, method: bytes, target: bytes, headers: Headers, body: Body, *, silence: float) -> Response:
        """Send a request, its body as it comes; return the answer, of which nothing has come yet.

        Args:
            method: Its method.
            target: Its target, verbatim.
            headers: Host among them. The body's framing is added where it does not frame itself.
            body: Whole, as it comes, or None. One that comes is sent in chunks if no length is given.
            silence: Seconds the server may be silent, from the body's last byte on; and may leave a body
                that comes untaken.

        Raises:
            UnsendableError: This can't be said in HTTP without another meaning.
        """
        chunked = False
        if body is not None and not any(name.lower() == b"content-length" for name, _ in headers):
            chunked = not isinstance(body, bytes)
            framing = (b"Transfer-Encoding", b"chunked") if chunked else (b"Content-Length", _length(body))
            headers = [*headers, framing]
        head = _head(method, target, headers)
        self._response = response = Response(self._loop, bodiless=method == b"HEAD", drained=self._read_on)
        if self.closed:  # nothing will tell us of it any more
            response.fail(BrokenOffError())
        elif isinstance(body, AsyncIterator):
            self._sent_whole = False
            sending = self._send_all(head, body, response, chunked=chunked, silence=silence)
            self._upload = self._loop.create_task(sending)
        else:
            self._transport.writelines([head, body] if body else [head])
            self.expect_within(silence)
        return response

    def expect_within(self, seconds: float) -> None:
        """From now on, give the server up when it is silent for so long."""
        if self._watch is not None and seconds != self._silence:
            self._watch.cancel()
            self._watch = None
        self._silence = seconds
        self._heard_at = self._loop.time()
        if self._watch is None and not self.closed:
            self._watch = self._loop.call_later(seconds, self._listen)

    def end_exchange(self) -> bool:
        """End the exchange; return whether another may use the connection. If not, the connection is closed."""
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
        """Close it at once."""
        self.closed = True
        self._transport.abort()

    async def _send_all(
        self, head: bytes, body: AsyncIterator[bytes], response: Response, *, chunked: bool, silence: float
    ) -> None:
        """Send a request as its body comes; its head with the first piece, so that none goes out without."""
        unsent = [head]
        try:
            said = select.poll()
            said.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
            async for piece in body:
                while self._reading and not self.closed and said.poll(0):  # noqa: ASYNC110 -- nothing tells
                    # A server may refuse and close within a body. What it said is read before we write
                    # again: to write on a connection that it closed loses what was not read.
                    await asyncio.sleep(0)
                if self.closed:
                    return
                if piece:  # an empty chunk would be the last
                    unsent += [b"%x\r\n" % len(piece), piece, b"\r\n"] if chunked else [piece]
                    self._transport.writelines(unsent)
                    unsent = []
                    await self._taken(silence)
            self._transport.writelines([*unsent, b"0\r\n\r\n" if chunked else b""])
            self._sent_whole = True
        except Exception as error:  # noqa: BLE001 -- whatever the body's source raises is for who reads the answer
            response.fail(error)
        finally:
            if not response.head.done():  # else who reads the answer says how long it may take
                self.expect_within(silence)

    async def _taken(self, silence: float) -> None:
        """Wait until the server has taken most of what was written."""
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
        if not self._reading:  # it is we who do not listen
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

    # -- what the socket tells ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the socket."""
        self._transport = cast("asyncio.Transport", transport)  # create_connection makes no other
        self._transport.set_write_buffer_limits(high=_MOST_UNSENT)

    def data_received(self, data: bytes) -> None:
        """Hand bytes to the answer they belong to."""
        response = self._response
        if response is None:  # nobody asked
            self.abort()
            return
        self._heard_at = self._loop.time()
        response.feed(data)
        if response.waiting > _MOST_WAITING and self._reading:
            self._reading = False
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """Take the server's last word; then the connection closes, when what is unsent has gone out."""
        self.closed = True
        self._sendable.set()
        if self._response is not None:
            self._response.end()

    def connection_lost(self, _error: Exception | None) -> None:
        """Note that the connection is lost."""
        self.closed = True
        self._sendable.set()
        if self._response is not None:
            self._response.fail(BrokenOffError())

    def pause_writing(self) -> None:
        """Pause the body: the server reads too slowly."""
        self._sendable.clear()

    def resume_writing(self) -> None:
        """Resume the body."""
        self._sendable.set()


def _length(body: Body) -> bytes:
    return b"%d" % len(body) if isinstance(body, bytes) else b""


def _head(method: bytes, target: bytes, headers: Headers) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % field for field in headers), b"", b""]
    head = b"\r\n".join(lines)
    ends = len(lines) - 1
    if (
        head.count(b"\n") != ends
        or head.count(b"\r") != ends
        or b"\0" in head
        or lines[0].count(b" ") != _SPACES
    ):
        raise UnsendableError
    return head
