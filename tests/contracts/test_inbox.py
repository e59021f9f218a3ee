import asyncio
from datetime import timedelta

import pytest
from tests.contracts.stores import ANNA, BEN, LATER, NOON, Store, exchange, memory

from recollect.errors import StoreError
from recollect.model import Add, Backlog, Exchange, Ignore, Reason


async def appended(store: Store, *exchanges: Exchange) -> None:
    for each in exchanges:
        assert await store.log.append(each)


async def test_an_empty_inbox_has_nothing_next(store: Store) -> None:
    assert await store.inbox.next("anna") is None


async def test_exchanges_come_in_the_order_they_were_said(store: Store) -> None:
    first, second = exchange("first"), exchange("second")
    await appended(store, second, first)

    said = []
    while (pending := await store.inbox.next("anna")) is not None:
        said.append(pending[0].turn.text)
        await store.inbox.complete(pending[0], [], at=NOON)

    assert said == ["first", "second"]


async def test_completing_applies_the_changes_and_ends_the_exchange(store: Store) -> None:
    said, new = exchange("I like tea"), memory("Likes tea")
    await appended(store, said)

    done = await store.inbox.complete(said, [Add(new), Add(memory("likes tea"))], at=LATER)

    assert done == [Add(new), Ignore(Reason.EQUAL_CONTENT, target=new.id)]
    assert await store.memories.get("anna", new.id) == new
    assert await store.inbox.next("anna") is None


async def test_an_exchange_is_completed_once(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)
    await store.inbox.complete(said, [], at=NOON)

    assert await store.inbox.complete(said, [Add(memory("Likes tea"))], at=NOON) is None

    assert (await store.memories.page("anna", limit=9)).memories == ()


async def test_a_formation_under_way_resurrects_nothing_of_an_erased_user(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)
    await store.memories.erase("anna", at=NOON)

    assert await store.inbox.complete(said, [Add(memory("Likes tea"))], at=NOON) is None
    await store.inbox.postpone(said, error="late", until=None)

    assert (await store.memories.page("anna", limit=9)).memories == ()
    assert await store.inbox.backlog() == Backlog()


async def test_changes_that_can_not_be_applied_leave_the_exchange_pending(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)

    with pytest.raises(StoreError):
        await store.inbox.complete(said, [Add(memory("Ben's", BEN))], at=NOON)

    assert await store.inbox.next("anna") is not None


async def test_a_postponed_exchange_counts_its_tries_and_waits(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)

    await store.inbox.postpone(said, error="busy", until=LATER)

    assert await store.inbox.next("anna") == (said, 1, LATER)


async def test_an_exchange_held_as_failed_waits_for_a_retry(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)

    await store.inbox.postpone(said, error="broken", until=None)

    assert await store.inbox.next("anna") is None
    assert await store.inbox.backlog() == Backlog(failed=1)
    assert await store.inbox.complete(said, [], at=NOON) is None

    assert await store.inbox.retry_failed(at=LATER) == 1
    assert await store.inbox.next("anna") == (said, 0, LATER)
    assert await store.inbox.retry_failed(at=LATER) == 0


async def test_the_backlog_counts_over_all_users(store: Store) -> None:
    said = [
        exchange("one", at=LATER),
        exchange("two", at=NOON),
        exchange("three", BEN),
        exchange("four", BEN),
        exchange("five", BEN),
    ]
    await appended(store, *said)
    await store.inbox.complete(said[2], [], at=NOON)
    await store.inbox.complete(said[3], [], at=NOON, fallback="unusable")
    await store.inbox.postpone(said[4], error="broken", until=None)

    assert await store.inbox.backlog() == Backlog(
        pending=2, failed=1, formed=2, fallbacks=1, oldest_pending_at=NOON
    )


async def test_one_user_has_no_hold_on_the_inbox_of_another(store: Store) -> None:
    said = exchange("I like tea")
    await appended(store, said)
    stolen = exchange("x", BEN)
    stolen = Exchange(said.id, stolen.turn, "", said.message_id, said.reply_id)

    assert await store.inbox.next("ben") is None
    await store.inbox.postpone(stolen, error="x", until=None)
    assert await store.inbox.complete(stolen, [], at=NOON) is None

    assert await store.inbox.next("anna") == (said, 0, NOON)


async def test_a_lease_is_one_workers_at_a_time(store: Store) -> None:
    async with store.inbox.lease("anna") as first, store.inbox.lease("anna") as second:
        assert (first, second) == (True, False)
        async with store.inbox.lease("ben") as other:
            assert other is True

    async with store.inbox.lease("anna") as again:
        assert again is True


async def test_a_lease_is_given_back_by_a_body_that_fails(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        async with store.inbox.lease("anna"):
            raise ZeroDivisionError

    async with store.inbox.lease("anna") as again:
        assert again is True


async def test_a_lease_is_given_back_by_a_body_that_is_cancelled(store: Store) -> None:
    held = asyncio.Event()

    async def form() -> None:
        async with store.inbox.lease("anna"):
            held.set()
            await asyncio.sleep(60)

    forming = asyncio.create_task(form())
    await held.wait()
    forming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await forming

    async with store.inbox.lease("anna") as again:
        assert again is True


async def test_an_impossible_user_has_no_inbox(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.inbox.next("a\x00")
    with pytest.raises(StoreError):
        async with store.inbox.lease("*"):
            pass


async def test_postponing_to_the_past_makes_it_due(store: Store) -> None:
    said = exchange("I like tea", ANNA)
    await appended(store, said)
    earlier = NOON - timedelta(days=1)

    await store.inbox.postpone(said, error="busy", until=earlier)

    assert await store.inbox.next("anna") == (said, 1, earlier)
