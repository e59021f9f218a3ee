"""Databases for tests: a server, and databases on it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
from tests.servers.external_servers import FOLDERS, external_server
from tests.servers.folders import database_folder, put_database, quick_folder
from tests.support.people import is_new

from recollect.store import EmbeddedServer, open_postgres, start_embedded

_TABLES = """
    SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'recollect' AND tablename <> 'schema_migrations'
"""
_OF_USERS = """
    SELECT format('SELECT user_id FROM recollect.%I', table_name) || CASE table_name WHEN 'users' THEN ' WHERE user_id <> ''*''' ELSE '' END
    FROM information_schema.columns
    WHERE table_schema = 'recollect' AND column_name = 'user_id'
"""
_GLOBALS = "SELECT owner FROM recollect.vectors WHERE source = 'global'"
_END_OTHERS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
"""It waits until they are gone, ten seconds at most: one that commits just now would leave a row for the next test."""


@contextmanager
def running_server(wanted: str = "") -> Iterator[str]:
    """Run a server in memory, and yield its dsn.

    Args:
        wanted: "16" or "18": an external one of that version; the dsn of one that runs; "": the embedded one.
    """
    if wanted in FOLDERS:
        with external_server(wanted) as dsn:
            yield dsn
        return
    if wanted:
        yield wanted
        return
    folder = quick_folder()
    try:
        put_database(folder.path)
        server = start_embedded(folder.path, durable=False)
        yield server.dsn
        server.stop()
    finally:
        folder.remove()


class Database:
    """A Postgres that can be stopped and started, and is found again where it was."""

    def __init__(self, folder: Path) -> None:
        self.dsn = ""
        self._folder = folder
        self._server: EmbeddedServer | None = None

    async def start(self) -> None:
        self._server = await asyncio.to_thread(start_embedded, self._folder)
        self.dsn = self._server.dsn

    async def stop(self) -> None:
        """Stop it, whoever uses it."""
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
        self._server = None


@asynccontextmanager
async def running_database(folder: Path | None = None) -> AsyncIterator[Database]:
    """Run one in a folder of its own, or in this one, beside others who use it."""
    with database_folder(created=True) if folder is None else nullcontext(folder) as own:
        database = Database(own)
        await database.start()
        try:
            yield database
        finally:
            await database.stop()


@asynccontextmanager
async def administrator(dsn: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def run_sql(dsn: str, statement: str, *arguments: object) -> None:
    """Execute a statement as the administrator."""
    async with administrator(dsn) as connection:
        await connection.execute(statement, *arguments)


async def sql_rows(dsn: str, query: str, *arguments: object) -> list[asyncpg.Record]:
    """Ask as the administrator, and return the rows."""
    async with administrator(dsn) as connection:
        return await connection.fetch(query, *arguments)


async def sql_value(dsn: str, query: str, *arguments: object) -> Any:
    """Ask as the administrator, and return the one value."""
    async with administrator(dsn) as connection:
        return await connection.fetchval(query, *arguments)


@asynccontextmanager
async def new_database(server: str, template: str = "template1", options: str = "") -> AsyncIterator[str]:
    """Create a database, yield its dsn, and drop it.

    Args:
        server: The dsn of a database of it.
        template: What it is a copy of.
        options: Its own encoding or locale, as CREATE DATABASE has them; the template is to be ``template0`` then.
    """
    name = f"recollect_test_{uuid4().hex}"
    async with administrator(server) as connection:
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} {options}")
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        async with administrator(server) as connection:
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def migrated_database(server: str) -> AsyncIterator[str]:
    """Create a database with the current schema, yield its dsn, and drop it."""
    async with new_database(server) as dsn:
        store = await open_postgres(dsn)
        await store.aclose()
        yield dsn


class SpareDatabases:
    """Migrated databases without a row, each lent to one test at a time: emptying one is quicker than making one."""

    def __init__(self, server: str, template: str, closing: AsyncExitStack) -> None:
        self._server = server
        self._template = template
        self._closing = closing
        self._spare: list[str] = []

    @asynccontextmanager
    async def one(self) -> AsyncIterator[str]:
        """Lend a database, by its dsn."""
        if not self._spare:
            made = new_database(self._server, self._template)
            self._spare.append(await self._closing.enter_async_context(made))
        dsn = self._spare.pop()
        yield dsn
        await _empty(dsn)
        self._spare.append(dsn)


async def _empty(dsn: str) -> None:
    async with administrator(dsn) as connection:
        await connection.execute(_END_OTHERS)
        tables = [row[0] for row in await connection.fetch(_TABLES)]
        await connection.execute("SET session_replication_role = replica")  # no trigger tells of it
        await connection.execute(";".join(f"DELETE FROM recollect.{table}" for table in tables))


async def strangers(dsn: str) -> list[str]:
    """Return who has anything in a shared database and was not made for one test alone; "*" is everybody."""
    async with administrator(dsn) as connection:
        of_users = [row[0] for row in await connection.fetch(_OF_USERS)]
        rows = await connection.fetch(" UNION ".join([_GLOBALS, *of_users]))
    return sorted(row[0] for row in rows if not is_new(row[0]))
