import asyncio
import os
import signal
import sys

import pytest
from tests.databases import administrator

from recollect.errors import StoreUnavailableError
from recollect.postgres import Postgres, open_postgres

HOLD = """
import asyncio, sys
from recollect.postgres import open_postgres
async def main():
    store = await open_postgres(sys.argv[1], lease=1)
    async with store.inbox.lease("anna") as held:
        print(held, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


async def take_away(dsn: str, change: str) -> None:
    async with administrator(dsn) as connection:
        await connection.execute(change)


async def until_free(store: Postgres) -> None:
    async with asyncio.timeout(30):
        while True:
            async with store.inbox.lease("anna") as held:
                if held:
                    return
            await asyncio.sleep(0.1)


async def test_a_lease_is_renewed_while_its_body_runs(store_dsn: str) -> None:
    store = await open_postgres(store_dsn, lease=0.6)
    other = await open_postgres(store_dsn, lease=0.6)

    async with store.inbox.lease("anna"):
        await asyncio.sleep(1.5)
        async with other.inbox.lease("anna") as held:
            assert held is False

    await store.aclose()
    await other.aclose()


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM recollect.leases", "UPDATE recollect.leases SET holder = gen_random_uuid()"],
)
async def test_the_body_of_a_lost_lease_is_ended_with_an_error(store_dsn: str, change: str) -> None:
    store = await open_postgres(store_dsn, lease=0.6)

    async def form() -> None:
        async with store.inbox.lease("anna"):
            await take_away(store_dsn, change)
            await asyncio.sleep(600)

    with pytest.raises(StoreUnavailableError, match="lease"):
        await form()

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await store.aclose()


async def test_a_lease_does_not_outlive_the_store_it_is_in(store_dsn: str) -> None:
    store = await open_postgres(store_dsn, lease=0.6)

    async def form() -> None:
        async with store.inbox.lease("anna"):
            await store.aclose()
            await asyncio.sleep(600)

    with pytest.raises(StoreUnavailableError, match="lease"):
        await form()


async def test_a_cancellation_from_outside_is_not_taken_for_a_lost_lease(store_dsn: str) -> None:
    store = await open_postgres(store_dsn, lease=0.6)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3), store.inbox.lease("anna"):
            await asyncio.sleep(600)

    async with store.inbox.lease("anna") as held:
        assert held
    await store.aclose()


async def test_no_connection_is_held_during_the_body(store_dsn: str) -> None:
    store = await open_postgres(store_dsn, pool_size=1, connect_timeout=1)

    async with store.inbox.lease("anna") as held, store.inbox.lease("ben") as other:
        assert held
        assert other
        assert await store.inbox.pending("anna", limit=1) == []

    await store.aclose()


async def test_the_lease_of_a_killed_process_is_free_again(store_dsn: str, postgres: Postgres) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, store_dsn, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"True\n"
    async with postgres.inbox.lease("anna") as held:
        assert held is False

    os.kill(process.pid, signal.SIGKILL)
    await process.wait()

    await until_free(postgres)
