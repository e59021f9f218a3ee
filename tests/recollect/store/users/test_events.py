"""The audit as events: in the order of commits, and what a webhook was sent of it is kept with the user."""

import asyncio
from datetime import timedelta

from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import apply, formed, kept, resting_on, undo
from tests.support.stores import LATER, NOON, Store
from uuid_utils.compat import uuid7

from recollect.api.events import EventPlace, EventType, event_of
from recollect.model import Add, Erase, Reason, Replace, Retire


async def events(store: Store, after: int = 0) -> list[tuple[EventType, object, list[object]]]:
    """Return Anna's events behind a number: the type, the memory that holds, those that are gone."""
    _, happened = await store.events.behind(store.anna, after, limit=100)
    found = [event_of(store.anna, each.update, each.kind) for each in happened]
    return [(each.type, each.data.memory_id, [*each.data.gone]) for each in found if each is not None]


async def test_each_change_is_an_event_that_says_which_memory_holds_and_which_are_gone(store: Store) -> None:
    old = await kept(store, "Lives in Porto")
    new = store.memory("Lives in Braga")
    await apply(store, Replace(old.id, new, Reason.CONTRADICTS))
    [replaced, _] = await store.memories.history(store.anna, limit=9)
    await undo(store, replaced)
    await apply(store, Retire(old.id, Reason.FORGOTTEN))

    assert await events(store) == [
        (EventType.REMEMBERED, old.id, []),
        (EventType.REPLACED, new.id, [old.id]),
        (EventType.UNDONE, old.id, [new.id]),
        (EventType.FORGOTTEN, None, [old.id]),
    ]
    assert await events(store, after=2) == (await events(store))[2:]


async def test_an_erasure_says_which_memories_are_gone_and_no_text(store: Store) -> None:
    secret = await kept(store, "Has a scar")
    await apply(store, Erase((secret.id,), (), Reason.ERASED))
    told = await said(store, "I collect stamps")
    stamps = store.memory("Collects stamps", **resting_on(told))
    await formed(store, told, Add(stamps))
    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert await events(store) == [
        (EventType.ERASED, None, [secret.id]),
        (EventType.ERASED, None, [stamps.id]),
    ]
    _, happened = await store.events.behind(store.anna, 0, limit=9)
    assert not any(each.update.before or each.update.after for each in happened)


async def test_changes_that_end_at_once_have_numbers_of_their_own(store: Store) -> None:
    await asyncio.gather(*(kept(store, f"Has cat {number}") for number in range(8)))
    place, happened = await store.events.behind(store.anna, 0, limit=9)

    assert [each.number for each in happened] == [*range(1, 9)]
    assert await store.events.places([store.anna, store.ben]) == {store.anna: place}
    assert place == EventPlace(place.epoch, 8)


async def test_what_was_sent_is_not_behind_it_and_an_erasure_begins_anew(own_store: Store) -> None:
    store = own_store
    await kept(store, "Lives in Porto")
    assert await store.events.unsent(besides=[], limit=9) == ([], [store.anna])
    place, happened = await store.events.behind(store.anna, None, limit=9)
    assert len(happened) == 1

    await store.events.note_sent(store.anna, place)
    assert await store.events.unsent(besides=[], limit=9) == ([], [])
    assert await store.events.behind(store.anna, None, limit=9) == (place, [])

    await store.memories.erase(store.anna, at=NOON)
    await kept(store, "Lives in Faro")
    await store.events.note_sent(store.anna, place)  # by a process that knew the person before
    assert await store.events.unsent(besides=[], limit=9) == ([], [store.anna])
    assert await store.events.unsent(besides=[store.anna], limit=9) == ([], [])


async def test_an_erasure_is_kept_for_a_webhook_alone_and_until_it_is_told(own_store: Store) -> None:
    store = own_store
    await kept(store, "Lives in Porto")
    await store.memories.erase(store.anna, at=NOON)
    assert await store.events.unsent(besides=[], limit=9) == ([], [])

    assert await store.events.take_turn(uuid7(), timedelta(seconds=60))
    await kept(store, "Lives in Faro")
    await store.memories.erase(store.anna, at=NOON)
    [erased], _ = await store.events.unsent(besides=[], limit=9)
    assert (erased.user_id, erased.at) == (store.anna, NOON)

    await store.events.forget_erasure(erased)
    assert await store.events.unsent(besides=[], limit=9) == ([], [])
    await kept(store, "Lives in Braga")
    await store.memories.erase(store.anna, at=NOON)
    assert await store.events.prune_erasures(NOON) == 0
    assert await store.events.prune_erasures(LATER) == 1
    assert await store.events.unsent(besides=[], limit=9) == ([], [])


async def test_one_process_has_the_turn_until_it_is_over(own_store: Store) -> None:
    one, other = uuid7(), uuid7()
    take = own_store.events.take_turn
    assert await take(one, timedelta(seconds=60))
    assert await take(one, timedelta(seconds=60))
    assert not await take(other, timedelta(seconds=60))
    assert await take(one, timedelta(seconds=-1))
    assert await take(other, timedelta(seconds=60))
