"""Bounds what a client may send, and how slowly. Never: what is served.

uvicorn knows no such bounds. How long a body may be is bounded by who reads it.
"""

import asyncio

from recollect_proxy.protocol import Protocol

MOST_FIELDS = 1000
LARGEST_HEAD = 256 * 1024


class BoundedProtocol(Protocol):
    """Refuses a head, trailers or framing out of all proportion, and does not wait for ever for the rest.

    Attributes:
        head_seconds: How long a head may take, from its first byte or from when the client connected; and
            how long nothing may come of a body that is read.
    """

    head_seconds = 60.0
    _waiting_since: float | None = None
    _within_body = False
    _fields = 0
    _bodiless = 0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Wait for a head."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless too much came that is neither a whole head nor a body."""
        self._bodiless += len(data)
        super().data_received(data)
        if self._bodiless > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        """Wait for the rest of a head."""
        super().on_message_begin()
        self._fields = 0
        self._wait()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer."""
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise ValueError("too many headers")  # the parser stops, and uvicorn answers with 400
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Note that a head came whole."""
        self._bodiless = 0
        self._within_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Note that a piece of a body came."""
        self._bodiless = 0
        self._waiting_since = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that a request came whole."""
        self._waiting_since = None
        super().on_message_complete()

    def _wait(self) -> None:
        self._waiting_since = self.loop.time()
        self._within_body = False
        if self._patience is None:
            self._patience = self.loop.call_later(self.head_seconds, self._look)

    def _look(self) -> None:
        """Close, if what we wait for did not come for too long; one timer for all that a client sends."""
        self._patience = None
        if self._waiting_since is None:
            return
        now = self.loop.time()
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.flow.read_paused or (is_answering and not self._within_body):
            self._waiting_since = now  # it is we who do not read on, or it has asked before
        left = self._waiting_since + self.head_seconds - now
        if left > 0:
            self._patience = self.loop.call_later(left, self._look)
        else:
            self.transport.close()
