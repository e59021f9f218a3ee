"""Opens OpenWebUI's data for reading: its SQLite file, its Postgres database, or an export."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg

from recollect_proxy.importers.rows import Row, SourceError
from recollect_proxy.importers.source import Source
from recollect_proxy.openwebui.exports import read_export

_HEADER = b"SQLite format 3\0"
_VERSION_AT = 18
_CONNECT_SECONDS = 30
_QUERY_SECONDS = 300


@asynccontextmanager
async def open_source(name: str) -> AsyncIterator[Source]:
    """Open a source within the context.

    Args:
        name: The path of `webui.db` or of an export, or a URL such as `postgresql://user:password@host/database`.

    Raises:
        SourceError: The source can't be read, or does not belong to OpenWebUI.
    """
    scheme, separator, rest = name.partition("://")
    if separator:
        if scheme.partition("+")[0] not in {"postgresql", "postgres"}:
            raise SourceError("The source is a path, or a URL that begins with postgresql://.")
        async with _open_postgres(f"postgresql://{rest}") as source:
            yield source
        return
    path = Path(name)
    if await asyncio.to_thread(_is_database, path):
        with closing(await asyncio.to_thread(_connected, path)) as connection:
            yield _Sqlite(connection)
    else:
        yield await asyncio.to_thread(_Export, path)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}.") from None


def _query(name: str) -> str:
    return (resources.files(__package__) / "queries" / f"{name}.sql").read_text("utf-8")


# -- SQLite ----------------------------------------------------------------------------------------


def _connected(path: Path) -> sqlite3.Connection:
    """Connect to a SQLite file without changing it or its folder.

    In WAL mode SQLite would create a log beside the file. A file in WAL mode without a log, which no process has open, is
    therefore opened as immutable. So is a file in a read-only folder; if a non-empty log lies there, it can't be read.

    Raises:
        SourceError: The file can't be read.
    """
    where = f"file:{quote(str(path.absolute()))}?mode=ro"
    log = path.with_name(path.name + "-wal")
    try:
        if not (_keeps_log(path) and not log.exists()):
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
    """Tell by its header whether a file is in WAL mode (SQLite's file format, section 1.3.3)."""
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


class _Sqlite:
    """OpenWebUI's SQLite file. No transaction spans two queries, so that OpenWebUI can write in between."""

    origin = "openwebui"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def users(self) -> frozenset[str] | None:
        return frozenset(row["id"] for row in await self._rows("users"))

    async def memories(self) -> Sequence[Row]:
        return await self._rows("memories")

    async def chats(self) -> Sequence[Row]:
        return await self._rows("chats")

    async def chat(self, listed: Row) -> Row | None:
        return next(iter(await self._rows("chat", {"1": listed["id"]})), None)

    async def _rows(self, name: str, arguments: Row | None = None) -> list[Row]:
        def fetch() -> list[Row]:
            rows = self._connection.execute(_query(name), arguments or {}).fetchall()
            return [dict(zip(row.keys(), row, strict=True)) for row in rows]

        try:
            return await asyncio.to_thread(fetch)
        except sqlite3.Error as error:
            raise SourceError(f"This is no database of OpenWebUI that can be read: {error}.") from None


# -- Postgres --------------------------------------------------------------------------------------


@asynccontextmanager
async def _open_postgres(url: str) -> AsyncIterator["_Postgres"]:
    try:
        connection = await asyncpg.connect(url, timeout=_CONNECT_SECONDS, command_timeout=_QUERY_SECONDS)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise SourceError(f"OpenWebUI's Postgres can't be reached: {type(error).__name__}.") from None
    try:
        yield _Postgres(connection)
    finally:
        await connection.close(timeout=_CONNECT_SECONDS)


class _Postgres:
    """OpenWebUI's Postgres database. Each query runs in its own read-only transaction."""

    origin = "openwebui"

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    async def users(self) -> frozenset[str] | None:
        return frozenset(row["id"] for row in await self._rows("users"))

    async def memories(self) -> Sequence[Row]:
        return await self._rows("memories")

    async def chats(self) -> Sequence[Row]:
        return await self._rows("chats")

    async def chat(self, listed: Row) -> Row | None:
        return next(iter(await self._rows("chat", listed["id"])), None)

    async def _rows(self, name: str, *arguments: Any) -> list[Row]:
        try:
            async with self._connection.transaction(readonly=True):
                return [dict(row) for row in await self._connection.fetch(_query(name), *arguments)]
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            # If OpenWebUI has a DATABASE_SCHEMA, its tables are not on the default search path.
            elsewhere = " Are its tables in a schema of their own? Then add ?search_path=SCHEMA to the URL."
            hint = elsewhere if isinstance(error, asyncpg.UndefinedTableError) else ""
            raise SourceError(
                f"This is no database of OpenWebUI that can be read: {type(error).__name__}.{hint}"
            ) from None


# -- an export -------------------------------------------------------------------------------------


class _Export:
    """A JSON export of OpenWebUI, with memories or chats or both."""

    origin = "openwebui"

    def __init__(self, path: Path) -> None:
        self._rows = read_export(path)

    async def users(self) -> frozenset[str] | None:
        return None

    async def memories(self) -> Sequence[Row]:
        return [row for row in self._rows if "chat" not in row]

    async def chats(self) -> Sequence[Row]:
        return sorted((row for row in self._rows if "chat" in row), key=_began)

    async def chat(self, listed: Row) -> Row | None:
        return listed


def _began(row: Row) -> float:
    began = row.get("created_at")
    try:
        return float(began) if isinstance(began, int | float) else 0.0
    except OverflowError:  # JSON sets no limit to integers
        return 0.0
