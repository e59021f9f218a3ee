"""The outcome of an exchange goes to its own user alone: the changes, and once, in any of their chats."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import formed, history, kept, undo
from tests.servers.databases import administrator, run_sql
from tests.support.people import Person, person
from tests.support.stores import LATER, NOON, Store
from tests.support.waiting import until

from recollect.errors import StoreError, StoreUnavailableError
from recollect.model import (
    ROOT,
    Action,
    Add,
    Exchange,
    Ignore,
    News,
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


async def test_what_waits_has_changed_nothing_and_what_is_held_has_failed(store: Store) -> None:
    assert await store.inbox.outcome(store.anna.scope, "no such key") is None
    spoken = await said(store, "I drink tea", key="k" * 100_000)  # too long for an index
    assert await outcome(store, spoken) == Outcome(Progress.PENDING, (spoken.message_id, spoken.reply_id))

    await store.inbox.postpone(spoken, error="StoreError", until=None)

    assert await progress(store, spoken) is Progress.FAILED


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


@pytest.mark.parametrize(("session_id", "key"), [("", "k"), ("c", ""), ("c\0", "k"), ("c", "\ud800")])
async def test_an_id_that_can_not_be_stored_is_refused(store: Store, session_id: str, key: str) -> None:
    with pytest.raises(StoreError):
        await store.inbox.outcome(Scope(store.anna, session_id), key)


# -- leases ----------------------------------------------------------------------------------------

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
    await run_sql(dsn, f"{change} WHERE user_id = $1", user_id)


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
async def test_a_lost_lease_ends_work(brief: Postgres, shared_dsn: str, anna: Person, change: str) -> None:
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


async def test_a_cancellation_is_not_taken_for_a_lost_lease(brief: Postgres, anna: Person) -> None:
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


# -- news ------------------------------------------------------------------------------------------

ANSWERING = "the turn that is answered"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def taught(store: Store, content: str, scope: Scope | None = None) -> Exchange:
    """Have an exchange of a chat formed, which teaches this."""
    spoken = await said(store, f"I say: {content}", scope)
    await formed(store, spoken, Add(store.memory(content, scope)))
    return spoken


def words(news: News) -> list[str | None]:
    return [each.after for each in news.updates]


async def tell(store: Store, scope: Scope | None = None, key: str = ANSWERING) -> list[str | None]:
    return words(await store.inbox.take_news(scope or store.anna.scope, key, since=LONG_AGO))


async def test_what_was_formed_is_told_once_in_any_chat_of_its_person_the_newest_first(store: Store) -> None:
    await taught(store, "Drinks tea")
    await taught(store, "Has a dog")
    waiting = await said(store, "I live in Oslo")

    assert await tell(store, Scope(store.ben, store.anna.scope.session_id)) == []
    assert await tell(store, store.anna.elsewhere) == ["Has a dog", "Drinks tea"]
    assert await tell(store) == []
    await formed(store, waiting, Add(store.memory("Lives in Oslo")))
    assert await tell(store) == ["Lives in Oslo"]


async def test_of_another_chat_it_is_told_for_a_while_and_of_the_same_chat_whenever(store: Store) -> None:
    await taught(store, "Drinks tea")
    later = datetime.now(UTC) + timedelta(minutes=1)

    assert words(await store.inbox.take_news(store.anna.elsewhere, ANSWERING, since=later)) == []
    assert words(await store.inbox.take_news(store.anna.scope, ANSWERING, since=later)) == ["Drinks tea"]


async def test_however_many_ask_at_a_time_one_of_them_tells_it(store: Store) -> None:
    for content in ("Drinks tea", "Has a dog", "Lives in Oslo"):
        await taught(store, content)

    told = await asyncio.gather(*(tell(store, key=f"answer {number}") for number in range(6)))

    assert sorted(each or "" for one in told for each in one) == ["Drinks tea", "Has a dog", "Lives in Oslo"]


async def test_what_was_not_shown_after_all_is_told_again(store: Store) -> None:
    await taught(store, "Drinks tea")
    news = await store.inbox.take_news(store.anna.scope, ANSWERING, since=LONG_AGO)

    await store.inbox.requeue_news(news)

    assert await tell(store) == ["Drinks tea"]


async def test_of_one_turn_alone_it_is_told_what_that_taught(store: Store) -> None:
    await taught(store, "Drinks tea")
    own = await taught(store, "Has a dog")

    assert words(await store.inbox.take_news(store.anna.scope, own.turn.key)) == ["Has a dog"]
    assert await tell(store) == ["Drinks tea"]


async def test_what_was_undone_or_abandoned_before_it_was_told_is_no_news(store: Store) -> None:
    first = await said(store, "I live in Rome", parent=ROOT)
    await formed(store, first, Add(store.memory("Lives in Rome")))
    edited = await said(store, "I live in Oslo", parent=ROOT, at=NOON + timedelta(minutes=1))
    await formed(store, edited, Add(store.memory("Lives in Oslo")), Add(store.memory("Has a boat")))
    await undo(store)

    assert await tell(store) == ["Lives in Oslo"]


async def test_what_is_imported_is_no_news(store: Store) -> None:
    imported = store.exchange("I drink tea")
    await store.log.append(imported, revives=True)
    await formed(store, imported, Add(store.memory("Drinks tea")))

    assert await tell(store) == []


async def test_it_is_known_with_which_answer_a_turn_was_told(store: Store) -> None:
    first, second = await taught(store, "Drinks tea"), await taught(store, "Has a dog")
    own = await taught(store, "Lives in Oslo")
    await tell(store, key=own.turn.key)
    scope = store.anna.scope

    before = [(scope, second.turn.key), (scope, first.turn.key)]
    assert await store.inbox.told_with(scope, own.turn.key) == before
    assert await store.inbox.told_with(scope, first.turn.key) == []
    assert await store.inbox.told_with(store.anna.elsewhere, own.turn.key) == []
    assert await store.inbox.told_with(store.ben.scope, own.turn.key) == []


async def test_of_which_nothing_could_be_shown_it_was_shown_with_no_answer(store: Store) -> None:
    shown = await taught(store, "Drinks tea")
    taught_nothing, undone = await said(store, "Hello"), await taught(store, "Has a dog")
    verbatim, again = await said(store, "I have a cat"), await said(store, "I drink tea")
    await formed(store, taught_nothing)
    await formed(store, verbatim, Add(store.memory("I have a cat"), Reason.KEPT_VERBATIM))
    await formed(store, again, Add(store.memory("Drinks tea")))
    [last] = [each for each in await history(store) if each.exchange_id == undone.id]
    await undo(store, last)
    own = await taught(store, "Lives in Oslo")

    await tell(store, key=own.turn.key)

    assert await store.inbox.told_with(store.anna.scope, own.turn.key) == [(store.anna.scope, shown.turn.key)]
    assert await tell(store) == []


async def test_no_turn_names_an_erased_chat_with_whose_answer_it_was_told(store: Store) -> None:
    own, other = await taught(store, "Drinks tea"), await taught(store, "Has a dog", store.anna.elsewhere)
    await tell(store, key=own.turn.key)

    await store.memories.erase_session(store.anna.scope, at=LATER)

    rows = [row async for section, row in store.portability.export(store.anna) if section == "exchanges"]
    exported = [json.loads(row) for row in rows]
    assert [(row["key"], row["told_with"]) for row in exported] == [(other.turn.key, "")]
    assert await tell(store) == []
