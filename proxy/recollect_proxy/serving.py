"""Runs the application on a socket: uvicorn with the fast parser and loop. Never: what it serves."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from recollect_proxy.app import App
from recollect_proxy.settings import ProxySettings


class Server(uvicorn.Server):
    """Adds no header of its own, drains its answers when told to stop, and says when it is ready."""

    def __init__(self, app: App, settings: ProxySettings, *, ready: Callable[[int], None]) -> None:
        """Prepare to serve.

        Args:
            app: What to serve.
            settings: Where, and how long running answers may take to finish on shutdown.
            ready: Called with the port once requests are taken.
        """
        super().__init__(
            uvicorn.Config(
                app,
                host=settings.host,
                port=settings.port,
                http="httptools",
                ws="websockets-sansio",
                ws_max_size=2**31 - 1,  # the upstream's to bound
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
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the application and the socket."""
        await super().startup(sockets)
        self._ready(self.servers[0].sockets[0].getsockname()[1])

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Drain and stop when told to; unlike uvicorn's own, the process then ends with 0, as all went well."""
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
