"""Edits by hand, two users, hostile input; and the embedding, which is written over, given back, shared and erased."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.recollect.store.indexing import near
from tests.recollect.store.keeping import apply, contents, edit, kept, revised, undo
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.errors import DuplicateMemoryError, EndsBeforeItBeginsError, MemoryNotFoundError, StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Ignore,
    Kind,
    Outline,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Scope,
)

# -- editing ---------------------------------------------------------------------------------------


async def test_an_edit_writes_over_the_memory_and_is_audited(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    written = {"content": "Likes coffee", "kind": Kind.PREFERENCE, "importance": 0.25}
    edited = await edit(store, tea.id, **written, **IN_THE_EAST, at=LATER)

    assert edited == await store.memories.get(store.anna, tea.id)
    assert (edited.content, edited.kind, edited.importance) == ("Likes coffee", Kind.PREFERENCE, 0.25)
    [found] = await store.memories.nearest(store.anna.scope, vector(*EAST), MODEL, limit=1)
    assert found.score == pytest.approx(1)
    [update, _] = await store.memories.history(store.anna, limit=10)
    assert (update.action, update.actor, update.reason) == (Action.EDIT, Actor.USER, Reason.EDITED)
    assert (update.before, update.after, update.at) == ("Likes tea", "Likes coffee", LATER)


async def test_a_memory_does_not_end_before_it_begins(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await edit(store, tea.id, holds_from=NOON)

    with pytest.raises(EndsBeforeItBeginsError):
        await edit(store, tea.id, holds_until=NOON - timedelta(days=1))
    edited = await edit(store, tea.id, holds_until=NOON)

    assert (edited.holds_from, edited.holds_until) == (NOON, NOON)
    odd = await kept(store, "Likes rain", holds_from=LATER, holds_until=NOON)
    assert (await edit(store, odd.id, kind=Kind.PREFERENCE)).kind is Kind.PREFERENCE


async def test_an_edit_can_not_make_two_memories_equal(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await kept(store, "Likes coffee")

    with pytest.raises(DuplicateMemoryError):
        await edit(store, tea.id, content="likes COFFEE")

    assert await contents(store) == ["Likes coffee", "Likes tea"]


# -- two users -------------------------------------------------------------------------------------


async def test_nothing_of_one_user_is_seen_or_changed_by_another(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    assert await store.memories.nearest(store.ben.scope, vector(*NORTH), MODEL, limit=9) == []
    assert (await store.memories.page(store.ben, limit=9)).memories == ()
    assert await store.memories.history(store.ben, limit=9) == []
    assert await store.memories.history(store.ben, tea.id, limit=9) == []
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get(store.ben, tea.id)
    with pytest.raises(MemoryNotFoundError):
        await store.memories.edit(store.ben, revised(tea.id, content="stolen"), actor=Actor.USER, at=NOON)
    await store.memories.touch(store.ben, [tea.id], at=NOON)
    done = await apply(store, Reinforce(tea.id), Retire(tea.id, Reason.DELETED), scope=store.ben.scope)
    assert done == [Ignore(Reason.DELETED, target=tea.id)] * 2
    await store.memories.erase(store.ben, at=NOON)

    assert await store.memories.get(store.anna, tea.id) == tea


async def test_two_users_may_remember_the_same(store: Store) -> None:
    await kept(store, "Likes tea")
    await kept(store, "Likes tea", store.ben.scope)
    rain = store.memory("Likes rain", store.ben.scope)
    await apply(store, Replace(uuid7(), rain, Reason.REFINES), scope=store.ben.scope)

    assert await contents(store) == ["Likes tea"]
    assert await contents(store, store.ben) == ["Likes rain", "Likes tea"]


async def test_what_is_shared_is_nobodys_to_edit_or_erase(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    for scope in (store.anna.scope, store.ben.scope):
        assert await apply(store, Add(shared), scope=scope) == [Add(shared)]

    with pytest.raises(MemoryNotFoundError):
        await edit(store, shared.id, content="at five")
    await apply(store, Reinforce(shared.id), Retire(shared.id, Reason.DELETED))
    await store.memories.erase(store.anna, at=NOON)

    [found] = await store.memories.nearest(store.ben.scope, vector(*NORTH), MODEL, limit=9)
    assert found.memory == shared
    assert await contents(store) == []


# -- hostile input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("user_id", ["", "*", "a\x00b", "a\ud800b"])
async def test_an_impossible_user_is_refused(store: Store, user_id: str) -> None:
    with pytest.raises(StoreError):
        await store.memories.page(user_id, limit=1)
    with pytest.raises(StoreError):
        await apply(store, Add(store.memory("x", owner=user_id)), scope=Scope(user_id, "chat-1"))
    with pytest.raises(StoreError):
        await store.memories.erase(user_id, at=NOON)


@pytest.mark.parametrize("user_id", ["%", "_", "'; --", "🎉" * 256, "\u202eanna", " anna"])
async def test_any_other_user_id_is_a_user_of_its_own(store: Store, user_id: str) -> None:
    scope = Scope(user_id, "chat-1")
    await kept(store, "Likes tea")

    await kept(store, "Likes rain", scope)

    assert await contents(store, user_id) == ["Likes rain"]
    await store.memories.erase(user_id, at=NOON)
    assert await contents(store) == ["Likes tea"]


async def test_what_can_not_be_stored_is_mended(store: Store) -> None:
    outline = Outline(todos=("a\x00b\ud800",))
    new = store.memory("a\x00b\ud800c", outline=outline, provenance=Provenance("s\x00", (), "\udfff"))

    await apply(store, Add(new))

    read = await store.memories.get(store.anna, new.id)
    assert (read.content, read.outline) == ("a\ufffdb\ufffdc", Outline(todos=("a\ufffdb\ufffd",)))
    [update] = await store.memories.history(store.anna, limit=9)
    assert update.after == "a\ufffdb\ufffdc"


# -- embeddings ------------------------------------------------------------------------------------


IN_THE_EAST: dict[str, Any] = {"embedding": vector(*EAST), "embedding_model": MODEL}
LACKING: dict[str, Any] = {"embedding": None, "embedding_model": None}


async def cosines(store: Store, user_id: str | None = None) -> dict[str, float]:
    """Return the memories that have an embedding, with their cosines to the north."""
    scope = replace(store.anna.scope, user_id=user_id or store.anna)
    return {hit.item.content: round(hit.cosine or 0, 2) for hit in await near(store, vector(*NORTH), scope)}


async def waiting(store: Store, user_id: str | None = None) -> list[str]:
    found = await store.index.unembedded_memories(user_id or store.anna, MODEL, limit=9)
    return [each.content for each in found]


async def test_an_edit_leaves_nothing_of_the_old_embedding(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    for same in ({"importance": 0.9}, {"content": "Likes tea", **IN_THE_EAST}):
        await edit(store, tea.id, **same)
        assert await cosines(store) == {"Likes tea": 1}

    await edit(store, tea.id, content="Likes rain")
    assert (await cosines(store), await waiting(store)) == ({}, ["Likes rain"])

    await edit(store, tea.id, content="Likes snow", **IN_THE_EAST)
    assert await cosines(store) == {"Likes snow": 0}

    await undo(store)
    assert (await cosines(store), await waiting(store)) == ({}, ["Likes rain"])


async def test_nobody_embeds_what_they_do_not_see(store: Store) -> None:
    tea = await kept(store, "Likes tea", **LACKING)
    shared = store.memory("The office closes at six", owner=COMMONS, **LACKING)
    await apply(store, Add(shared))

    for each in (tea, shared, replace(tea, id=uuid7())):
        embedded = replace(each, embedding=vector(*NORTH), embedding_model=MODEL)
        await store.index.embed_memory(store.ben, embedded)

    assert await cosines(store) == {}
