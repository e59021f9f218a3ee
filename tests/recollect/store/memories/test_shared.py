"""One memory of several users: none of them changes it for another, and it tells nothing of who shared it."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.store.indexing import by_words, indexed, near, texts
from tests.recollect.store.keeping import apply, contents, edit, history, kept, last_update, resting_on, undo
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit import replay
from recollect.errors import MemoryNotFoundError, NotUndoableError
from recollect.model import (
    COMMONS,
    STATEMENTS,
    Action,
    Actor,
    Add,
    Doubt,
    Kind,
    Mark,
    Memory,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
)


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
    own = await kept(
        store,
        "The office closes at six",
        importance=0.75,
        holds_until=LATER,
        provenance=Provenance("chat-1", (said.message_id,), "We close at six", "small-model/3"),
        tags=("work",),
        metadata={"source": "crm"},
    )
    await apply(store, Mark(own.id, Doubt.SUSPECT, Reason.SUSPECT))
    await store.memories.touch(store.anna, [own.id], at=LATER)

    shared = await share(store, own)

    assert shared == replace(
        own,
        owner=COMMONS,
        source=Source.MANUAL,
        provenance=Provenance(),
        doubt=Doubt.SUSPECT,
        recall_count=1,
        last_recalled_at=LATER,
        tags=(),
        metadata={},
    )
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


async def test_it_stays_with_others_when_who_shared_it_is_erased(store: Store) -> None:
    shared = await shared_by_anna(store)

    await store.memories.erase(store.anna, at=NOON)

    assert await store.memories.get(store.ben, shared.id) == shared


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
