"""A Postgres of the run's own, and the line to it: stopped, killed, frozen, slow, cut."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import asyncpg
from tests.recollect.store.embedded.servers import children_of, postmaster
from tests.servers.folders import put_database
from tests.support.waiting import until

from recollect.store import EmbeddedServer, start_embedded

_SOCKET = ".s.PGSQL.5432"
_READ = 65_536
_AGAIN_SECONDS = 0.2
_TRIES = 300


class Database:
    """A Postgres with pgvector in a folder, as an operator runs one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dsn = dsn_in(folder / "postgres" / "data")
        self._server: EmbeddedServer | None = None
        put_database(folder)

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        self._server = await asyncio.to_thread(start_embedded, self.folder)
        self.dsn = self._server.dsn

    async def stop(self) -> None:
        """Stop it as an operator does: sessions are ended, transactions undone."""
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
        self._server = None

    def kill(self) -> None:
        """Kill its first process, which the others don't outlive."""
        os.kill(postmaster(self.folder), signal.SIGKILL)

    async def revive(self) -> None:
        """Start it again after a kill, as an operator's watchdog does."""
        assert self._server is not None
        server = self._server  # as long as its children are ending, it can't
        await until(lambda: asyncio.to_thread(server.revive))

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to each of its processes."""
        first = postmaster(self.folder)
        for each in (first, *children_of(first)):
            with suppress(ProcessLookupError):
                os.kill(each, number)


def dsn_in(folder: Path) -> str:
    """Return the address of a server whose socket is in a folder."""
    return f"postgresql://postgres@/postgres?host={quote(str(folder))}&port=5432"


async def rows(dsn: str, query: str) -> list[asyncpg.Record]:
    """Ask a database, as soon as it answers."""
    for _ in range(_TRIES):
        with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            connection = await asyncpg.connect(dsn, timeout=10)
            try:
                return await connection.fetch(query)
            finally:
                connection.terminate()
        await asyncio.sleep(_AGAIN_SECONDS)
    raise TimeoutError("the database stays away")


class Line:
    """Passes bytes between clients and a database, each piece of an answer late by ``delay`` seconds."""

    def __init__(self, folder: Path, database: Database) -> None:
        folder.mkdir()
        self.dsn = dsn_in(folder)
        self.delay = 0.0
        self._path = folder / _SOCKET
        self._there = database.folder / "postgres" / "data" / _SOCKET
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Take connections from now on."""
        self._server = await asyncio.start_unix_server(self._connected, self._path)

    async def stop(self) -> None:
        """Take none any more, and cut those there are."""
        if self._server is not None:
            self._server.close()
        for each in self._open:
            each.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, to_there = await asyncio.open_unix_connection(self._there)
        except OSError:
            writer.close()
            return
        self._open |= {writer, to_there}
        both = self._pass(reader, to_there, is_late=False), self._pass(there, writer, is_late=True)
        await asyncio.gather(*both)
        self._open -= {writer, to_there}

    async def _pass(self, source: asyncio.StreamReader, to: asyncio.StreamWriter, *, is_late: bool) -> None:
        """Pass on everything, then close, which ends the other direction, too."""
        with suppress(OSError):
            while piece := await source.read(_READ):
                if is_late and self.delay:
                    await asyncio.sleep(self.delay)
                if to.is_closing():  # by the other direction, or by `stop`
                    break
                to.write(piece)
                await to.drain()
        to.close()
