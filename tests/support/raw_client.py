"""An HTTP/1.1 client written by hand: it sends exactly what a test says and shows what really came back.

It adds no header, and neither follows, retries nor decompresses.
"""

import asyncio
import json
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

Fields: TypeAlias = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Response:
    """What came back; ``complete`` if its body ended as its framing promised."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    complete: bool = True

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of a header, whatever the case of its name."""
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name: bytes) -> bytes | None:
        """Return a header's only value, or None."""
        found = self.values(name)
        assert len(found) < 2
        return found[0] if found else None

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RawConnection:
    """One connection to a server of the loopback; use it as an async context manager."""

    def __init__(self, port: int) -> None:
        self._part = port
        self._head: tuple[int, list[tuple[bytes, bytes]]] = (0, [])

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._part, limit=2**22)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def read_head(self) -> int:
        """Read status line and headers; return the status."""
        lines = (await self._reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
        fields = [line.partition(b":") for line in lines[1:]]
        self._head = int(lines[0].split(b" ")[1]), [(name, value.strip()) for name, _, value in fields]
        return self._head[0]

    async def read_until(self, mark: bytes) -> bytes:
        """Read the body, as it is framed, up to a mark."""
        return await self._reader.readuntil(mark)

    async def read_chunked(self, size: int) -> bytes:
        """Read so many bytes of a chunked body, which have to end where a chunk does."""
        body = b""
        while len(body) < size:
            length = int(await self._reader.readuntil(b"\r\n"), 16)
            assert length > 0, "the body ended too early"
            body += (await self._reader.readexactly(length + 2))[:-2]
        return body

    async def read_rest(self) -> bytes:
        """Read the body, as it is framed, up to the end of the connection."""
        return await self._reader.read()

    async def read_response(self, *, method: bytes = b"GET") -> Response:
        """Read a whole response, or as much of it as comes."""
        status = await self.read_head()
        head = Response(status, self._head[1], b"")
        if method == b"HEAD" or status in {204, 304}:
            return head
        if b"chunked" in head.values(b"transfer-encoding"):
            body, complete = await self._read_chunks()
        elif lengths := head.values(b"content-length"):
            body, complete = await self._read_exactly(int(lengths[0]))
        else:
            body, complete = await self._reader.read(), True
        return Response(status, head.headers, body, complete)

    async def _read_exactly(self, length: int) -> tuple[bytes, bool]:
        try:
            return await self._reader.readexactly(length), True
        except asyncio.IncompleteReadError as error:
            return error.partial, False

    async def _read_chunks(self) -> tuple[bytes, bool]:
        body = b""
        try:
            while True:
                size = int(await self._reader.readuntil(b"\r\n"), 16)
                data = await self._reader.readexactly(size + 2)
                if size == 0:
                    return body, True
                body += data[:-2]
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return body, False

    def leave(self) -> None:
        """Go away at once, as a browser does whose tab is closed."""
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()


def request_bytes(method: bytes, target: bytes, headers: Fields = (), body: bytes | None = None) -> bytes:
    fields = [(b"Host", b"proxy.test"), *headers]
    if body is not None:
        fields.append((b"Content-Length", b"%d" % len(body)))
    lines = [method + b" " + target + b" HTTP/1.1", *(name + b": " + value for name, value in fields)]
    return b"\r\n".join([*lines, b"", body or b""])


async def fetch(
    port: int, method: bytes, target: bytes, headers: Fields = (), body: bytes | None = None
) -> Response:
    """Send one request on a connection of its own, and return what came back."""
    async with RawConnection(port) as connection:
        await connection.send(request_bytes(method, target, headers, body))
        return await connection.read_response(method=method)
