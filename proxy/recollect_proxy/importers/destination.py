"""Opens where an import goes: to write there, or for a dry run only to look. Never: what is imported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources

from recollect.assembly import open_backends
from recollect.errors import ConfigurationError, RecollectError
from recollect.ports import Backends
from recollect.postgres import start_embedded
from recollect.postgres.pool import Access, store_errors
from recollect.postgres.sql import load_migrations
from recollect_proxy.settings import ProxySettings

_CONNECT_SECONDS, _QUERY_SECONDS = 5.0, 30.0


class OutdatedDatabaseError(RecollectError):
    """The database would have to be changed to be looked into."""


@asynccontextmanager
async def open_destination(settings: ProxySettings, *, writes: bool) -> AsyncIterator[Backends | None]:
    """Open where it goes, and close it.

    Args:
        settings: Where that is.
        writes: Whether anything may be changed there; else no database is made, and none is brought up to date.

    Yields:
        What is there; None where nothing is yet, and nothing may be changed.

    Raises:
        ConfigurationError: It would be gone with this process.
        OutdatedDatabaseError: Nothing may be changed, and an older Recollect used it last.
        RecollectError: It can't be opened.
    """
    if settings.in_memory:
        raise ConfigurationError(
            "What is imported into a database in memory is gone at once: name the one that Recollect serves with."
        )
    if writes:
        async with open_backends(settings) as backends:
            yield backends
        return
    async with _found(settings) as dsn:
        if dsn is None or not await _has_tables(dsn):
            yield None
            return
        async with open_backends(settings) as backends:
            yield backends


@asynccontextmanager
async def _found(settings: ProxySettings) -> AsyncIterator[str | None]:
    """Yield how to reach the database; None where there is no embedded one yet."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
    elif (settings.data_dir.expanduser() / "postgres").is_dir():
        server = await asyncio.to_thread(start_embedded, settings.data_dir)
        try:
            yield server.dsn
        finally:
            await asyncio.to_thread(server.stop)
    else:
        yield None


async def _has_tables(dsn: str) -> bool:
    """Tell whether our tables are there.

    Raises:
        OutdatedDatabaseError: They are, as an older Recollect has them.
    """
    async with Access(dsn, _CONNECT_SECONDS, _QUERY_SECONDS).connection() as connection:
        with store_errors():
            if not await connection.fetchval(_query("has_tables")):
                return False
            latest: int | None = await connection.fetchval(_query("latest_migration"))
    if latest is None or latest < max(migration.version for migration in load_migrations()):
        raise OutdatedDatabaseError(
            "Recollect's database was last used by an older version. A dry run does not bring it up to date, "
            "and can't look into it as it is: start `recollect serve` once before, or import without --dry-run."
        )
    return True


def _query(name: str) -> str:
    return (resources.files(__package__) / "queries" / f"{name}.sql").read_text("utf-8")
