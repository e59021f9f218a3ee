"""Runs a whole proxy for a short time, on a free port of the loopback interface, and leaves nothing behind."""

import asyncio
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TypeVar

import uvicorn
import uvloop

from recollect.errors import ConfigurationError, RecollectError
from recollect.settings.engine_settings import IN_MEMORY
from recollect_proxy.app import App
from recollect_proxy.serving.server import Server
from recollect_proxy.settings.proxy_settings import ProxySettings
from recollect_proxy.web.asgi import Receive, Scope, Send

_LOOPBACK = "127.0.0.1"
_STORE_SECONDS = 120.0

Result = TypeVar("Result")


class NotServedError(RecollectError):
    """The server could not be started; its log says why."""


def temporary(settings: ProxySettings, **changes: Any) -> ProxySettings:
    """Return settings for a proxy with a database in memory, of which nothing remains.

    The files that an operator keeps in the data folder, as instructions for models, are read there as ever.

    Raises:
        ConfigurationError: A change makes no sense.
    """
    own = {
        "database_url": IN_MEMORY,
        "admin_token": secrets.token_urlsafe(32),
        "host": _LOOPBACK,
        "port": 0,
        "shutdown_seconds": 5,
    }
    try:
        return ProxySettings(**{**settings.model_dump(), **own, **changes})
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


@asynccontextmanager
async def serve_proxy(app: App, settings: ProxySettings) -> AsyncIterator[str]:
    """Serve the proxy, with its store open, within the context; yield its origin, as ``http://127.0.0.1:PORT``.

    Raises:
        NotServedError: It could not be started.
    """
    async with _serve(_GuestProxy(app, settings, ready=lambda _port: None)) as origin:
        if not await app.engine.ready(_STORE_SECONDS):
            raise NotServedError(f"The store could not be opened: {app.engine.failure}")
        yield origin


def serve_upstream(
    application: Callable[[Scope, Receive, Send], Awaitable[None]], host: str = _LOOPBACK, port: int = 0
) -> AbstractAsyncContextManager[str]:
    """Serve an ASGI application without a lifespan, as ``serve_proxy`` serves the proxy; signals are left to the process."""
    return _serve(
        _Guest(
            uvicorn.Config(
                application,
                host=host,
                port=port,
                http="httptools",
                loop="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=2,
            )
        )
    )


def run_to_the_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Run ``work``; SIGTERM ends it as Ctrl-C does, so that it can clean up."""

    async def interruptible() -> Result:
        task = asyncio.ensure_future(work)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    return uvloop.run(interruptible())


class _Guest(uvicorn.Server):
    """Leaves signals to the process."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


class _GuestProxy(_Guest, Server):
    """The proxy's server as a guest."""


@asynccontextmanager
async def _serve(server: uvicorn.Server) -> AsyncIterator[str]:
    serving = asyncio.create_task(_run(server))
    try:
        while not server.started:
            if serving.done():
                raise NotServedError
            await asyncio.sleep(0.005)
        host, port, *_ = server.servers[0].sockets[0].getsockname()
        yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    finally:
        server.should_exit = True
        await serving


async def _run(server: uvicorn.Server) -> None:
    try:
        await server.serve()
    except SystemExit:  # how uvicorn says that it could not start; it must not end the loop
        return
