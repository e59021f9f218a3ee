"""Limits the size of a request's head and framing, and how slowly a client may send. Never: the application.

uvicorn has no such limits. The reader of a body limits its size.
"""

import asyncio

from recollect_proxy.serving.protocol import Protocol

MOST_FIELDS = 1000
LARGEST_HEAD = 256 * 1024


class BoundedProtocol(Protocol):
    """Rejects oversized heads, trailers and framing, and closes connections that send too slowly.

    Attributes:
        head_seconds: The most seconds from the connection, or from a head's first byte, to the head's end; and the most
            seconds between two pieces of a body that is being read.
    """

    head_seconds = 60.0
    _waiting_since: float | None = None
    _within_body = False
    _fields = 0
    _bodiless = 0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Start the timer for the first head."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data; reject the request if it has too many bytes outside heads and bodies."""
        self._bodiless += len(data)
        super().data_received(data)
        if self._bodiless > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        """Start the timer for the rest of the head."""
        super().on_message_begin()
        self._fields = 0
        self._wait()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header or trailer field.

        Raises:
            ValueError: There are too many.
        """
        self._fields += 1
        if self._fields > MOST_FIELDS:
            raise ValueError("too many headers")  # the parser stops, and uvicorn answers with 400
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start with the body: the head is complete."""
        self._bodiless = 0
        self._within_body = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Restart the timer: a piece of the body has arrived."""
        self._bodiless = 0
        self._waiting_since = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop waiting: the request is complete."""
        self._waiting_since = None
        super().on_message_complete()

    def _wait(self) -> None:
        self._waiting_since = self.loop.time()
        self._within_body = False
        if self._patience is None:
            self._patience = self.loop.call_later(self.head_seconds, self._look)

    def _look(self) -> None:
        """Close the connection if the client is too slow. One timer serves heads and bodies alike."""
        self._patience = None
        if self._waiting_since is None:
            return
        now = self.loop.time()
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.flow.read_paused or (is_answering and not self._within_body):
            self._waiting_since = now  # the delay is ours: reading is paused, or we are still answering
        left = self._waiting_since + self.head_seconds - now
        if left > 0:
            self._patience = self.loop.call_later(left, self._look)
        else:
            self.transport.close()
