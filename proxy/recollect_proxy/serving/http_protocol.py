"""Reads requests off a connection as uvicorn does, without three of its faults."""

import asyncio
import sys

import httptools
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from recollect_proxy.web.request_limits import LARGEST_HEAD, MOST_FIELDS


class _WithoutChunks(RequestResponseCycle):
    """Answers a client of HTTP/1.0, which knows no chunks (RFC 9112, section 6.1).

    A body without a length ends with the connection (section 6.3).
    """

    _has_length = False

    async def send(self, message: ASGISendEvent) -> None:
        """Send; uvicorn would send a body without a length in chunks."""
        if message["type"] == "http.response.start":
            self._has_length = any(name.lower() == b"content-length" for name, _ in message["headers"])
            self.chunked_encoding = None if self._has_length else False
        elif message["type"] == "http.response.body" and not self._has_length:
            self.expected_content_length = len(message.get("body", b""))
        await super().send(message)


class Protocol(HttpToolsProtocol):
    """Does not take trailers for headers, lose a body to an upgrade that is declined, or send chunks to HTTP/1.0."""

    _data = b""
    _again: bytes | None = None
    _declining = False
    _cycles: tuple[RequestResponseCycle, ...] = ()

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._again = data
        while self._again is not None:
            self._data, self._again = self._again, None
            super().data_received(self._data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify every answer in progress; uvicorn notifies only the last, though requests may be pipelined."""
        for cycle in self._cycles:
            cycle.disconnected = cycle.disconnected or not cycle.response_complete
            cycle.message_event.set()
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the request has to be read again."""
        upgrades = any(name == b"upgrade" for name, _ in self.headers) and self.parser.should_upgrade()
        self._declining = upgrades and not self._should_upgrade()
        if not self._declining:
            super().on_headers_complete()
            running = (cycle for cycle in self._cycles if not cycle.response_complete)
            self._cycles = (*running, self.cycle)
            # Trailers come by the same way later, and must never say who speaks (RFC 9110, 6.5.1).
            self.scope["headers"] = list(self.headers)
            if self.scope["http_version"] == "1.0":
                self.cycle.__class__ = _WithoutChunks

    def on_message_complete(self) -> None:
        """Note that a request has come whole."""
        if not self._declining:
            super().on_message_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Read the request again, as one that asks for no upgrade (RFC 9110, section 7.8).

        The parser takes what follows the head for another protocol's, and drops the body. Java's
        HTTP client asks for h2c with every request.
        """
        error = sys.exception()
        if not self._declining or not isinstance(error, httptools.HttpParserUpgrade):
            return
        version = self.parser.get_http_version().encode()
        fields = [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        head = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version, *fields, b"", b""]
        self.parser = httptools.HttpRequestParser(self)
        self._again = b"\r\n".join(head) + self._data[error.args[0] :]


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
