"""Connections to the database, and how users share them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import asyncpg
import pytest
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from tests.recollect.store.embedded.servers import Start
from tests.recollect.store.pool.test_addresses import silent
from tests.servers.databases import administrator, run_sql
from tests.support.people import person
from tests.support.stores import NOON, store_over
from tests.support.tables import table

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.model import Actor, Add
from recollect.store import Postgres, open_postgres
from recollect.store.jobs import _Driver, _PooledDriver
from recollect.store.migration import migrate
from recollect.store.pool import store_errors
from recollect.store.pool.connections import Lending
from recollect.store.sql import Migration, load_migrations


@pytest.mark.process
async def test_an_outage_is_told_at_once_and_ends_without_a_new_pool(folder: Path, start: Start) -> None:
    server = start(folder)
    opened = await open_postgres(server.dsn)
    store = store_over(opened)
    await store.log.append(store.exchange("hello"))

    server.stop()
    for _ in range(3):
        with pytest.raises(StoreUnavailableError):
            await store.inbox.pending(store.anna, limit=1)
    with pytest.raises(StoreUnavailableError):
        await store.log.append(store.exchange("lost?"))

    start(folder)
    [pending] = await store.inbox.pending(store.anna, limit=1)
    assert pending.exchange.turn.text == "hello"
    await opened.aclose()


async def test_a_full_disk_is_waited_out_as_an_outage_is(shared_dsn: str) -> None:
    async with administrator(shared_dsn) as connection:
        with pytest.raises(StoreUnavailableError, match=r"no room .DiskFullError, 53100."), store_errors():
            await connection.execute("DO $$ BEGIN RAISE SQLSTATE '53100'; END $$")


async def test_a_dead_database_can_not_be_opened(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="can't be reached"):
        await open_postgres(f"postgresql://postgres@/postgres?host={tmp_path}")


async def test_a_host_that_does_not_answer_is_given_up() -> None:
    async with silent() as port:
        with pytest.raises(StoreUnavailableError, match="TimeoutError"):
            await open_postgres(
                f"postgresql://someone@127.0.0.1:{port}/x?sslmode=disable", connect_timeout=0.1
            )


@pytest.mark.parametrize("dsn", ["mysql://x/y", "postgresql://x:port/y", "not an address"])
async def test_an_address_that_makes_no_sense_is_a_configuration_error(dsn: str) -> None:
    with pytest.raises(ConfigurationError, match="can't be opened"):
        await open_postgres(dsn)


async def test_a_connection_lost_in_use_is_replaced(own_postgres: Postgres, own_dsn: str) -> None:
    await own_postgres.inbox.backlog()
    await _end_others(own_dsn)
    for _ in range(2):  # at most the one call that finds out
        try:
            backlog = await own_postgres.inbox.backlog()
        except StoreUnavailableError:
            continue
    assert backlog.pending == 0


async def test_a_statement_that_takes_too_long_is_given_up(own_dsn: str) -> None:
    store = await open_postgres(own_dsn, command_timeout=0.5)
    async with administrator(own_dsn) as connection, connection.transaction():
        await connection.execute("LOCK TABLE recollect.exchanges")

        with pytest.raises(StoreUnavailableError, match="TimeoutError"):
            await store.inbox.backlog()

    assert (await store.inbox.backlog()).pending == 0
    await store.aclose()


async def test_a_call_does_not_wait_for_ever_for_a_connection(shared_dsn: str) -> None:
    store = await open_postgres(shared_dsn, pool_size=1, connect_timeout=0.5)

    async with store.database.over_all_users():
        with pytest.raises(StoreUnavailableError):
            await store.inbox.pending(person("anna"), limit=1)

    assert await store.inbox.pending(person("anna"), limit=1) == []
    await store.aclose()


async def test_a_cancelled_call_is_cancelled_and_its_connection_good(own_dsn: str) -> None:
    store = await open_postgres(own_dsn, pool_size=1)
    async with administrator(own_dsn) as connection, connection.transaction():
        await connection.execute("LOCK TABLE recollect.exchanges")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await store.inbox.backlog()

    assert (await store.inbox.backlog()).pending == 0
    await store.aclose()


async def test_closing_does_not_wait_for_ever(shared_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.pool.connections._CLOSE_SECONDS", 0.1)
    store = await open_postgres(shared_dsn)

    async def close_in_use() -> None:
        async with store.database.over_all_users() as connection:
            await store.aclose()
            await connection.fetchval("SELECT 1")

    with pytest.raises(StoreUnavailableError):
        await close_in_use()
    with pytest.raises(StoreUnavailableError):
        await store.inbox.backlog()


async def test_no_error_quotes_a_user(new_dsn: str) -> None:
    await run_sql(
        new_dsn,
        "ALTER TABLE recollect.vectors ADD CHECK (content <> 'my secret'), ALTER confidence SET NOT NULL",
    )
    opened = await open_postgres(new_dsn)
    store = store_over(opened)

    for secret in (
        store.memory("my secret"),
        store.memory("x", importance="my secret"),
        store.memory("another secret", confidence=2.0),
        store.memory("x", kind="secret\x00"),
    ):
        with pytest.raises(StoreError) as raised:
            await store.memories.apply(store.anna.scope, [Add(secret)], actor=Actor.USER, at=NOON)
        assert "secret" not in str(raised.value)
        assert "anna" not in str(raised.value)
        assert raised.value.__suppress_context__

    await opened.aclose()


@asynccontextmanager
async def of_a_job(opened: Postgres) -> AsyncIterator[AsyncpgDriver]:
    """Yield what the queue asks the database by."""
    access = opened.jobs._access
    async with access.connection() as connection:
        yield (_PooledDriver if access.pooled else _Driver)(cast("asyncpg.Connection", connection))


async def timeouts(opened: Postgres) -> dict[str, str]:
    """Return how long a statement may take, on each way to the database."""
    database, asked = opened.database, "SELECT current_setting('statement_timeout') AS told"
    found = {}
    ways = {
        "for_user": database.for_user("anna"),
        "changing": database.changing("anna"),
        "snapshot": database.snapshot("anna"),
        "over_all_users": database.over_all_users(),
        "outside": database.outside(seconds=90),
    }
    for name, way in ways.items():
        async with way as connection:
            found[name] = await connection.fetchval(asked)
    async with database.over_all_users() as connection:
        found["over_all_users, again"] = await connection.fetchval(asked)
    async with of_a_job(opened) as driver:
        [row] = await driver.fetch(asked)
        found["job"] = str(row["told"])
    return found


async def test_a_statement_whose_client_is_gone_ends_by_itself_on_each_way(own_dsn: str) -> None:
    opened = await open_postgres(own_dsn, pool_size=1)  # what one way leaves behind, the next would have

    found = await timeouts(opened)
    assert (len(found), found.pop("outside"), {*found.values()}) == (7, "90s", {"1min"})
    await opened.aclose()


async def test_a_migration_may_take_an_hour_whatever_the_server_is_set_to(new_dsn: str) -> None:
    settings = "current_setting('statement_timeout') AS one, current_setting('lock_timeout') AS other"
    told = Migration(9000, "told", f"CREATE TABLE told AS SELECT {settings};")
    async with administrator(new_dsn) as connection:
        for pooled in (False, True):
            await connection.execute("SET statement_timeout = '1s'")
            await migrate(connection, [*load_migrations(), told], pooled=pooled)

            assert tuple(await connection.fetchrow("SELECT * FROM recollect.told") or ()) == ("1h", "500ms")
            await connection.execute(
                "DROP TABLE recollect.told; DELETE FROM recollect.schema_migrations WHERE version = 9000"
            )


@table(
    ("original", "ours"),
    [
        (ConnectionResetError(), StoreUnavailableError),
        (TimeoutError(), StoreUnavailableError),
        (asyncpg.AdminShutdownError(), StoreUnavailableError),
        (asyncpg.CannotConnectNowError(), StoreUnavailableError),
        (asyncpg.TooManyConnectionsError(), StoreUnavailableError),
        (asyncpg.ConnectionDoesNotExistError(), StoreUnavailableError),
        (asyncpg.InvalidPasswordError(), StoreUnavailableError),
        (asyncpg.InterfaceError("pool is closed"), StoreUnavailableError),
        (asyncpg.UniqueViolationError(), StoreError),
        (asyncpg.InternalClientError(), StoreUnavailableError),
        (asyncpg.ReadOnlySQLTransactionError(), StoreUnavailableError),
        (StoreError("ours"), StoreError),
    ],
)
def test_errors_are_told_apart_by_what_helps(original: Exception, ours: type[StoreError]) -> None:
    with pytest.raises(StoreError) as raised, store_errors():
        raise original

    assert type(raised.value) is ours


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(ZeroDivisionError), store_errors():
        raise ZeroDivisionError


async def _drop(dsn: str) -> None:
    await run_sql(dsn, "DROP SCHEMA recollect CASCADE; DROP EXTENSION vector CASCADE")


async def _end_others(dsn: str) -> None:
    await run_sql(
        dsn,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


@pytest.mark.process
async def test_a_database_without_its_types_is_an_error_of_the_store(folder: Path, start: Start) -> None:
    server = start(folder)
    opened = await open_postgres(server.dsn)
    store = store_over(opened)
    await _drop(server.dsn)
    await _end_others(server.dsn)

    for _ in range(3):
        with pytest.raises(StoreError):
            await store.log.append(store.exchange("hello"))
    await opened.aclose()


@pytest.mark.process
async def test_a_database_restored_in_place_is_spoken_with_again(folder: Path, start: Start) -> None:
    server = start(folder)
    opened = await open_postgres(server.dsn)
    store = store_over(opened)
    memory = store.memory("Drinks green tea")
    await store.memories.apply(store.anna.scope, [Add(memory)], actor=Actor.IMPORT, at=NOON)
    await _drop(server.dsn)
    await (await open_postgres(server.dsn)).aclose()  # migrates, as a restore brings the tables back

    for _ in range(2):  # at most the calls that find out
        try:
            await store.memories.apply(store.anna.scope, [Add(memory)], actor=Actor.IMPORT, at=NOON)
        except StoreError:
            continue
        break
    assert (await store.memories.page(store.anna, limit=9)).memories == (memory,)
    await opened.aclose()


async def test_one_who_asks_for_many_connections_leaves_others_theirs(shared_dsn: str) -> None:
    opened = await open_postgres(shared_dsn, pool_size=6)
    flooder, other, done = person("flooder"), person("other"), asyncio.Event()
    lent: list[str] = []

    async def holds() -> None:
        async with opened.database.for_user(flooder):
            lent.append("flooder")
            await done.wait()

    flood = [asyncio.create_task(holds()) for _ in range(12)]
    try:
        async with asyncio.timeout(20), opened.database.changing(other):
            lent.append("other")
        assert "other" in lent
        assert lent.count("flooder") <= 5
        assert not any(each.done() for each in flood)
    finally:
        done.set()
        await asyncio.gather(*flood)
        await opened.aclose()
    assert lent.count("flooder") == 12


# -- shares ----------------------------------------------------------------------------------------


async def let_in(size: int, asking: Sequence[tuple[str, bool]]) -> tuple[list[int], list[int]]:
    """Return who of those that ask at once is let in first, and the order in which the others follow as the first leave."""
    lending, inside, go_on = Lending(size), list[int](), asyncio.Event()

    async def one(number: int, user_id: str, *, is_write: bool) -> None:
        async with lending.turn(user_id, is_write=is_write):
            inside.append(number)
            await go_on.wait()

    tasks = [
        asyncio.create_task(one(number, user_id, is_write=is_write))
        for number, (user_id, is_write) in enumerate(asking)
    ]
    await asyncio.sleep(0)
    first = list(inside)
    go_on.set()
    await asyncio.gather(*tasks)
    assert not lending._held
    assert not lending._waiting
    return first, inside[len(first) :]


READ, WRITE = False, True


@pytest.mark.parametrize(
    ("asking", "first", "next_one"),
    [
        ([("flood", READ)] * 12 + [("anna", READ)], [0, 1, 2, 3, 4, 12], 5),
        ([("flood", WRITE)] * 12 + [("anna", WRITE)], [0, 1, 2, 12], 3),
        ([(f"writer {n}", WRITE) for n in range(20)] + [("anna", READ)], [*range(6), 20], 6),
        ([(f"reader {n}", READ) for n in range(12)] + [("a", WRITE), ("b", READ)], [*range(10)], 10),
    ],
    ids=["one person's reads", "one person's writes", "many people's writes", "reads before writes"],
)
async def test_one_stays_for_others(asking: list[tuple[str, bool]], first: list[int], next_one: int) -> None:
    at_once, later = await let_in(10, asking)
    assert at_once == first
    assert later[0] == next_one
    assert sorted(at_once + later) == [*range(len(asking))]


async def test_of_those_who_wait_whoever_holds_least_comes_next() -> None:
    lending, order, go_on = Lending(4), list[str](), asyncio.Event()

    async def one(user_id: str) -> None:
        async with lending.turn(user_id, is_write=False):
            order.append(user_id)
            await go_on.wait()

    async with lending.turn("ben", is_write=False):
        async with lending.turn("cleo", is_write=False):
            waiting = [asyncio.create_task(one(each)) for each in ("flood", "flood", "flood", "anna")]
            await asyncio.sleep(0)
            assert order == ["flood", "flood"]
        await asyncio.sleep(0)
        assert order == ["flood", "flood", "anna"]
        go_on.set()
        await asyncio.gather(*waiting)


async def test_who_is_cancelled_while_waiting_takes_no_connection() -> None:
    lending = Lending(1)

    async def one() -> None:
        async with lending.turn("anna", is_write=True):
            pass

    async with lending.turn("anna", is_write=True):
        waiting = [asyncio.create_task(one()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
    waiting[1].cancel()  # in the moment in which it is let in
    await asyncio.wait(waiting)
    async with asyncio.timeout(5), lending.turn("ben", is_write=True):
        assert len(lending._held) == 1


@pytest.mark.parametrize(
    ("waited", "order"),
    [
        (0.4, ["reads", "reads too", "writes"]),
        (0.5, ["writes", "reads", "reads too"]),
        (9.0, ["writes", "reads", "reads too"]),
    ],
)
async def test_a_write_lets_reads_go_first_for_half_a_second(waited: float, order: list[str]) -> None:
    now, entered = [0.0], list[str]()
    lending = Lending(1, clock=lambda: now[0])

    async def one(user_id: str, *, is_write: bool) -> None:
        async with lending.turn(user_id, is_write=is_write):
            entered.append(user_id)

    async with asyncio.TaskGroup() as group, lending.turn("holds the only one", is_write=False):
        writing = group.create_task(one("writes", is_write=True))
        await asyncio.sleep(0)
        now[0] = waited
        for user_id in ("reads", "reads too"):
            group.create_task(one(user_id, is_write=False))
        await asyncio.sleep(0)
        assert not entered
        assert not writing.done()
    assert entered == order
