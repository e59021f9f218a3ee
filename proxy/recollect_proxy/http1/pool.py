"""The connections to one server: opened when needed, used again while they are fresh."""

import asyncio
import socket
from contextlib import suppress
from dataclasses import dataclass

import aiohappyeyeballs

from recollect_proxy.http1.address import Address, tls
from recollect_proxy.http1.connection import Connection
from recollect_proxy.http1.errors import BusyError, SilentError, UnreachableError

_IDLE_SECONDS = 4.0
"""Below the idle timeout of the usual servers (uvicorn: 5 s): we rarely send on one they are just closing."""

_NEXT_ADDRESS_SECONDS = 0.25
"""RFC 8305, section 5: when the next of a name's addresses is tried beside the one before."""


@dataclass(eq=False, slots=True)
class Lent:
    """A connection on loan.

    Attributes:
        connection: The connection.
        reused: Whether it was used before.
    """

    connection: Connection
    reused: bool


class Pool:
    """Lends connections.

    Args:
        address: The server.
        limit: How many may be lent at a time; who comes then waits.
        connect_timeout: Seconds for the wait for a free connection and for the connect, together.

    Attributes:
        waiting: How many wait for one to become free.
    """

    def __init__(self, address: Address, *, limit: int, connect_timeout: float) -> None:
        self._address = address
        self._limit = asyncio.Semaphore(limit)
        self._connect_timeout = connect_timeout
        self._idle: list[Connection] = []  # the one used last is the last
        self._lent: set[Lent] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self.waiting = 0

    @property
    def lent(self) -> int:
        """How many are in use."""
        return len(self._lent)

    @property
    def idle(self) -> int:
        """How many wait for their next use."""
        return len(self._idle)

    async def acquire(self) -> Lent:
        """Lend a connection, if may be one that was used before.

        Raises:
            BusyError: None became free in time.
            UnreachableError, SilentError: None could be opened, or not in time.
        """
        deadline = asyncio.get_running_loop().time() + self._connect_timeout
        self.waiting += 1
        try:
            async with asyncio.timeout_at(deadline if self._limit.locked() else None):
                await self._limit.acquire()
        except TimeoutError:
            raise BusyError from None
        finally:
            self.waiting -= 1
        try:
            connection = self._fresh_enough()
            lent = Lent(connection or await self._open(deadline), reused=connection is not None)
        except BaseException:
            self._limit.release()
            raise
        self._lent.add(lent)
        return lent

    async def replace(self, lent: Lent) -> None:
        """Put a new connection in the place of one on loan.

        Raises:
            UnreachableError, SilentError: None could be opened, or not in time; the old one stays.
        """
        if lent.connection.end_exchange():
            lent.connection.abort()
        lent.connection = await self._open(asyncio.get_running_loop().time() + self._connect_timeout)
        lent.reused = False

    def release(self, lent: Lent) -> None:
        """Take a connection back; what can't be used again is closed."""
        self._lent.discard(lent)
        self._limit.release()
        connection = lent.connection
        if connection.end_exchange():
            loop = asyncio.get_running_loop()
            connection.idle_since = loop.time()
            self._idle.append(connection)
            if self._sweep is None:
                self._sweep = loop.call_later(_IDLE_SECONDS, self._close_old)

    async def aclose(self) -> None:
        """Close all, lent ones too."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connection in (*self._idle, *(lent.connection for lent in self._lent)):
            connection.abort()
        self._idle.clear()

    def _fresh_enough(self) -> Connection | None:
        oldest = asyncio.get_running_loop().time() - _IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and connection.idle_since > oldest:
                return connection
            connection.abort()
        return None

    def _close_old(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - _IDLE_SECONDS
        kept = [each for each in self._idle if not each.closed and each.idle_since > oldest]
        for connection in set(self._idle).difference(kept):
            connection.abort()
        self._idle = kept
        wait = kept[0].idle_since - oldest if kept else 0.0
        self._sweep = loop.call_later(wait, self._close_old) if kept else None

    async def _open(self, deadline: float) -> Connection:
        """Connect, to whichever of the name's addresses answers first (RFC 8305)."""
        loop = asyncio.get_running_loop()
        name = self._address.host
        try:
            async with asyncio.timeout_at(deadline):
                found = await loop.getaddrinfo(name, self._address.port, type=socket.SOCK_STREAM)
                connected = await aiohappyeyeballs.start_connection(
                    found, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS
                )
                with suppress(OSError):  # as good as it gets, where the system has no such thing
                    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                try:
                    _, connection = await loop.create_connection(
                        Connection,
                        sock=connected,
                        ssl=tls() if self._address.encrypted else None,
                        server_hostname=name if self._address.encrypted else None,
                    )
                except BaseException:
                    connected.close()
                    raise
        except TimeoutError:
            raise SilentError from None
        except OSError as error:  # refused, no such host; TLS errors are of this kind too
            raise UnreachableError from error
        return connection
