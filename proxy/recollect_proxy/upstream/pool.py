"""A pool of connections to one server: opened on demand, reused until their idle timeout."""

import asyncio
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import quote, urlsplit

import aiohappyeyeballs

from recollect_proxy.upstream.connection import BusyError, Connection, SilentError, UnreachableError
from recollect_proxy.upstream.timeouts import IDLE_SECONDS, NEXT_ADDRESS_SECONDS

_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=~"
"""The characters that a path keeps unescaped. It includes the percent sign, so that nothing is escaped twice."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server and the base path on it.

    Attributes:
        host: A host name or an IP address, without brackets, as ``getaddrinfo`` takes it.
        authority: The value of the ``Host`` header.
        path: The prefix of every request target, percent-encoded, without a trailing slash.
    """

    host: str
    port: int
    encrypted: bool
    authority: bytes
    path: bytes

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse a base URL. Its scheme is http or https, and it has a host.

        Raises:
            KeyError: The scheme is neither http nor https.
            ValueError: The host or the port is invalid.
        """
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
        port = parts.port or _PORTS[parts.scheme]
        named = f"[{host}]" if ":" in host else host
        authority = named if port == _PORTS[parts.scheme] else f"{named}:{port}"
        path = quote(parts.path.rstrip("/"), safe=_IN_PATHS).encode()
        return cls(host, port, parts.scheme == "https", authority.encode(), path)

    @property
    def origin(self) -> str:
        """The server, for a log: without the path and the query, in which a key may stand."""
        return f"{'https' if self.encrypted else 'http'}://{self.authority.decode()}"


@cache
def tls() -> ssl.SSLContext:
    """Return the shared TLS context: it trusts the system's certificate authorities and offers HTTP/1.1 only (ALPN)."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


@dataclass(eq=False, slots=True)
class LentConnection:
    """A connection on loan from the pool, and whether it carried an exchange before."""

    connection: Connection
    reused: bool


class Pool:
    """Lends connections to one server, one exchange each, and ``limit`` at a time: further callers wait.

    ``connect_timeout``: Seconds for both together: the wait for a free connection, and connecting.
    """

    def __init__(self, address: Address, *, limit: int, connect_timeout: float) -> None:
        self._address = address
        self._limit = asyncio.Semaphore(limit)
        self._connect_timeout = connect_timeout
        self._idle: list[Connection] = []  # the most recently used last
        self._lent: set[LentConnection] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self.waiting = 0

    @property
    def lent(self) -> int:
        """The number of connections on loan."""
        return len(self._lent)

    @property
    def idle(self) -> int:
        """The number of idle connections."""
        return len(self._idle)

    async def acquire(self) -> LentConnection:
        """Lend a connection: an idle one if there is any, else a new one.

        Raises:
            BusyError: The limit is reached, and no connection was returned in time.
            UnreachableError: The server could not be connected to.
            SilentError: Connecting took too long.
        """
        deadline = asyncio.get_running_loop().time() + self._connect_timeout
        self.waiting += 1
        try:
            # None: where a connection is free, no timer is needed.
            async with asyncio.timeout_at(deadline if self._limit.locked() else None):
                await self._limit.acquire()
        except TimeoutError:
            raise BusyError from None
        finally:
            self.waiting -= 1
        try:
            connection = self._fresh_enough()
            lent = LentConnection(connection or await self._open(deadline), reused=connection is not None)
        except BaseException:  # also a cancellation: the caller may have left
            self._limit.release()
            raise
        self._lent.add(lent)
        return lent

    async def replace(self, lent: LentConnection) -> None:
        """Close the connection on loan, and put a new one in its place; if that can't be opened, the closed one stays on loan."""
        if lent.connection.end_exchange():
            lent.connection.abort()
        lent.connection = await self._open(asyncio.get_running_loop().time() + self._connect_timeout)
        lent.reused = False

    def release(self, lent: LentConnection) -> None:
        """Take a connection back. It is closed unless its response was complete and the server keeps it open."""
        self._lent.discard(lent)
        self._limit.release()
        connection = lent.connection
        if connection.end_exchange():
            loop = asyncio.get_running_loop()
            connection.idle_since = loop.time()
            self._idle.append(connection)
            if self._sweep is None:
                self._sweep = loop.call_later(IDLE_SECONDS, self._close_old)

    async def aclose(self) -> None:
        """Close all connections, also those on loan."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for connection in (*self._idle, *(lent.connection for lent in self._lent)):
            connection.abort()
        self._idle.clear()

    def _fresh_enough(self) -> Connection | None:
        oldest = asyncio.get_running_loop().time() - IDLE_SECONDS
        while self._idle:
            connection = self._idle.pop()  # the last used: the others may come to their end
            if not connection.closed and connection.idle_since > oldest:
                return connection
            connection.abort()
        return None

    def _close_old(self) -> None:
        loop = asyncio.get_running_loop()
        oldest = loop.time() - IDLE_SECONDS
        kept = [each for each in self._idle if not each.closed and each.idle_since > oldest]
        for connection in set(self._idle).difference(kept):
            connection.abort()
        self._idle = kept
        wait = kept[0].idle_since - oldest if kept else 0.0
        self._sweep = loop.call_later(wait, self._close_old) if kept else None

    async def _open(self, deadline: float) -> Connection:
        """Connect to whichever of the host's addresses accepts first (Happy Eyeballs, RFC 8305)."""
        loop = asyncio.get_running_loop()
        name = self._address.host
        try:
            async with asyncio.timeout_at(deadline):
                found = await loop.getaddrinfo(name, self._address.port, type=socket.SOCK_STREAM)
                connected = await aiohappyeyeballs.start_connection(
                    found, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS
                )
                with suppress(OSError):  # some systems lack the option
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
        except OSError as error:  # refused, unknown host, or TLS: ssl.SSLError is an OSError
            raise UnreachableError from error
        return connection
