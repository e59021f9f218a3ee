"""Brings a database up to the schema this code knows, forwards only, while others use it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import asyncpg
import structlog

from recollect.errors import StoreError, StoreUnavailableError, UnfitDatabaseError
from recollect.store.jobs import install_queue
from recollect.store.pool import Connection, store_errors
from recollect.store.sql import SQL, Migration, load_migrations

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
    """Takes steps over a connection of its own.

    A statement that waits for a table's lock has everybody wait who comes after it. So a step waits half a second for a
    lock, is undone, and is tried again a little later. Behind a pooler no lock outlives a transaction, and a process is
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
        """Take a step, named in the log; try again while another session holds a lock that it needs.

        One that is not whole, in one transaction, can be taken again after any part of it, unless a pooler is there. Raises StoreUnavailableError
        if the lock was held all the time.
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


_USER_ROLE = "recollect_user"
_ENCODING = "UTF8"
UNCHECKED = "SQL_ASCII"
"""The encoding in which a database keeps whatever bytes it is sent: those of each letter, and counts them as letters."""

PGVECTOR = (0, 8)
"""The first pgvector whose indexes are scanned further if few of the near rows are the user's."""

NOT_BOUND = (
    "Row-level security does not bind this database user, nor a role that it may take on: let it take on "
    f"{_USER_ROLE}, which must be no superuser and have no BYPASSRLS, or take another database user."
)


@dataclass(frozen=True, slots=True)
class Schema:
    """A database that is up to date, and how to use it.

    Attributes:
        search_path: Where our tables and pgvector are found.
        vector_schema: The schema of pgvector's types.
        user_role: The role of users' transactions; ``none``: the database user, if policies bind it.
        applied: The names of the migrations that were applied just now, in order.
    """

    search_path: str
    vector_schema: str
    user_role: str
    applied: tuple[str, ...] = ()


async def migrate(
    connection: Connection, migrations: Sequence[Migration] | None = None, *, pooled: bool = False
) -> Schema:
    """Create or upgrade the schema by all steps, oldest first; processes that start together wait for one another.

    The connection is one of its own, as its search path is changed; ``pooled`` says that a pooler stands before the server.

    Raises:
        UnfitDatabaseError: The database's encoding can't hold every letter, pgvector is missing or too old, or this user may not create a schema.
        StoreError: A newer version removed something this code needs, or an applied migration was changed.
        StoreUnavailableError: Another session holds a lock that a step needs.
    """
    steps = SchemaSteps(connection, pooled=pooled)
    with store_errors():
        async with steps.alone():
            try:
                search_path, vector_schema = await steps.take(
                    "schema", partial(_prepare, connection, pooled=pooled)
                )
                steps.search_path = search_path
                applied = await _apply(
                    steps, connection, load_migrations() if migrations is None else migrations
                )
                # An enumeration's new name can't be used in the transaction that brings it.
                await steps.take("queue", partial(install_queue, connection), is_whole=False)
                user_role = await steps.take("role", partial(_user_role, connection))
            except asyncpg.InsufficientPrivilegeError:
                raise UnfitDatabaseError(
                    "The database user may not create or change the schema recollect: grant it CREATE on the database."
                ) from None
    return Schema(search_path, vector_schema, user_role, applied)


async def _user_role(connection: Connection) -> str:
    """Return the role of users' transactions, made if need be, where row-level security binds no other."""
    if not await connection.fetchval(SQL["is_bound_by_no_policy"]):
        return "none"
    if not await connection.fetchval(SQL["user_role_exists"]):
        # Roles are the whole server's: another database's migration may be making it now.
        with suppress(asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError):
            async with connection.transaction():
                await connection.execute(SQL["create_user_role"])
    # Not a superuser, it may have made the role and yet not be allowed to take it on (PostgreSQL 16).
    with suppress(asyncpg.InsufficientPrivilegeError):
        async with connection.transaction():
            await connection.execute(SQL["grant_user_role"])
    if await connection.fetchval(SQL["user_role_lacks_grants"]):
        for grant in ("grant_schema", "grant_tables", "grant_sequences", "keep_migrations", "keep_erasures"):
            await connection.execute(SQL[grant])
    if not await _is_bound(connection):
        raise UnfitDatabaseError(NOT_BOUND)
    return _USER_ROLE


async def _is_bound(connection: Connection) -> bool:
    """Whether users' transactions will be bound by row-level security."""
    try:
        async with connection.transaction():
            await connection.execute(SQL["as_user"], "", _USER_ROLE)
            return not await connection.fetchval(SQL["is_bound_by_no_policy"])
    except asyncpg.InsufficientPrivilegeError:
        return False


async def _prepare(connection: Connection, *, pooled: bool) -> tuple[str, str]:
    if complaint := wrong_encoding(await connection.fetchval(SQL["encoding"])):
        raise UnfitDatabaseError(complaint)
    if not await connection.fetchval(SQL["schema_exists"]):
        await connection.execute(SQL["create_schema"])
    vector = await connection.fetchrow(SQL["vector_extension"])
    if vector is None:
        await _create_vector_extension(connection)
        vector = await connection.fetchrow(SQL["vector_extension"])
    if vector is None:
        raise UnfitDatabaseError(wrong_vector("unknown"))
    if complaint := wrong_vector(vector["version"]):
        raise UnfitDatabaseError(complaint)
    lasting = "set_search_path_for_transaction" if pooled else "set_search_path"
    await connection.execute(SQL[lasting], vector["search_path"])
    return vector["search_path"], vector["vector_schema"]


def is_older(version: str) -> bool:
    """Return whether a version of pgvector, if it is one, is too old."""
    parts = version.split(".")[:2]
    return not parts[0].isdigit() or tuple(map(int, parts)) < PGVECTOR


def wrong_vector(version: str) -> str:
    """Return an error message for a database's version of pgvector that is too old; "" for another."""
    if not is_older(version):
        return ""
    return (
        f"The database's pgvector is {version}, and Recollect needs {'.'.join(map(str, PGVECTOR))}: install a newer one on the server, "
        "and then, as a superuser, run ALTER EXTENSION vector UPDATE in this database."
    )


def wrong_encoding(encoding: str) -> str:
    """Return an error message for a database whose encoding can't hold every letter; "" for one that can."""
    if encoding in {_ENCODING, UNCHECKED}:
        return ""
    return (
        f"The database's encoding is {encoding}, which can't hold all that people say, and Recollect needs {_ENCODING}: make another "
        f"database, by CREATE DATABASE with ENCODING '{_ENCODING}' LOCALE 'C.UTF-8' TEMPLATE template0, and name that one."
    )


async def _create_vector_extension(connection: Connection) -> None:
    try:
        await connection.execute(SQL["create_vector_extension"])
    except (
        asyncpg.InsufficientPrivilegeError,
        asyncpg.FeatureNotSupportedError,  # not installed on the server
        asyncpg.UndefinedFileError,  # the same, in older servers
    ):
        raise UnfitDatabaseError(
            "The database lacks pgvector and this user can't create it: "
            "install it on the server and, as a superuser, add the extension vector to this database."
        ) from None


async def _apply(
    steps: SchemaSteps, connection: Connection, migrations: Sequence[Migration]
) -> tuple[str, ...]:
    """Apply new migrations, each in its own transaction; return their file names."""
    applied = []
    for migration in await steps.take("record", partial(_new, connection, migrations)):
        name = f"{migration.version:04}_{migration.name}"
        if await steps.take(name, partial(_apply_one, connection, migration)):
            applied.append(name)
    return tuple(applied)


async def _new(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Return the migrations that the database does not have.

    Raises:
        StoreError: It has one that this code can't do with, or had another of that number.
    """
    await connection.execute(SQL["create_schema_migrations"])
    applied = await connection.fetch(SQL["applied_migrations"])
    if newer := require_fitting(applied, migrations):
        log.warning(
            "newer_schema_found", version=newer, known=max(migration.version for migration in migrations)
        )
    done = {row["version"] for row in applied}
    return [migration for migration in migrations if migration.version not in done]


async def _apply_one(connection: Connection, migration: Migration) -> bool:
    """Apply a migration; return False if another process did so meanwhile, as it can behind a pooler."""
    if migration.version in {row["version"] for row in await connection.fetch(SQL["applied_migrations"])}:
        return False
    await connection.execute(migration.text, timeout=MIGRATION_SECONDS)
    await connection.execute(
        SQL["record_migration"], migration.version, migration.name, migration.checksum, datetime.now(UTC)
    )
    if migration.contracts:
        await connection.execute(SQL["record_contraction"], migration.version)
    return True


def require_fitting(applied: Sequence[asyncpg.Record], migrations: Sequence[Migration]) -> int:
    """Return the newest version that a newer Recollect applied to a database, 0 for none, if this code can work with it; pure.

    Raises:
        StoreError: A newer version removed something this code needs, or an applied migration was changed.
    """
    known = {migration.version: migration for migration in migrations}
    newer = 0
    for row in applied:
        migration = known.get(row["version"])
        if migration is None:
            if not row["contracts"] and row["version"] > max(known):
                newer = max(newer, row["version"])
                continue
            raise StoreError(
                f"The database has schema {row['version']}, and this Recollect knows {max(known)}: "
                "it was used by a newer one, which took away what this one needs. Upgrade Recollect."
            )
        if migration.checksum != row["checksum"]:
            raise StoreError(f"Migration {migration.version:04} was changed after this database applied it.")
    return newer
