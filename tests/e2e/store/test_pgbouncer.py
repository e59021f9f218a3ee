"""What the store promises is kept behind a real PgBouncer in transaction mode, with fewer connections than there are users."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.e2e.store.pooler import answering, transaction_pooler
from tests.recollect.store.memories.test_edits import *  # noqa: F403
from tests.recollect.store.memories.test_memories import *  # noqa: F403
from tests.recollect.store.messages.test_chats import *  # noqa: F403
from tests.recollect.store.pool.test_connections import timeouts
from tests.recollect.store.test_log_index import *  # noqa: F403 -- each of these promises is kept here as well
from tests.servers.databases import administrator, new_database, sql_value
from tests.servers.external_servers import external_server, pgbouncer
from tests.support.stores import NOON, Store, store_over
from tests.support.waiting import until

from recollect.model import Actor, Add, Reason
from recollect.store import Postgres, check_postgres, migrate_postgres, open_postgres
from recollect.store.sql import load_migrations

pytestmark = [
    pytest.mark.skipif(pgbouncer() is None, reason="PgBouncer is not installed (apt-get install pgbouncer)"),
    pytest.mark.process,
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with external_server("16") as dsn:
        yield dsn


@pytest.fixture(scope="module")
async def through(server: str) -> AsyncIterator[str]:
    """The dsn of a database through the pooler."""
    async with new_database(server) as dsn:
        with transaction_pooler(dsn) as pooled:
            yield await answering(pooled)


@pytest.fixture(scope="module")
async def behind(through: str) -> AsyncIterator[Postgres]:
    opened = await open_postgres(through, lease=2, heartbeat=2)
    yield opened
    await opened.aclose()


@pytest.fixture
def store(behind: Postgres) -> Store:
    return store_over(behind)


async def test_nobody_sees_anothers_memories_however_the_connections_change(behind: Postgres) -> None:
    users = [store_over(behind) for _ in range(30)]
    for each in users:
        added = Add(each.memory(f"{each.anna} likes tea", each.anna.scope), Reason.NEW)
        await each.memories.apply(each.anna.scope, [added], actor=Actor.ADMIN, at=NOON)

    async def seen(each: Store) -> set[str]:
        pages = [await each.memories.page(each.anna, limit=9) for _ in range(10)]
        return {memory.content for page in pages for memory in page.memories}

    found = await asyncio.gather(*(seen(each) for each in users))

    assert found == [{f"{each.anna} likes tea"} for each in users]


async def test_a_check_before_a_start_finds_nothing_wrong(behind: Postgres, through: str) -> None:
    assert behind

    report = await check_postgres(through, seconds=20)

    assert (report.mistakes, report.remarks) == ([], [])
    assert report.found.startswith("Postgres 16.")


async def test_no_setting_of_a_transaction_is_left_on_a_connection_of_the_server(
    behind: Postgres, through: str
) -> None:
    store = store_over(behind)
    await asyncio.gather(*(store.memories.page(store.anna, limit=1) for _ in range(20)))

    async def left() -> tuple[str | None, str, str]:
        async with administrator(through) as connection, connection.transaction():
            row = await connection.fetchrow(
                "SELECT current_setting('recollect.user_id', true), current_user::text, current_setting('search_path')"
            )
        assert row is not None
        return tuple(row)

    assert {(name or None, role, path) for name, role, path in [await left() for _ in range(10)]} == {
        (None, "postgres", '"$user", public')
    }


async def test_a_statement_whose_client_is_gone_ends_by_itself_on_each_way(behind: Postgres) -> None:
    found = await timeouts(behind)

    assert found.pop("outside") == "0", "VACUUM runs in no transaction, and nothing else outlives one"
    assert set(found.values()) == {"1min"}


async def test_processes_that_start_together_bring_the_schema_up_to_date_once(server: str) -> None:
    async with new_database(server) as dsn:
        with transaction_pooler(dsn) as pooled:
            await answering(pooled)
            applied = await asyncio.gather(*(migrate_postgres(pooled) for _ in range(4)))
        locks = await sql_value(dsn, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")

    # Behind a pooler a process is alone for a step, not for all of them.
    assert sorted(name for each in applied for name in each) == [
        f"{migration.version:04}_{migration.name}" for migration in load_migrations()
    ]
    assert locks == 0


async def test_jobs_are_found_without_being_announced(behind: Postgres) -> None:
    store = store_over(behind)
    done: list[str] = []

    async def drain(user_id: str) -> timedelta | None:
        done.append(user_id)
        return None

    working = asyncio.create_task(store.jobs.run(drain))
    try:
        for each in (store.anna, store.ben):
            await store.index.enqueue(each)

        async def found() -> bool:
            return {store.anna, store.ben} <= set(done)

        await until(found)
    finally:
        working.cancel()
        await asyncio.wait({working})

    assert (done.count(store.anna), done.count(store.ben)) == (1, 1)


async def test_a_lease_is_held_by_one_and_everything_of_a_user_is_erased(behind: Postgres) -> None:
    store = store_over(behind)
    await store.log.append(replace(store.exchange("I am Anna")))
    async with store.inbox.lease(store.anna) as first, store.inbox.lease(store.anna) as second:
        taken = (first, second)
    erasure = await store.memories.erase(store.anna, at=NOON)

    assert taken == (True, False)
    assert dict(erasure.rows)["messages"] == 2
    assert not any(count for _, count in erasure.left)
    assert set(await store.memories.vacuum()) >= {"vectors", "messages"}
