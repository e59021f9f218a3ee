"""What became of an exchange is told to its own user alone, and only what it changed."""

import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import formed, kept, last_update
from tests.support.stores import LATER, NOON, Store

from recollect.errors import StoreError
from recollect.model import (
    ROOT,
    Action,
    Actor,
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


async def test_what_taught_nothing_is_formed_all_the_same(store: Store) -> None:
    spoken = await said(store, "Good morning")
    await formed(store, spoken)

    assert await progress(store, spoken) is Progress.FORMED
    assert await told(store, spoken) == []


async def test_what_was_undone_is_told_no_more(store: Store) -> None:
    spoken = await said(store, "I drink tea and have a dog")
    await formed(store, spoken, Add(store.memory("Drinks tea")), Add(store.memory("Has a dog")))
    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=LATER)

    assert await told(store, spoken) == [(Action.ADD, None, "Drinks tea")]


async def test_what_is_held_is_told_to_have_failed(store: Store) -> None:
    spoken = await said(store, "I drink tea")
    await store.inbox.postpone(spoken, error="StoreError", until=None)

    assert await progress(store, spoken) is Progress.FAILED


async def test_what_was_edited_is_abandoned_and_taught_nothing_any_more(store: Store) -> None:
    first = await said(store, "I drink tea", parent=ROOT)
    await formed(store, first, Add(store.memory("Drinks tea")))
    edited = await said(store, "I drink coffee", parent=ROOT, at=LATER)

    assert await progress(store, first) is Progress.ABANDONED
    assert await progress(store, edited) is Progress.PENDING


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


async def test_after_an_erasure_nothing_is_known(store: Store) -> None:
    spoken = await said(store, "I drink tea")
    await store.memories.erase(store.anna, at=NOON)

    assert await outcome(store, spoken) is None


@pytest.mark.parametrize(("session_id", "key"), [("", "k"), ("c", ""), ("c\0", "k"), ("c", "\ud800")])
async def test_an_id_that_can_not_be_stored_is_refused(store: Store, session_id: str, key: str) -> None:
    with pytest.raises(StoreError):
        await store.inbox.outcome(Scope(store.anna, session_id), key)
