"""An LLM server that talks over WebSockets, on a real socket."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.support.waiting import until
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

Talk: TypeAlias = Callable[[ServerConnection], Awaitable[None]]

_PATIENCE_SECONDS = 30


async def echo(socket: ServerConnection) -> None:
    """Say what is said."""
    with suppress(ConnectionClosed):  # however it ends; the library would log why
        async for message in socket:
            await socket.send(message)


@dataclass
class TalkingUpstream:
    """A server that is served."""

    port: int = 0
    talk: Talk = echo
    subprotocol: str | None = None
    opened: list[ServerConnection] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        """Where it is served, as a proxy is told it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def socket(self) -> ServerConnection:
        return self.opened[-1]

    def forget(self) -> None:
        """Forget every socket, and what was to be done with them."""
        self.talk, self.subprotocol = echo, None
        self.opened.clear()

    async def left(self) -> tuple[int | None, str | None]:
        """Wait until the latest socket is closed; return with which code and reason."""
        await until(lambda: bool(self.opened))
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await self.socket.wait_closed()
        return self.socket.close_code, self.socket.close_reason

    async def meet(self, socket: ServerConnection) -> None:
        """Take a new socket."""
        self.opened.append(socket)
        await self.talk(socket)

    def select(self, _socket: ServerConnection, _offered: Sequence[Subprotocol]) -> Subprotocol | None:
        return Subprotocol(self.subprotocol) if self.subprotocol else None


@asynccontextmanager
async def talking_upstream() -> AsyncIterator[TalkingUpstream]:
    """Serve one until left."""
    upstream = TalkingUpstream()
    async with serve(
        upstream.meet,
        "127.0.0.1",
        0,
        select_subprotocol=upstream.select,
        compression=None,
        max_size=None,
        ping_interval=None,
    ) as server:
        upstream.port = next(iter(server.sockets)).getsockname()[1]
        yield upstream


@asynccontextmanager
async def talking(
    port: int,
    target: str = "/v1/realtime",
    *,
    headers: Iterable[tuple[str, str]] = (),
    subprotocols: Iterable[str] = (),
) -> AsyncIterator[ClientConnection]:
    """Open a socket as a client does that sends nothing but what is said here, and close it on leaving."""
    options: dict[str, Any] = {"compression": None, "max_size": None, "ping_interval": None, "proxy": None}
    async with (
        asyncio.timeout(_PATIENCE_SECONDS),
        connect(
            f"ws://127.0.0.1:{port}{target}",
            additional_headers=list(headers),
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            user_agent_header=None,
            open_timeout=_PATIENCE_SECONDS,
            **options,
        ) as socket,
    ):
        yield socket
