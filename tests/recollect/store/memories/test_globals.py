"""Global memories serve users with few memories of their own; the operator keeps them."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.store.indexing import near, texts
from tests.recollect.store.keeping import apply, contents, kept
from tests.support.notes import note_block
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, vector

from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import COMMONS, Add, Injection, Memory, Outline, Place, Quarantine, Reason, Source


@pytest.fixture
def store(own_store: Store) -> Store:
    """A store of the test's own: what serves everybody is in it."""
    return own_store


def common(store: Store, content: str, **changed: Any) -> Memory:
    return store.memory(content, **{"owner": COMMONS, "source": Source.GLOBAL, **changed})


async def keep(store: Store, *memories: Memory) -> None:
    await store.memories.keep_globals(memories, [], at=NOON)


async def test_they_come_back_as_they_were_kept_the_newest_first(store: Store) -> None:
    hours = common(store, "The office closes at six", importance=0.75, event_at=LATER, holds_until=LATER)
    wifi = common(store, "The network is called Guests", embedding=vector(*EAST), outline=Outline(("x",)))

    await keep(store, hours, wifi)

    assert await store.memories.globals() == [wifi, hours]
    assert {each.embedding_model for each in await store.memories.globals()} == {MODEL}


async def test_they_are_no_users_memories(store: Store) -> None:
    hours = common(store, "The office closes at six")
    await keep(store, hours)

    assert await contents(store) == []
    assert await store.memories.count() == 0
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get(store.anna, hours.id)
    await kept(store, "The office closes at six")


async def test_no_user_is_given_one_nor_adds_one(store: Store) -> None:
    hours, own = common(store, "The office closes at six"), store.memory("Likes tea", source=Source.GLOBAL)
    await keep(store, hours)

    for each in (hours, common(store, "The network is called Guests"), own):
        with pytest.raises(StoreError):
            await apply(store, Add(each))
        with pytest.raises(StoreError):
            await apply(store, Quarantine(each, Reason.INSTRUCTION))

    assert await store.memories.globals() == [hours]
    assert await contents(store) == []


async def test_one_whose_content_is_kept_is_left_out(store: Store) -> None:
    hours, same = common(store, "The office closes at six"), common(store, "the office closes at SIX.")

    await keep(store, hours, same)
    await keep(store, same)

    assert await store.memories.globals() == [hours]


async def test_what_is_removed_serves_nobody_and_may_be_kept_again(store: Store) -> None:
    hours, wifi = common(store, "The office closes at six"), common(store, "The network is called Guests")
    await keep(store, hours, wifi)
    again = common(store, "The office closes at six")

    await store.memories.keep_globals([again], [hours.id], at=LATER)

    assert await store.memories.globals() == [again, wifi]


async def test_what_is_not_there_is_removed_without_a_word(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    tea = await kept(store, "Likes tea")
    await kept(store, "x", id=shared.id, owner=COMMONS)

    await store.memories.keep_globals([], [tea.id, shared.id], at=NOON)

    assert len(await contents(store)) == 2


@pytest.mark.parametrize("changed", [{"owner": "a user"}, {"source": Source.MANUAL}])
async def test_only_what_is_global_is_kept_and_all_or_none(store: Store, changed: dict[str, Any]) -> None:
    hours = common(store, "The office closes at six")
    await keep(store, hours)

    with pytest.raises(StoreError):
        await store.memories.keep_globals(
            [common(store, "The network is called Guests"), common(store, "x", **changed)],
            [hours.id],
            at=NOON,
        )

    assert await store.memories.globals() == [hours]


async def test_an_id_is_used_once(store: Store) -> None:
    hours = common(store, "The office closes at six")
    await keep(store, hours)

    with pytest.raises(StoreError):
        await keep(store, replace(hours, content="at five"))


async def test_what_is_removed_is_in_prompts_no_more(store: Store) -> None:
    hours, wifi = common(store, "The office closes at six"), common(store, "The network is called Guests")
    own = await kept(store, "Likes tea")
    await keep(store, hours, wifi)
    blocks = {"a:hours": (own.id, hours.id), "a:wifi": (wifi.id,), "a:own": (own.id,)}
    for scope in (store.anna.scope, store.ben.scope):
        for anchor, items in blocks.items():
            known = items if scope is store.anna.scope else items[-1:]
            block = Injection(anchor, Place.BESIDE, anchor, known, 1, NOON)
            await note_block(store.log, scope, block, [])

    await store.memories.keep_globals([], [hours.id, own.id], at=LATER)

    left = {
        scope.user_id: {each.anchor for each in (await store.chats.chat(scope, exchanges=9)).injections}
        for scope in (store.anna.scope, store.ben.scope)
    }
    assert left == {store.anna: {"a:wifi", "a:own"}, store.ben: {"a:wifi"}}


async def serving(store: Store, *contents: str, **changed: Any) -> list[Memory]:
    """Keep memories for everybody."""
    memories = [store.memory(each, owner=COMMONS, source=Source.GLOBAL, **changed) for each in contents]
    await store.memories.keep_globals(memories, [], at=NOON)
    return memories


@pytest.mark.parametrize("log", [True, False])
async def test_who_has_few_memories_is_served_by_everybodys(store: Store, *, log: bool) -> None:
    [tea] = await serving(store, "Tea at four")
    await kept(store, "Likes rain", embedding=vector(*EAST))

    hits = await near(store, vector(*NORTH), log=log)

    assert [hit.item.content for hit in hits] == ["Tea at four", "Likes rain"]
    [served, _] = [hit.item for hit in hits]
    assert served == replace(tea, embedding=None)
    assert texts(await near(store, vector(*NORTH), store.ben.scope)) == {"Tea at four"}


async def test_what_is_everybodys_no_more_serves_nobody(store: Store) -> None:
    [tea] = await serving(store, "Tea at four")
    await store.memories.keep_globals([], [tea.id], at=LATER)

    assert await near(store, vector(*NORTH)) == []


async def test_what_is_everybodys_is_nearest_to_nothing_that_is_formed(store: Store) -> None:
    await serving(store, "Tea at four")

    assert await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9) == []


async def test_what_several_share_serves_nobody_else(store: Store) -> None:
    await kept(store, "Tea at four", owner=COMMONS)

    assert texts(await near(store, vector(*NORTH))) == {"Tea at four"}
    assert await near(store, vector(*NORTH), store.ben.scope) == []
