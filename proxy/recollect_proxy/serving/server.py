"""Runs the application on a socket, with uvicorn; says before that whether its address is free."""

import asyncio
import errno
import gc
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from recollect_proxy.app import App
from recollect_proxy.serving.http_protocol import BoundedProtocol
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.request_limits import LARGEST_MESSAGE

SHUTDOWN_SECONDS = 30.0
"""How long running answers may take to finish on shutdown: what Kubernetes grants, and less than deploy/'s 45."""

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
        seconds = SHUTDOWN_SECONDS if settings.shutdown_seconds is None else settings.shutdown_seconds
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
                timeout_graceful_shutdown=int(seconds),
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
        # `entry_point` keeps the collector off until here.
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


def why_not_free(host: str, port: int) -> str | None:
    """Return why an address can't be bound, in one line; None if it seems free, or the port is 0: any free one.

    It is asked before the database and the models are started, which takes seconds. If the port is taken in between,
    the server reports that. For a name, each of its addresses is tried: the server binds them all.
    """
    if port == 0:
        return None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        return f"RECOLLECT_HOST: {host} is no address of this machine ({_system_text(error)})."
    for family, kind, protocol, _, address in dict.fromkeys(found):
        try:
            with socket.socket(family, kind, protocol) as trying:
                trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
                if family == socket.AF_INET6:
                    trying.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # as well
                trying.bind(address)
        except OSError as error:
            if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL} and len(found) > 1:
                continue  # a name may have an IPv6 address where the machine has no IPv6
            return _describe_failure(host, port, error)
    return None


def _describe_failure(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is taken ({_system_text(error)}): another Recollect may be running, or another program is there. "
            f"RECOLLECT_PORT or --port names another."
        )
    return f"Nothing can be served on {host}, port {port}: {_system_text(error)}. See RECOLLECT_HOST and RECOLLECT_PORT."


def _system_text(error: Exception) -> str:
    """Return the system's text of an error, without its number."""
    number = error.errno if isinstance(error, OSError) else None
    known = number is not None and number > 0 and not isinstance(error, socket.gaierror)
    said = (
        os.strerror(number)
        if known and number is not None
        else str(getattr(error, "strerror", None) or error)
    )
    return said[:1].lower() + said[1:]
