"""Opens OpenWebUI's data for reading: its SQLite file, its Postgres database, or an export."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from importlib import resources
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import asyncpg

from recollect.store.sql import read_queries
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Listed,
    Row,
    Source,
    SourceChat,
    SourceError,
    SourceMemory,
    name_of,
)
from recollect_proxy.importers.openwebui import read_chat, read_memory
from recollect_proxy.importers.product_files import open_files
from recollect_proxy.takeout.large_json import FileError

_HEADER = b"SQLite format 3\0"
_VERSION_AT = 18
_CONNECT_SECONDS = 30
_QUERY_SECONDS = 300

_SQL = {
    query.name: query.text
    for query in read_queries((resources.files(__package__) / "openwebui.sql").read_text("utf-8"))
}

_Fetch: TypeAlias = Callable[..., Awaitable[Sequence[Row]]]
"""Returns the rows of a query by its name and arguments; raises SourceError."""


@asynccontextmanager
async def open_openwebui(name: str) -> AsyncIterator[Source]:
    """Open `webui.db`, an export, or a URL such as `postgresql://host/database` as a source within the context.

    Raises:
        SourceError: The source can't be read, or does not belong to OpenWebUI.
    """
    scheme, separator, rest = name.partition("://")
    path = Path(name)
    async with AsyncExitStack() as stack:
        if separator:
            if scheme.partition("+")[0] not in {"postgresql", "postgres"}:
                raise SourceError("The source is a path, or a URL that begins with postgresql://.")
            fetch = await stack.enter_async_context(_open_postgres(f"postgresql://{rest}"))
            source = await _read_database(fetch)
        elif await asyncio.to_thread(_is_database, path):
            connection = stack.enter_context(closing(await asyncio.to_thread(_connect_to_file, path)))
            source = await _read_database(_fetch_from_file(connection))
        else:
            try:
                source = await stack.enter_async_context(open_files("openwebui", path))
            except (FileError, SourceError) as error:
                raise SourceError(
                    f"{path} is no database of OpenWebUI, and no export: {error} An export is a JSON list of memories "
                    '(each with "content") or of chats (each with "chat"), one of them, or one a line; or an object with '
                    'such lists as "memories" and "chats".'
                ) from None
        yield source


async def _read_database(fetch: _Fetch) -> Source:
    """Read the memories. No transaction spans two queries, so that OpenWebUI can write in between."""

    def listed(row: Row) -> Listed:
        async def read_again() -> SourceChat | None:
            rows = await fetch("chat", row["id"])
            return read_chat(rows[0]) if rows else None

        return Listed(name_of(row["id"]), row["user_id"] or "", read_again)

    memories: list[SourceMemory] = []
    broken: list[str] = []
    for row in await fetch("memories"):
        try:
            memories.append(read_memory(row))
        except BrokenRowError as error:
            broken.append(f"memory {name_of(row.get('id'))}: {error}")
    chats = [listed(row) for row in await fetch("chats")]
    users = frozenset(row["id"] for row in await fetch("users"))
    return Source("openwebui", memories, chats, broken, users)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}.") from None


def _connect_to_file(path: Path) -> sqlite3.Connection:
    """Connect to a SQLite file without changing it or its folder; raises SourceError if it can't be read.

    In WAL mode SQLite would create a log next to the file. A file in WAL mode without a log, which no process has open, is
    therefore opened as immutable. So is a file in a read-only folder; if a non-empty log lies there, it can't be read.
    """
    where = f"file:{quote(str(path.absolute()))}?mode=ro"
    log = path.with_name(path.name + "-wal")
    try:
        if not _keeps_log(path) or log.exists():
            return _tried(where)
    except sqlite3.Error:
        if log.exists() and log.stat().st_size:
            raise SourceError(
                f"{path} can't be read: {log.name} lies beside it, and the folder can't be written. Copy both to another folder."
            ) from None
    try:
        return _tried(f"{where}&immutable=1")
    except sqlite3.Error as error:
        raise SourceError(f"{path} can't be read: {error}.") from None


def _keeps_log(path: Path) -> bool:
    """Return whether a file is in WAL mode, by its header (SQLite's file format, section 1.3.3)."""
    with path.open("rb") as file:
        return file.read(_VERSION_AT + 1)[_VERSION_AT:] == b"\2"


def _tried(where: str) -> sqlite3.Connection:
    connection = sqlite3.connect(where, uri=True, check_same_thread=False, timeout=_CONNECT_SECONDS)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    return connection


def _fetch_from_file(connection: sqlite3.Connection) -> _Fetch:
    """Return a function that runs queries on a connection to SQLite."""

    def fetched(name: str, arguments: Sequence[str]) -> list[Row]:
        numbered = {str(number): each for number, each in enumerate(arguments, start=1)}
        return [dict(row) for row in connection.execute(_SQL[name], numbered)]

    async def fetch(name: str, *arguments: str) -> list[Row]:
        try:
            return await asyncio.to_thread(fetched, name, arguments)
        except sqlite3.Error as error:
            raise SourceError(f"This is no database of OpenWebUI that can be read: {error}.") from None

    return fetch


@asynccontextmanager
async def _open_postgres(url: str) -> AsyncIterator[_Fetch]:
    """Yield a function that runs queries on Postgres, each in its own read-only transaction."""
    try:
        connection = await asyncpg.connect(url, timeout=_CONNECT_SECONDS, command_timeout=_QUERY_SECONDS)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise SourceError(f"OpenWebUI's Postgres can't be reached: {type(error).__name__}.") from None

    async def fetch(name: str, *arguments: str) -> list[Row]:
        try:
            async with connection.transaction(readonly=True):
                return [dict(row) for row in await connection.fetch(_SQL[name], *arguments)]
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            # If OpenWebUI has a DATABASE_SCHEMA, its tables are not on the default search path.
            elsewhere = " Are its tables in a schema of their own? Then add ?search_path=SCHEMA to the URL."
            hint = elsewhere if isinstance(error, asyncpg.UndefinedTableError) else ""
            raise SourceError(
                f"This is no database of OpenWebUI that can be read: {type(error).__name__}.{hint}"
            ) from None

    try:
        yield fetch
    finally:
        await connection.close(timeout=_CONNECT_SECONDS)
