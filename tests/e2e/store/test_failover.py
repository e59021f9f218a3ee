"""A standby takes over, by real streaming replication: the store finds it, and what was committed is there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import timedelta

import pytest
from tests.servers.databases import administrator, run_sql
from tests.servers.replicated_servers import Pair, replicated_servers
from tests.support.stores import NOON, Store, store_over
from tests.support.waiting import until

from recollect.errors import StoreUnavailableError
from recollect.model import Actor, Add, Reason
from recollect.store import Postgres, open_postgres
from recollect.store import jobs as runner

pytestmark = pytest.mark.process


@pytest.fixture(params=["16", "18"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    with replicated_servers(request.param) as servers:
        yield servers


@pytest.fixture
async def opened(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Postgres]:
    monkeypatch.setattr(runner, "_LONGEST_BACKOFF", 0.5)
    store = await open_postgres(pair.dsn, lease=2, heartbeat=2)
    yield store
    await store.aclose()


async def kill_the_primary(pair: Pair) -> None:
    await asyncio.to_thread(pair.primary.end)
    await asyncio.to_thread(pair.standby.promote)


async def make_the_primary_read_only(pair: Pair) -> None:
    """As a switchover does: the old primary goes on, but takes no writes any more; who is connected stays so."""
    async with administrator(pair.primary.dsn) as connection:
        await connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        await connection.execute("SELECT pg_reload_conf()")
    await asyncio.to_thread(pair.standby.promote)


async def have_the_primary_follow(pair: Pair) -> None:
    """End the old primary, promote the standby, and start the old one as the new one's standby."""
    await kill_the_primary(pair)
    await run_sql(pair.standby.dsn, "CHECKPOINT")
    await asyncio.to_thread(_follow_anew, pair)


async def freeze_the_primary(pair: Pair) -> None:
    """Nobody's connection is closed, and nothing is answered any more."""
    pair.primary.freeze()
    await asyncio.to_thread(pair.standby.promote)


def _follow_anew(pair: Pair) -> None:
    for file in sorted(pair.primary.data.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
    pair.primary.follow(pair.standby)
    pair.primary.start()


async def say(store: Store, number: int) -> None:
    await store.log.append(store.exchange(f"thing {number}", key=f"thing {number}"))


async def keep_saying(store: Store, over: asyncio.Event) -> list[int]:
    """Say one thing after the other, each until the store has taken it; return the numbers of those."""
    number, said = 0, []
    while not over.is_set():
        number += 1
        while True:
            with suppress(StoreUnavailableError):
                await say(store, number)
                break
            await asyncio.sleep(0.05)
        said.append(number)
        await asyncio.sleep(0.01)
    return said


@pytest.mark.parametrize(
    "fail_over", [kill_the_primary, make_the_primary_read_only, have_the_primary_follow, freeze_the_primary]
)
async def test_after_a_failover_the_standby_is_found_and_nothing_is_lost(
    pair: Pair, opened: Postgres, fail_over: Callable[[Pair], Awaitable[None]]
) -> None:
    store, over, drained = store_over(opened), asyncio.Event(), list[str]()
    added = Add(store.memory("Anna likes tea", store.anna.scope), Reason.NEW)
    await store.memories.apply(store.anna.scope, [added], actor=Actor.ADMIN, at=NOON)

    async def drain(user_id: str) -> timedelta | None:
        drained.append(user_id)
        return None

    working = asyncio.create_task(opened.jobs.run(drain))
    saying = asyncio.create_task(keep_saying(store, over))
    await until(lambda: bool(drained))
    await fail_over(pair)
    drained.clear()
    async with administrator(pair.standby.dsn) as connection:

        async def goes_on_there() -> bool:
            count = await connection.fetchval("SELECT count(*) FROM recollect.exchanges")
            await asyncio.sleep(0.05)
            return bool(await connection.fetchval("SELECT count(*) FROM recollect.exchanges") > count)

        await until(goes_on_there)
        over.set()
        said = await saying
        await store.index.enqueue(store.anna)
        await until(lambda: bool(drained))
        working.cancel()
        kept = await connection.fetch("SELECT content FROM recollect.messages WHERE role = 'user'")

    assert sorted(row["content"] for row in kept) == sorted(f"thing {number}" for number in said)
    page = await store.memories.page(store.anna, limit=9)
    assert [memory.content for memory in page.memories] == ["Anna likes tea"]


async def test_the_standby_is_not_written_to_while_it_follows(pair: Pair, opened: Postgres) -> None:
    async with opened.database.over_all_users() as connection:
        assert await connection.fetchval("SELECT inet_server_port()") == pair.primary.port
    with pytest.raises(StoreUnavailableError, match="TargetServerAttributeNotMatched"):
        await open_postgres(pair.standby.dsn)
