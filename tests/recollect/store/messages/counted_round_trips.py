"""A relay before a database that counts the round trips of its clients. Never: a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit


@dataclass
class RoundTrips:
    """How many round trips there were.

    Attributes:
        dsn: The address of the database through the relay.
        count: So many.
    """

    dsn: str
    count: int = 0


@asynccontextmanager
async def counted_round_trips(dsn: str) -> AsyncIterator[RoundTrips]:
    """Relay connections to a database, and count their round trips."""
    parts = urlsplit(dsn)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    counted = RoundTrips("")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if "host" in query:
            path = f"{query['host']}/.s.PGSQL.{query.get('port', '5432')}"
            from_server, to_server = await asyncio.open_unix_connection(path)
        else:
            from_server, to_server = await asyncio.open_connection(parts.hostname, parts.port)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await asyncio.gather(_requests(reader, to_server, counted), _answers(from_server, writer))
        to_server.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    counted.dsn = f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?sslmode=disable"
    try:
        yield counted
    finally:
        server.close()


async def _requests(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counted: RoundTrips) -> None:
    length = await reader.readexactly(4)  # the first message has no type
    writer.write(length + await reader.readexactly(int.from_bytes(length, "big") - 4))
    while True:
        head = await reader.readexactly(5)
        body = await reader.readexactly(int.from_bytes(head[1:], "big") - 4)
        counted.count += head[:1] in (b"Q", b"S")
        writer.write(head + body)
        await writer.drain()


async def _answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65_536):
        writer.write(chunk)
        await writer.drain()
    writer.close()  # the client waits for it
