import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.servers.databases import administrator, run_sql, sql_rows, sql_value
from tests.support.waiting import until

from recollect.errors import ConfigurationError, StoreError, StoreUnavailableError
from recollect.store import open_postgres
from recollect.store.migration import migrate
from recollect.store.pool import Access
from recollect.store.sql import SQL, Migration, load_migrations

OPEN = """
import asyncio, sys
from recollect.store import open_postgres
async def main():
    store = await open_postgres(sys.argv[1])
    print((await store.inbox.backlog()).pending)
    await store.aclose()
asyncio.run(main())
"""
OPEN_TOGETHER = """
import asyncio, sys
from recollect.store import open_postgres
async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    stores = await asyncio.gather(*(open_postgres(sys.argv[1]) for _ in range(3)))
    print([(await store.inbox.backlog()).pending for store in stores])
asyncio.run(main())
"""


@pytest.mark.process
async def test_processes_that_start_together_on_an_empty_database_all_succeed(empty_dsn: str) -> None:
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", OPEN_TOGETHER, empty_dsn, stdin=PIPE, stdout=PIPE
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"

    printed = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))

    assert [out for out, _ in printed] == [b"[0, 0, 0]\n"] * 2


async def test_an_applied_migration_is_recorded_and_not_applied_again(empty_dsn: str) -> None:
    for _ in range(2):
        store = await open_postgres(empty_dsn)
        await store.aclose()

    rows = await sql_rows(empty_dsn, "SELECT version, name, checksum FROM recollect.schema_migrations")
    assert [tuple(row) for row in rows] == [
        (migration.version, migration.name, migration.checksum) for migration in load_migrations()
    ]


async def test_a_migration_may_take_longer_than_a_statement(new_dsn: str) -> None:
    slow = Migration(9000, "slow", "SELECT pg_sleep(0.8);")

    async with Access(new_dsn, 5.0, command_timeout=0.5).connection() as connection:
        await migrate(connection, [*load_migrations(), slow])

        assert await connection.fetchval("SELECT max(version) FROM recollect.schema_migrations") == 9000


async def test_a_migration_that_fails_leaves_nothing_of_itself(new_dsn: str) -> None:
    broken = Migration(9000, "broken", "CREATE TABLE half (id int); SELECT 1 / 0;")

    async with administrator(new_dsn) as connection:
        with pytest.raises(StoreError, match="DivisionByZero"):
            await migrate(connection, [*load_migrations(), broken])

        assert await connection.fetchval("SELECT to_regclass('recollect.half') IS NULL")
        assert await connection.fetchval("SELECT max(version) FROM recollect.schema_migrations") < 9000


async def test_a_changed_migration_is_a_clear_error(new_dsn: str) -> None:
    first, *rest = load_migrations()

    async with administrator(new_dsn) as connection:
        with pytest.raises(StoreError, match="Migration 0001 was changed"):
            await migrate(connection, [replace(first, text=first.text + "-- changed"), *rest])


async def test_a_migration_that_takes_away_is_recorded_as_one(new_dsn: str) -> None:
    taking = Migration(
        9001, "away", "-- contract: nobody reads it\nALTER TABLE recollect.sessions DROP COLUMN started_at;"
    )
    async with administrator(new_dsn) as connection:
        await migrate(connection, [*load_migrations(), taking])

    with pytest.raises(StoreError, match="schema 9001"):
        await open_postgres(new_dsn)


async def test_pgvector_is_found_where_it_is(empty_dsn: str) -> None:
    async with administrator(empty_dsn) as connection:
        await connection.execute('CREATE SCHEMA "my extensions"')
        await connection.execute('CREATE EXTENSION vector SCHEMA "my extensions"')

    store = await open_postgres(empty_dsn)

    assert (await store.inbox.backlog()).pending == 0
    await store.aclose()


async def test_no_pgvector_is_a_clear_error(empty_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQL, "create_vector_extension", "CREATE EXTENSION no_such_extension")

    with pytest.raises(ConfigurationError, match="lacks pgvector"):
        await open_postgres(empty_dsn)


@pytest.mark.process
async def test_others_queue_settings_change_nothing(empty_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Read at import, so in a process of its own.
    monkeypatch.setenv("PGQUEUER_PREFIX", "theirs_")
    monkeypatch.setenv("PGQUEUER_QUEUE_TABLE", "theirs")
    monkeypatch.setenv("PGQUEUER_SCHEMA", "theirs")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", OPEN, empty_dsn)
    assert await process.wait() == 0

    tables = await sql_rows(
        empty_dsn,
        "SELECT format('%s.%s', schemaname, tablename) AS name FROM pg_tables WHERE tablename ~ 'queuer|theirs'",
    )
    ours = {f"recollect.pgqueuer{end}" for end in ("", "_log", "_schedules", "_statistics")}
    assert {row["name"] for row in tables} == ours


async def test_a_queue_of_an_older_library_is_upgraded(new_dsn: str) -> None:
    await run_sql(new_dsn, "ALTER TABLE recollect.pgqueuer DROP COLUMN slot")

    await (await open_postgres(new_dsn)).aclose()

    async with administrator(new_dsn) as connection:
        with pytest.raises(asyncpg.DuplicateColumnError):
            await connection.execute("ALTER TABLE recollect.pgqueuer ADD COLUMN slot bigint")


async def test_a_queue_of_before_is_given_its_index(new_dsn: str) -> None:
    await run_sql(new_dsn, "DROP INDEX recollect.pgqueuer_waiting_of_users")

    await (await open_postgres(new_dsn)).aclose()
    await (await open_postgres(new_dsn)).aclose()

    assert await sql_value(new_dsn, "SELECT to_regclass('recollect.pgqueuer_waiting_of_users') IS NOT NULL")


# -- with other users ------------------------------------------------------------------------------

LATER = Migration(9000, "later", "ALTER TABLE recollect.sessions ADD COLUMN later text;")


@asynccontextmanager
async def held(dsn: str, table: str = "sessions") -> AsyncIterator[None]:
    """Read a table in a transaction that does not end."""
    async with administrator(dsn) as connection, connection.transaction():
        await connection.execute(f"SELECT FROM recollect.{table}")
        yield


@pytest.mark.parametrize("pooled", [False, True], ids=["direct", "pooled"])
async def test_a_migration_waits_for_a_lock_without_having_others_wait_behind_it(
    new_dsn: str, monkeypatch: pytest.MonkeyPatch, *, pooled: bool
) -> None:
    monkeypatch.setattr("recollect.store.migration._SHORTEST_PAUSE", 0.05)
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with capture_logs() as logs:
        async with administrator(new_dsn) as own, administrator(new_dsn) as other:
            async with held(new_dsn):
                migrating = asyncio.create_task(migrate(own, [*load_migrations(), LATER], pooled=pooled))
                await until(lambda: [each["event"] for each in logs].count("schema_migration_postponed") > 2)

                async def nobody_waits() -> bool:
                    return not await other.fetchval(waits)

                await until(nobody_waits)  # between two tries
                await other.fetch("SELECT FROM recollect.sessions")
                assert not migrating.done()
            schema = await migrating
            newest = await other.fetchval("SELECT max(version) FROM recollect.schema_migrations")

    assert schema.applied == ("9000_later",)
    assert newest == 9000
    assert {line["step"] for line in logs if line["event"] == "schema_migration_postponed"} == {"9000_later"}


async def test_a_lock_held_for_ever_is_told(new_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.store.migration._TRIES", 2)
    async with administrator(new_dsn) as connection, held(new_dsn):
        with pytest.raises(StoreUnavailableError, match=r"9000_later.*each of the 2 times"):
            await migrate(connection, [*load_migrations(), LATER])

        assert await connection.fetchval("SELECT max(version) FROM recollect.schema_migrations") < 9000


async def test_a_start_with_nothing_to_change_waits_for_no_lock(new_dsn: str) -> None:
    async with administrator(new_dsn) as connection, connection.transaction():
        for table in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'recollect'"):
            await connection.execute(f"LOCK TABLE recollect.{table[0]} IN ROW EXCLUSIVE MODE")
        with capture_logs() as logs:
            await (await open_postgres(new_dsn)).aclose()

    assert [line for line in logs if line["event"] == "schema_migration_postponed"] == []
