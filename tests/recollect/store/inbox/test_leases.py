import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.servers.databases import administrator
from tests.support.people import Person, person
from tests.support.waiting import until

from recollect.errors import StoreUnavailableError
from recollect.store import Postgres, open_postgres

HOLD = """
import asyncio, sys
from recollect.store import open_postgres
async def main():
    store = await open_postgres(sys.argv[1], lease=0.6)
    async with store.inbox.lease(sys.argv[2]) as held:
        print(held, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""
END = "SELECT expires_at FROM recollect.leases WHERE user_id = $1"


@pytest.fixture
def anna() -> Person:
    return person("anna")


@pytest.fixture
async def brief(shared_dsn: str) -> AsyncIterator[Postgres]:
    """A store whose leases are short."""
    opened = await open_postgres(shared_dsn, lease=0.6)
    yield opened
    await opened.aclose()


async def take_away(dsn: str, change: str, user_id: str) -> None:
    async with administrator(dsn) as connection:
        await connection.execute(f"{change} WHERE user_id = $1", user_id)


async def until_its_end(connection: "asyncpg.Connection[asyncpg.Record]", user_id: str) -> None:
    """Wait until a lease as it is now would have ended."""
    end = await connection.fetchval(END, user_id)
    await until(lambda: connection.fetchval("SELECT clock_timestamp() > $1", end))


async def test_a_lease_is_renewed_while_its_body_runs(
    brief: Postgres, postgres: Postgres, shared_dsn: str, anna: Person
) -> None:
    async with administrator(shared_dsn) as connection, brief.inbox.lease(anna):
        for _ in range(2):
            await until_its_end(connection, anna)

            async with postgres.inbox.lease(anna) as held:
                assert held is False


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM recollect.leases", "UPDATE recollect.leases SET holder = gen_random_uuid()"],
)
async def test_the_body_of_a_lost_lease_is_ended_with_an_error(
    brief: Postgres, shared_dsn: str, anna: Person, change: str
) -> None:
    async def form() -> None:
        async with brief.inbox.lease(anna):
            await take_away(shared_dsn, change, anna)
            await asyncio.sleep(600)

    with pytest.raises(StoreUnavailableError, match="lease"):
        await form()

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_lease_does_not_outlive_the_store_it_is_in(brief: Postgres, anna: Person) -> None:
    async def form() -> None:
        async with brief.inbox.lease(anna):
            await brief.aclose()
            await asyncio.sleep(600)

    with pytest.raises(StoreUnavailableError, match="lease"):
        await form()


async def test_a_cancellation_from_outside_is_not_taken_for_a_lost_lease(
    brief: Postgres, anna: Person
) -> None:
    async def form() -> None:
        async with asyncio.timeout(None) as patience, brief.inbox.lease(anna):
            patience.reschedule(asyncio.get_running_loop().time())
            await asyncio.sleep(600)

    with pytest.raises(TimeoutError):
        await form()

    async with brief.inbox.lease(anna) as held:
        assert held


async def test_no_connection_is_held_during_the_body(shared_dsn: str, anna: Person) -> None:
    store = await open_postgres(shared_dsn, pool_size=1, connect_timeout=1)

    async with store.inbox.lease(anna) as held, store.inbox.lease(person("ben")) as other:
        assert held
        assert other
        assert await store.inbox.pending(anna, limit=1) == []

    await store.aclose()


@pytest.mark.process
async def test_the_lease_of_a_killed_process_is_free_again(
    postgres: Postgres, shared_dsn: str, anna: Person
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, shared_dsn, anna, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"True\n"
    async with postgres.inbox.lease(anna) as held:
        assert held is False

    os.kill(process.pid, signal.SIGKILL)
    await process.wait()

    async def free() -> bool:
        async with postgres.inbox.lease(anna) as held:
            return held

    await until(free)
