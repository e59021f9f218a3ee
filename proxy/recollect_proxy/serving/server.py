"""Runs the application on a socket, with uvicorn. Never: the application."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from recollect_proxy.app import App
from recollect_proxy.serving.protocol import BoundedProtocol
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.upstream.websockets import LARGEST_MESSAGE

_NO_HANDSHAKE = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class _WebSocketProtocol(WebSocketsSansIOProtocol):
    """Tells a lost connection from a closed one, and a handshake that failed."""

    def data_received(self, data: bytes) -> None:
        """Take bytes; refuse all but a handshake, since uvicorn would wait for another one and could not stop."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_complete:
            self.handshake_complete = self.close_sent = True
            self.transport.write(b"".join(self.conn.data_to_send()) or _NO_HANDSHAKE)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Report 1006 if no close frame came; uvicorn reports 1005, which means a frame without a status."""
        if self.conn.close_rcvd is None:
            self.queue.put_nowait({"type": "websocket.disconnect", "code": 1006})
        super().connection_lost(exc)

    async def send(self, message: ASGISendEvent) -> None:
        """Send; after a refusal uvicorn would log that the handshake was never completed."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True


class Server(uvicorn.Server):
    """A server that adds no headers, finishes running answers when it is stopped, and reports when it is ready.

    Attributes:
        was_interrupted: Whether Ctrl-C (SIGINT) stopped it.
    """

    def __init__(self, app: App, settings: ProxySettings, *, ready: Callable[[int], None]) -> None:
        """Prepare to serve where the settings say; ``ready`` is called with the port once requests are taken."""
        super().__init__(
            uvicorn.Config(
                app,
                host=settings.host,
                port=settings.port,
                http=BoundedProtocol,
                ws=_WebSocketProtocol,
                ws_max_size=LARGEST_MESSAGE,
                ws_ping_interval=None,
                ws_per_message_deflate=False,
                loop="none",  # the one that runs us
                server_header=False,
                date_header=False,
                access_log=False,
                log_config=None,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=int(settings.shutdown_seconds),
                lifespan="on",
                proxy_headers=False,
            )
        )
        self.was_interrupted = False
        self._ready = ready
        self._probes = app.probes

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application and the socket."""
        await super().startup(sockets)
        # Nearly all that the start made stays, so no collection during an answer has to look through it.
        # `recollect_command` keeps the collector off until here.
        gc.freeze()
        gc.enable()
        if not self.should_exit:  # told to stop within its start
            self._ready(self.servers[0].sockets[0].getsockname()[1])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no further connections, and let the running answers finish, unless a second SIGINT came.

        Open resources are closed in order either way. uvicorn would skip that after a second SIGINT, and a child
        process that is just being forked can repeat the first one.
        """
        self._probes.draining = True
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM; unlike with uvicorn, the process then ends with 0."""
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, self._leave, number)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)

    def _leave(self, number: int) -> None:
        """Report at once that the process is not ready any more, and stop."""
        self._probes.draining = True
        self.was_interrupted = number == signal.SIGINT
        self.handle_exit(number, None)
