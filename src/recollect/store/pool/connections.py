"""Connections to Postgres, alone or in a pool that lends them to one user at a time.

At the pool reads come before writes, and people who hold few connections before those who hold many: a chat waits for its
reads, and most writes come after its answer.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import asyncpg
from asyncpg import Record
from asyncpg.pool import PoolConnectionProxy
from pgvector.asyncpg import register_vector

from recollect.errors import StoreBusyError, StoreError, StoreUnavailableError
from recollect.store.pool.addresses import Hosts, require_sound
from recollect.store.pool.postgres_errors import connecting, store_errors
from recollect.store.sql import SQL
from recollect.text.normalization import storable_user

POOL_SIZE = 10  # at most: a tenth of Postgres' default limit
_OF_ONE = 0.5
"""The share of the connections that one person holds at most: of ten as many as one recall uses at once."""

# Of several writes of one person one works, and the others hold a connection while they wait for its lock.
_FOR_WRITES, _WRITES_OF_ONE = 0.6, 0.3

_WAITS_BEHIND_READS = 0.5
"""Seconds for which a write lets reads go first; reads without pause would keep it waiting for good."""


@dataclass(eq=False, slots=True)
class _Turn:
    """A turn at a connection.

    Attributes:
        since: When the wait for it began.
        come: Done once it has come.
    """

    user_id: str
    is_write: bool
    since: float
    come: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Lending:
    """Lets in as many as there are connections; ``clock`` tells seconds that never go back."""

    def __init__(self, size: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._clock = clock
        self._most_of_one = max(1, round(size * _OF_ONE))
        self._most_writes = max(1, round(size * _FOR_WRITES))
        self._most_writes_of_one = max(1, round(size * _WRITES_OF_ONE))
        self._waiting: list[_Turn] = []
        self._held: list[_Turn] = []

    @asynccontextmanager
    async def turn(
        self, user_id: str, *, is_write: bool, seconds: float | None = None
    ) -> AsyncIterator[None]:
        """Wait until it is the turn of a person's read or write, and keep the turn during the body.

        Raises:
            TimeoutError: It did not come within ``seconds``.
        """
        turn = _Turn(user_id, is_write, self._clock())
        self._waiting.append(turn)
        self._let_in()
        try:
            if not turn.come.done():  # mostly no request waits
                async with asyncio.timeout(seconds):
                    await turn.come
            yield
        finally:  # a wait that is cancelled may have ended in the same moment
            (self._held if turn in self._held else self._waiting).remove(turn)
            self._let_in()

    def _let_in(self) -> None:
        """Let in the next ones, as long as there is a connection for them."""
        while (turn := self._next()) is not None:
            self._waiting.remove(turn)
            self._held.append(turn)
            turn.come.set_result(None)

    def _next(self) -> _Turn | None:
        if not self._waiting or len(self._held) >= self._size:
            return None
        of_people = Counter(each.user_id for each in self._held)
        writing = Counter(each.user_id for each in self._held if each.is_write)
        may_write = writing.total() < self._most_writes
        may_enter = (
            each
            for each in self._waiting
            if not each.come.done()
            and of_people[each.user_id] < self._most_of_one
            and (not each.is_write or (may_write and writing[each.user_id] < self._most_writes_of_one))
        )
        patient_since = self._clock() - _WAITS_BEHIND_READS
        # Of equals the first that came: `min` keeps the order. So a write that is out of patience enters before each read that came later.
        return min(
            may_enter,
            key=lambda each: (each.is_write and each.since > patient_since, of_people[each.user_id]),
            default=None,
        )


Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"
Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

_CLOSE_SECONDS = 5.0
_BRIEFLY = 0.5  # for work that can come back later
_STATEMENTS_KEPT = 100  # as asyncpg does by default
_STATEMENT_TIMEOUT = "60s"
"""The time limit of each statement, so that one whose client is gone ends. Behind a pooler each transaction sets it."""

_OF_ANOTHER_DATABASE = (
    asyncpg.InternalServerError,  # it was restored in place: the types have other numbers
    asyncpg.UndefinedObjectError,  # the same
    asyncpg.ReadOnlySQLTransactionError,  # another server takes writes now
)
"""New connections know better. So may they where a statement took too long: after a failover the old server may be mute."""


@dataclass(frozen=True, slots=True)
class Access:
    """The parameters of a database's connections, in a pool or outside of it.

    Attributes:
        dsn: ``postgresql://user:password@host/database``; of several hosts the one that takes writes is found.
        connect_timeout: Seconds a connection may take.
        command_timeout: Seconds a statement may take.
        search_path: Where our tables and pgvector are found.
        pooled: Whether a pooler stands before the server (``is_pooled``): then nothing outlives a transaction.
    """

    dsn: str
    connect_timeout: float
    command_timeout: float
    search_path: str | None = None
    pooled: bool = False
    _hosts: Hosts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Remember for all connections together which host took writes."""
        object.__setattr__(self, "_hosts", Hosts(self.dsn))

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Open a connection of its own, and close it at the end of the body.

        Raises:
            StoreUnavailableError: The database can't be reached.
            UnfitDatabaseError: It can, but not with this user, password or name.
            ConfigurationError: Its address can't be meant so.
        """
        with connecting():
            require_sound(self.dsn)
            connection = await self._hosts.connect(
                timeout=self.connect_timeout,
                command_timeout=self.command_timeout,
                server_settings=self._server_settings(),
                statement_cache_size=self._statements_kept,
            )
        try:
            yield connection
        finally:
            connection.terminate()

    async def pool(self, *, size: int, vector_schema: str) -> Pool:
        """Open a pool of at most ``size`` connections, which send arrays as pgvector's types in ``vector_schema``."""
        with store_errors():
            return await asyncpg.create_pool(
                self.dsn,
                connect=self._hosts.connect,
                min_size=0,
                max_size=size,
                timeout=self.connect_timeout,
                command_timeout=self.command_timeout,
                server_settings=self._server_settings(),
                statement_cache_size=self._statements_kept,
                init=partial(_register_vectors, schema=vector_schema),
                reset=_nothing_to_reset,  # every setting ends with its transaction (decision 0008)
            )

    def _server_settings(self) -> dict[str, str]:
        settings = {"application_name": "recollect"}
        if self.pooled:
            return settings  # a pooler refuses to connect with any that it does not know
        settings["statement_timeout"] = _STATEMENT_TIMEOUT
        if self.search_path is not None:
            settings["search_path"] = self.search_path
        return settings

    @property
    def _statements_kept(self) -> int:
        """How many prepared statements a connection keeps: none where the next transaction may be on another one."""
        return 0 if self.pooled else _STATEMENTS_KEPT


async def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler as PgBouncer stands before the server."""
    async with connection.transaction():
        number: int = await connection.fetchval(SQL["process_of_server"])
    # A server tells the number of its process as a connection begins, and a pooler makes one up.
    return number != connection.get_server_pid()


async def _register_vectors(connection: "asyncpg.Connection[asyncpg.Record]", *, schema: str) -> None:
    """Have a connection send arrays as pgvector's types.

    Raises:
        StoreError: The types are not there, as while a database is restored.
    """
    try:
        async with connection.transaction():  # on one connection of the server's, whatever stands before it
            await register_vector(connection, schema=schema)
    except ValueError:
        raise StoreError("The memory store lacks pgvector's types.") from None


async def _nothing_to_reset(_connection: Connection) -> None:
    """Spare the pool's own reset."""


class Database:
    """A pool as the stores use it: one user at a time, and errors of ours only.

    A lost connection is replaced by the pool at its next use. A call waits ``acquire_timeout`` seconds at most for a free one. Where
    no connection keeps its settings (``Access.pooled``), each transaction begins with the ``search_path``.

    Attributes:
        user_role: The role of users' transactions, so that row-level security binds them; or ``none``.
    """

    def __init__(
        self, pool: Pool, *, acquire_timeout: float, user_role: str = "none", search_path: str | None = None
    ) -> None:
        self._pool = pool
        self._search_path = search_path
        self._acquire_timeout = acquire_timeout
        self.user_role = user_role
        self._lending = Lending(pool.get_max_size())

    @asynccontextmanager
    async def for_user(self, user_id: str) -> AsyncIterator[Connection]:
        """Lend a connection in a transaction that sees and writes one user's data alone.

        Raises:
            StoreError: This can't be the id of a user.
        """
        storable_user(user_id)
        async with self._turn_of(user_id), self._transaction() as connection:
            await connection.execute(SQL["as_user"], user_id, self.user_role)
            yield connection

    async def called(self, user_id: str, query: str, *arguments: object, is_write: bool = False) -> Record:
        """Return the row of a query that takes on the user's role and id itself: one round trip, where no pooler stands before.

        One that writes takes the user's lock itself, too. Raises StoreError if this can't be the id of a user, or the store failed.
        """
        storable_user(user_id)
        lending = self._lent() if self._search_path is None else self._transaction()
        async with self._turn_of(user_id, is_write=is_write), lending as connection:
            row = await connection.fetchrow(SQL[query], user_id, self.user_role, *arguments)
        assert row is not None  # noqa: S101 -- a call of a function has one row
        return row

    @asynccontextmanager
    async def changing(self, user_id: str, *, waits: bool = True) -> AsyncIterator[Connection]:
        """Lend a connection in a transaction that alone changes one user's data.

        Raises:
            StoreError: This can't be the id of a user.
            StoreBusyError: Others are changing the user's data, and this one ``waits`` for them half a second at most.
        """
        storable_user(user_id)
        async with self._turn_of(user_id, is_write=True, waits=waits), self._transaction() as connection:
            if not waits:
                await connection.execute(SQL["limit_lock_waits"], True)  # noqa: FBT003 -- a parameter of the query
            await connection.execute(SQL["as_user_alone"], user_id, self.user_role)
            yield connection

    async def change_each(
        self, users: Iterable[str], change: Callable[[Connection, str], Awaitable[int]]
    ) -> int:
        """Change what each of these users has, a step after another until one changes nothing; return how much was changed.

        Raises the last failure once it was done for the rest, as StoreBusyError: others are changing the data of some.
        """
        count, failed = 0, list[Exception]()
        for user_id in users:
            try:
                done = 1
                while done:
                    async with self.changing(user_id, waits=False) as connection:
                        done = await change(connection, user_id)
                    count += done
            except Exception as error:  # noqa: BLE001 -- no user waits until another's data is mended
                failed.append(error)
                if type(error) is StoreUnavailableError:
                    break
        if failed:
            raise failed[-1]
        return count

    @asynccontextmanager
    async def snapshot(self, user_id: str) -> AsyncIterator[Connection]:
        """Lend a connection in a transaction that sees one user's data at one time, and writes nothing.

        Raises:
            StoreError: This can't be the id of a user.
        """
        storable_user(user_id)
        async with (
            self._turn_of(user_id),
            self._transaction(isolation="repeatable_read", readonly=True) as connection,
        ):
            await connection.execute(SQL["as_user"], user_id, self.user_role)
            yield connection

    @asynccontextmanager
    async def _turn_of(
        self, user_id: str, *, is_write: bool = False, waits: bool = True
    ) -> AsyncIterator[None]:
        """Wait until it is the turn of the user's read or write."""
        seconds = self._acquire_timeout if waits else _BRIEFLY
        with store_errors():
            try:
                async with self._lending.turn(user_id, is_write=is_write, seconds=seconds):
                    yield
            except TimeoutError:
                if waits:
                    raise
                raise StoreBusyError from None

    @asynccontextmanager
    async def over_all_users(self) -> AsyncIterator[Connection]:
        """Lend a connection in a transaction of the operator's: it sees all users' pending work."""
        async with self._transaction() as connection:
            await connection.execute(SQL["over_all_users"])
            yield connection

    async def rows(self, user_id: str, query: str, *arguments: object) -> list[Record]:
        """Return the rows of a query of one user, whose first argument is the user's id."""
        async with self.for_user(user_id) as connection:
            return await connection.fetch(SQL[query], user_id, *arguments)

    async def row(self, user_id: str, query: str, *arguments: object) -> Record | None:
        """Return the first row of such a query."""
        return next(iter(await self.rows(user_id, query, *arguments)), None)

    async def value(self, user_id: str, query: str, *arguments: object) -> Any:
        """Return the first value in that row; None without a row."""
        return _value(await self.row(user_id, query, *arguments))

    async def changed(self, user_id: str, query: str, *arguments: object) -> Record | None:
        """Run a statement that alone changes one user's data, with the user's id first; return its first row."""
        async with self.changing(user_id) as connection:
            return await connection.fetchrow(SQL[query], user_id, *arguments)

    async def rows_of_all(self, query: str, *arguments: object) -> list[Record]:
        """Return the rows of a query of the operator's."""
        async with self.over_all_users() as connection:
            return await connection.fetch(SQL[query], *arguments)

    async def row_of_all(self, query: str, *arguments: object) -> Record | None:
        """Return the first row of such a query."""
        return next(iter(await self.rows_of_all(query, *arguments)), None)

    async def value_of_all(self, query: str, *arguments: object) -> Any:
        """Return the first value in that row; None without a row."""
        return _value(await self.row_of_all(query, *arguments))

    @asynccontextmanager
    async def outside(self, *, seconds: int) -> AsyncIterator[Connection]:
        """Lend a connection without a transaction, as the database's own role: for statements that no transaction may hold."""
        with store_errors():
            async with self._pool.acquire(timeout=self._acquire_timeout) as connection:
                if self._search_path is not None:  # behind a pooler, whose server's own setting holds
                    yield connection
                    return
                # Else a statement whose client is gone would run on.
                await connection.execute(SQL["allow_seconds"], seconds)
                try:
                    yield connection
                finally:
                    await connection.execute(SQL["allow_what_was_allowed"])

    @asynccontextmanager
    async def _transaction(self, **kind: Any) -> AsyncIterator[Connection]:
        async with self._lent() as connection, connection.transaction(**kind):
            if self._search_path is not None:
                await connection.execute(SQL["set_search_path_for_transaction"], self._search_path)
            yield connection

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[Connection]:
        """Lend a connection; where the server behind it may be another one, the pool opens new ones."""
        is_lent = False
        with store_errors():
            try:
                async with self._pool.acquire(timeout=self._acquire_timeout) as connection:
                    is_lent = True
                    yield connection
            except (TimeoutError, *_OF_ANOTHER_DATABASE) as error:
                # To wait too long for a free connection says nothing about the server.
                if is_lent or not isinstance(error, TimeoutError):
                    await self._pool.expire_connections()
                raise

    async def aclose(self) -> None:
        """Wait a little for the connections lent, then close all."""
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()  # a stop may not hang on a lost server


async def affected(connection: Connection, statement: str, *arguments: object) -> int:
    """Run a statement; return how many rows it changed."""
    return int((await connection.execute(statement, *arguments)).rpartition(" ")[2])


async def column(connection: Connection, statement: str, *arguments: object) -> list[Any]:
    """Return the first value of each row of a query."""
    return [row[0] for row in await connection.fetch(statement, *arguments)]


class StorePart:
    """A part of the store, over its connections. Every method raises StoreError when the store fails."""

    def __init__(self, database: Database) -> None:
        self._database = database


def _value(row: Record | None) -> Any:
    return None if row is None else row[0]
