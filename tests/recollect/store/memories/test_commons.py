"""Memories of several: what people share, and what serves everybody with few memories of their own."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.store.indexing import by_words, indexed, near, texts
from tests.recollect.store.keeping import apply, contents, edit, history, kept, last_update, resting_on, undo
from tests.support.notes import note_block
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit_rows import replay
from recollect.errors import MemoryNotFoundError, NotUndoableError, StoreError
from recollect.model import (
    COMMONS,
    STATEMENTS,
    Action,
    Actor,
    Add,
    Doubt,
    Injection,
    Kind,
    Mark,
    Memory,
    Outline,
    Place,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
)

# -- what people share -----------------------------------------------------------------------------


async def share(store: Store, memory: Memory, user_id: str | None = None) -> Memory:
    return await store.memories.share(user_id or store.anna, memory.id, at=LATER, actor=Actor.USER)


async def shared_by_anna(store: Store, **changed: Any) -> Memory:
    """Have Anna share a memory, and give it to Ben."""
    shared = await share(store, await kept(store, "The office closes at six", **changed))
    given = replace(shared, embedding=vector(*NORTH))
    assert await apply(store, Add(given), scope=store.ben.scope) == [Add(given)]
    return shared


async def test_what_is_shared_is_the_same_memory_without_whose_words_it_was(store: Store) -> None:
    said = await indexed(store, "We close at six", reply="")
    labels: dict[str, Any] = {"tags": ("work",), "metadata": {"source": "crm"}, "importance": 0.75}
    words = Provenance("chat-1", (said.message_id,), "We close at six", "small-model/3")
    own = await kept(store, "The office closes at six", holds_until=LATER, provenance=words, **labels)
    await apply(store, Mark(own.id, Doubt.SUSPECT, Reason.SUSPECT))
    await store.memories.touch(store.anna, [own.id], at=LATER)

    shared = await share(store, own)

    left = replace(own, owner=COMMONS, source=Source.MANUAL, provenance=Provenance(), tags=(), metadata={})
    assert shared == replace(left, doubt=Doubt.SUSPECT, recall_count=1, last_recalled_at=LATER)
    assert await store.memories.get(store.anna, own.id) == shared
    [found] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert found.memory == shared
    assert found.score == pytest.approx(1)
    assert texts(await by_words(store, "six", log=False)) == {"The office closes at six"}
    update = await last_update(store)
    assert (update.action, update.actor, update.reason) == (Action.EDIT, Actor.USER, Reason.SHARED)
    assert update.before == update.after == "The office closes at six"
    assert replay(await history(store)) == {own.id}


async def test_what_is_shared_already_is_returned(store: Store) -> None:
    shared = await shared_by_anna(store)

    assert await share(store, shared, store.ben) == shared

    assert (await last_update(store, store.ben)).action is Action.ADD


async def test_only_what_one_sees_is_shared(store: Store) -> None:
    bens = await kept(store, "Ben's", store.ben.scope)
    gone = await kept(store, "Likes tea")
    await apply(store, Retire(gone.id, Reason.DELETED))

    for memory_id in (bens.id, gone.id, uuid7()):
        with pytest.raises(MemoryNotFoundError):
            await store.memories.share(store.anna, memory_id, at=LATER, actor=Actor.USER)

    assert await contents(store, store.ben) == ["Ben's"]


async def test_ones_replacement_touches_neither_anothers_link_nor_the_memory(store: Store) -> None:
    shared = await shared_by_anna(store)
    five = store.memory("The office closes at five")

    await apply(store, Replace(shared.id, five, Reason.CONTRADICTS))

    assert await contents(store) == ["The office closes at five"]
    assert await store.memories.get(store.ben, shared.id) == shared
    replaced = await last_update(store)
    await undo(store, replaced)
    assert await contents(store) == await contents(store, store.ben) == ["The office closes at six"]


async def test_ones_reinforcement_or_doubt_is_ones_own(store: Store) -> None:
    shared = await shared_by_anna(store)

    await apply(
        store, Reinforce(shared.id), Mark(shared.id, Doubt.DISPUTED, Reason.DISPUTED), scope=store.ben.scope
    )

    assert await store.memories.get(store.anna, shared.id) == shared
    bens = await store.memories.get(store.ben, shared.id)
    assert bens == replace(shared, reinforcement_count=1, doubt=Doubt.DISPUTED)
    for update in (await history(store, store.ben))[:0:-1]:
        await undo(store, update, store.ben)
    assert await store.memories.get(store.ben, shared.id) == shared


async def test_what_was_changed_before_it_was_shared_is_undone_for_oneself_alone(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Reinforce(tea.id))
    await edit(store, tea.id, importance=0.9)
    shared = await share(store, tea)
    added, reinforced, edited, sharing = await history(store)

    for update in (edited, sharing):
        with pytest.raises(NotUndoableError):
            await undo(store, update)
    await undo(store, reinforced)
    assert await store.memories.get(store.anna, tea.id) == replace(shared, reinforcement_count=0)
    await undo(store, added)

    assert await contents(store) == []


async def test_who_shared_it_forgets_it_with_the_words_they_said_it_in(store: Store) -> None:
    said = await indexed(store, "We close at six", reply="")
    bens = await indexed(store, "Six it is", store.ben.scope, reply="")
    shared = await shared_by_anna(store, **resting_on(said))

    await apply(store, Retire(shared.id, Reason.FORGOTTEN))

    assert texts(await near(store, vector(*NORTH))) == set()
    assert texts(await near(store, vector(*NORTH), store.ben.scope)) == {bens.turn.text, shared.content}


async def test_what_was_given_again_meanwhile_is_not_linked_twice(store: Store) -> None:
    shared = await shared_by_anna(store)
    await apply(store, Retire(shared.id, Reason.DELETED), scope=store.ben.scope)
    retired = await last_update(store, store.ben)
    await apply(store, Add(shared), scope=store.ben.scope)

    with pytest.raises(NotUndoableError):
        await undo(store, retired, store.ben)

    assert await contents(store, store.ben) == ["The office closes at six"]


@pytest.mark.parametrize("kind", sorted(set(Kind) - STATEMENTS))
async def test_what_tells_of_a_chat_is_not_shared(store: Store, kind: Kind) -> None:
    told = await kept(store, "Spoke of the office", kind=kind)

    with pytest.raises(MemoryNotFoundError):
        await share(store, told)

    assert (await store.memories.get(store.anna, told.id)).owner == store.anna


# -- what serves everybody -------------------------------------------------------------------------


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


async def test_a_content_is_kept_once_until_it_is_removed(store: Store) -> None:
    hours, same = common(store, "The office closes at six"), common(store, "the office closes at SIX.")
    wifi = common(store, "The network is called Guests")

    await keep(store, hours, same)
    await keep(store, same, wifi)
    assert await store.memories.globals() == [wifi, hours]
    await store.memories.keep_globals([same], [hours.id], at=LATER)

    assert await store.memories.globals() == [wifi, same]


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

    both = common(store, "The network is called Guests"), common(store, "x", **changed)
    with pytest.raises(StoreError):
        await store.memories.keep_globals(both, [hours.id], at=NOON)

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
async def test_who_has_few_memories_is_served_by_everybodys_while_they_are(
    store: Store, *, log: bool
) -> None:
    [tea] = await serving(store, "Tea at four")
    rain = await kept(store, "Likes rain", embedding=vector(*EAST))

    served, own = [hit.item for hit in await near(store, vector(*NORTH), log=log)]
    assert (served, own.content) == (replace(tea, embedding=None), "Likes rain")
    assert texts(await near(store, vector(*NORTH), store.ben.scope)) == {"Tea at four"}
    formed_of = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert [each.memory.id for each in formed_of] == [rain.id]
    await store.memories.keep_globals([], [tea.id], at=LATER)
    assert texts(await near(store, vector(*NORTH))) == {"Likes rain"}


async def test_what_several_share_serves_nobody_else(store: Store) -> None:
    await kept(store, "Tea at four", owner=COMMONS)

    assert texts(await near(store, vector(*NORTH))) == {"Tea at four"}
    assert await near(store, vector(*NORTH), store.ben.scope) == []
