"""The embedding of a memory is written over, given back, shared and erased with it."""

from dataclasses import replace
from typing import Any

from tests.recollect.store.indexing import near
from tests.recollect.store.keeping import apply, edit, kept, undo
from tests.support.stores import EAST, MODEL, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.model import COMMONS, Add

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


async def test_what_several_share_is_embedded_by_whoever_sees_it(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS, **LACKING)
    for each in (store.anna, store.ben):
        await apply(store, Add(shared), scope=each.scope)
    assert await waiting(store) == await waiting(store, store.ben) == ["The office closes at six"]

    embedded = replace(shared, embedding=vector(*NORTH), embedding_model=MODEL)
    await store.index.embed_memory(store.ben, embedded)

    for user_id in (store.anna, store.ben):
        assert await cosines(store, user_id) == {"The office closes at six": 1}


async def test_nobody_embeds_what_they_do_not_see(store: Store) -> None:
    tea = await kept(store, "Likes tea", **LACKING)
    shared = store.memory("The office closes at six", owner=COMMONS, **LACKING)
    await apply(store, Add(shared))

    for each in (tea, shared, replace(tea, id=uuid7())):
        embedded = replace(each, embedding=vector(*NORTH), embedding_model=MODEL)
        await store.index.embed_memory(store.ben, embedded)

    assert await cosines(store) == {}
