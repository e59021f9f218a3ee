"""Opens the store that an import writes to, or for a dry run only reads. Never: what is imported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from recollect.assembly.lifecycle import open_unembedded_backends
from recollect.backends import Backends
from recollect.errors import ConfigurationError, RecollectError
from recollect.store import start_embedded
from recollect.store.pool import Access, store_errors
from recollect.store.sql import SQL, load_migrations
from recollect_proxy.settings.proxy_settings import ProxySettings

_CONNECT_SECONDS, _QUERY_SECONDS = 5.0, 30.0


class OutdatedDatabaseError(RecollectError):
    """The database has an older schema, which a dry run must not migrate."""


@asynccontextmanager
async def open_destination(settings: ProxySettings, *, writes: bool) -> AsyncIterator[Backends | None]:
    """Yield the store; if it may not be changed, no database is created or migrated, and it is None if there is none yet.

    Raises:
        ConfigurationError: The store is in memory, so that the import would be lost when this process ends.
        OutdatedDatabaseError: The database needs a migration, and ``writes`` is False.
        RecollectError: The store can't be opened.
    """
    if settings.in_memory:
        raise ConfigurationError(
            "An import into a database in memory is lost when the command ends: name the database that Recollect serves with."
        )
    async with AsyncExitStack() as stack:
        if not writes:
            dsn = await _database_of(settings, stack)
            if dsn is None or not await _has_tables(dsn):
                yield None
                return
        yield await stack.enter_async_context(open_unembedded_backends(settings))


async def _database_of(settings: ProxySettings, stack: AsyncExitStack) -> str | None:
    """Return the DSN of the database, which runs as long as the stack is open; None if there is no embedded one yet."""
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    if not (settings.data_dir.expanduser() / "postgres").is_dir():
        return None
    server = await asyncio.to_thread(start_embedded, settings.data_dir)
    stack.push_async_callback(asyncio.to_thread, server.stop)
    return server.dsn


async def _has_tables(dsn: str) -> bool:
    """Return whether the database has Recollect's tables; raises OutdatedDatabaseError for an older schema."""
    # Whether a pooler stands before it is not known yet.
    async with Access(dsn, _CONNECT_SECONDS, _QUERY_SECONDS, pooled=True).connection() as connection:
        with store_errors():
            [seen] = await connection.fetch(SQL["look_before_start"])
            if not seen["has_migrations"]:
                return False
            applied = {row["version"] for row in await connection.fetch(SQL["applied_migrations"])}
    if max(applied, default=0) < max(migration.version for migration in load_migrations()):
        raise OutdatedDatabaseError(
            "An older version of Recollect used the database last. A dry run does not bring it up to date, and can't read "
            "it as it is: start `recollect serve` once before, or import without --dry-run."
        )
    return True
