"""What became of an exchange is told to its own user alone, and only what it changed."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import asyncpg
import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import formed, kept, undo
from tests.servers.databases import administrator
from tests.support.people import Person, person
from tests.support.stores import Store
from tests.support.waiting import until

from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import (
    Action,
    Add,
    Exchange,
    Ignore,
    Outcome,
    Progress,
    Reason,
    Replace,
    Retire,
    Scope,
)
from recollect.store import Postgres, open_postgres
from recollect.store.sql import SQL


async def outcome(store: Store, of: Exchange) -> Outcome | None:
    return await store.inbox.outcome(of.turn.scope, of.turn.key)


async def progress(store: Store, of: Exchange) -> Progress | None:
    found = await outcome(store, of)
    return None if found is None else found.progress


async def told(store: Store, of: Exchange) -> list[tuple[Action, str | None, str | None]]:
    found = await outcome(store, of)
    assert found is not None
    return [(each.action, each.before, each.after) for each in found.updates]


async def test_of_what_is_not_in_the_log_nothing_is_known(store: Store) -> None:
    assert await store.inbox.outcome(store.anna.scope, "no such key") is None


async def test_what_waits_has_changed_nothing_yet(store: Store) -> None:
    spoken = await said(store, "I drink tea")

    assert await outcome(store, spoken) == Outcome(Progress.PENDING, (spoken.message_id, spoken.reply_id))


async def test_what_was_formed_tells_all_it_changed_the_newest_first(store: Store) -> None:
    rome, tea = await kept(store, "Lives in Rome"), await kept(store, "Drinks tea")
    spoken = await said(store, "I moved to Oslo, have a dog, and forget the tea")
    oslo, dog = store.memory("Lives in Oslo"), store.memory("Has a dog")
    await formed(
        store,
        spoken,
        Replace(rome.id, oslo, Reason.CONTRADICTS),
        Add(dog),
        Ignore(Reason.LOW_IMPORTANCE),
        Retire(tea.id, Reason.FORGOTTEN),
    )

    assert await progress(store, spoken) is Progress.FORMED
    assert await told(store, spoken) == [
        (Action.RETIRE, "Drinks tea", None),
        (Action.ADD, None, "Has a dog"),
        (Action.REPLACE, "Lives in Rome", "Lives in Oslo"),
    ]


async def test_what_was_undone_is_told_no_more(store: Store) -> None:
    spoken = await said(store, "I drink tea and have a dog")
    await formed(store, spoken, Add(store.memory("Drinks tea")), Add(store.memory("Has a dog")))
    await undo(store)

    assert await told(store, spoken) == [(Action.ADD, None, "Drinks tea")]


async def test_what_is_held_is_told_to_have_failed(store: Store) -> None:
    spoken = await said(store, "I drink tea")
    await store.inbox.postpone(spoken, error="StoreError", until=None)

    assert await progress(store, spoken) is Progress.FAILED


async def test_an_exchange_is_its_own_users_and_its_own_chats(store: Store) -> None:
    mine = await said(store, "I drink tea", key="message-1")
    theirs = await said(store, "I drink coffee", store.ben.scope, key="message-1")
    elsewhere = await said(store, "I have a dog", store.anna.elsewhere, key="message-1")
    await formed(store, mine, Add(store.memory("Drinks tea")))
    await formed(store, theirs, Add(store.memory("Drinks coffee", store.ben.scope)))

    assert await told(store, mine) == [(Action.ADD, None, "Drinks tea")]
    assert await told(store, theirs) == [(Action.ADD, None, "Drinks coffee")]
    assert await progress(store, elsewhere) is Progress.PENDING
    assert await store.inbox.outcome(Scope("carl", "chat-1"), "message-1") is None


async def test_a_key_too_long_for_an_index_is_known_again(store: Store) -> None:
    spoken = await said(store, "I drink tea", key="k" * 100_000)

    assert await progress(store, spoken) is Progress.PENDING


@pytest.mark.parametrize(("session_id", "key"), [("", "k"), ("c", ""), ("c\0", "k"), ("c", "\ud800")])
async def test_an_id_that_can_not_be_stored_is_refused(store: Store, session_id: str, key: str) -> None:
    with pytest.raises(StoreError):
        await store.inbox.outcome(Scope(store.anna, session_id), key)


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
    "change", ["DELETE FROM recollect.leases", "UPDATE recollect.leases SET holder = gen_random_uuid()"]
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


async def test_a_lease_that_nobody_renews_any_more_is_free_again(postgres: Postgres, anna: Person) -> None:
    async with postgres.database.for_user(anna) as connection:
        await connection.execute(SQL["take_lease"], anna, uuid4(), timedelta(seconds=0.3))
    async with postgres.inbox.lease(anna) as held:
        assert held is False

    async def free() -> bool:
        async with postgres.inbox.lease(anna) as held:
            return held

    await until(free)
