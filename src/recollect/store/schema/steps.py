"""Changes a schema in steps while others use it: one process at a time, and no step waits long for a lock. Never: which step."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import asyncpg
import structlog

from recollect.errors import StoreUnavailableError
from recollect.store.pool import Connection
from recollect.store.sql import SQL

_LOCK = 0x7265636F6C6C6563
"""The advisory lock for changing the schema: "recollec" as a 64-bit number."""

MIGRATION_SECONDS = 3600.0
"""A migration may have to read the whole log; other processes that start meanwhile wait as long."""

_TRIES = 20
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.25, 5.0
"""Seconds between two tries: a step is given up after about a minute and a half."""

_Result = TypeVar("_Result")

log = structlog.get_logger(__name__)


class SchemaSteps:
    """Takes steps over one connection.

    A statement that waits for a table's lock has everybody wait who comes after it. So a step waits half a second for a
    lock, is undone, and is tried again a little later.

    Args:
        connection: A connection of its own.
        pooled: Whether a pooler is in front of the server. Then no lock outlives a transaction, and a process is
            alone for one step at a time.

    Attributes:
        search_path: Set at the start of each step; None: not known yet.
    """

    def __init__(self, connection: Connection, *, pooled: bool) -> None:
        self._connection = connection
        self._pooled = pooled
        self.search_path: str | None = None

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Let one process at a time take all its steps; others wait. Behind a pooler it does nothing: each step does."""
        if self._pooled:
            yield
            return
        await self._connection.execute(SQL["allow_long_statements"], False)  # noqa: FBT003 -- not of a transaction alone
        await self._connection.execute(SQL["lock_schema"], _LOCK, timeout=MIGRATION_SECONDS)
        yield
        # If that fails, the end of the connection gives the lock back.
        await self._connection.execute(SQL["unlock_schema"], _LOCK)

    async def take(
        self, name: str, work: Callable[[], Awaitable[_Result]], *, is_whole: bool = True
    ) -> _Result:
        """Take a step; try again while another session holds a lock that it needs.

        Args:
            name: The step's name, for the log.
            work: Takes it, over the connection.
            is_whole: Whether it is one transaction; if not, and no pooler is there, it can be taken again after any part of it.

        Raises:
            StoreUnavailableError: The lock was held all the time.
        """
        step = self._transaction if is_whole or self._pooled else self._session
        pause = _SHORTEST_PAUSE
        for tries in range(1, _TRIES + 1):
            try:
                async with step():
                    return await work()
            except asyncpg.LockNotAvailableError:
                log.warning(
                    "schema_migration_postponed", step=name, tries=tries, of=_TRIES, retry_seconds=pause
                )
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise StoreUnavailableError(
            f"The schema can't be changed ({name}): somebody holds a lock on a table of it, "
            f"and did so each of the {_TRIES} times that this was tried."
        )

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        async with self._connection.transaction():
            await self._connection.execute(SQL["allow_long_statements"], True)  # noqa: FBT003 -- of this transaction alone
            if self._pooled:
                await self._connection.execute(
                    SQL["lock_schema_for_transaction"], _LOCK, timeout=MIGRATION_SECONDS
                )
                if self.search_path is not None:
                    await self._connection.execute(SQL["set_search_path_for_transaction"], self.search_path)
            await self._connection.execute(SQL["limit_lock_waits"], True)  # noqa: FBT003 -- as above
            yield

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[None]:
        await self._connection.execute(SQL["limit_lock_waits"], False)  # noqa: FBT003 -- not of a transaction alone
        try:
            yield
        finally:
            await self._connection.execute(SQL["limit_no_lock_waits"])
