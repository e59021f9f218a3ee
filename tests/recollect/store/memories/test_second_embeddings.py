"""Statements have a second embedding; it is found, copied, written over and erased with them."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.store.indexing import Hit, near, near_by_second
from tests.recollect.store.keeping import apply, edit, kept, last_update
from tests.support.stores import EAST, LATER, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.model import (
    COMMONS,
    STATEMENTS,
    Actor,
    Add,
    Kind,
    Memory,
    Reason,
    Replace,
    Retire,
    Source,
    Vector,
)

SECOND = "second"
ONCE: dict[str, Any] = {"second_embedding": vector(*NORTH), "second_model": SECOND}
"""The fields of a memory in the north of the second space."""


async def second_near(store: Store, to: Vector, user_id: str | None = None) -> list[Hit]:
    """Return the nearest memories in the second space, best first."""
    return await near_by_second(store, to, SECOND, user_id)


async def waiting(
    store: Store, user_id: str | None = None, model: str = SECOND, *, limit: int = 9
) -> list[str]:
    found = await store.index.unembedded_statements(user_id or store.anna, model, limit=limit)
    return [each.content for each in found]


def contents(hits: list[Hit]) -> list[str]:
    return [hit.item.content for hit in hits]


# -- finding ---------------------------------------------------------------------------------------


async def test_a_statement_that_is_near_by_the_second_alone_is_found(store: Store) -> None:
    await kept(store, "Trinkt Tee", embedding=None, embedding_model=None, **ONCE)
    await kept(store, "Likes rain", second_embedding=vector(*EAST), second_model=SECOND)
    await kept(store, "Likes snow")

    hits = await second_near(store, vector(*NORTH))

    assert contents(hits) == ["Trinkt Tee", "Likes rain"]
    assert [hit.cosine for hit in hits] == pytest.approx([1, 0], abs=1e-3)


async def test_what_was_retired_or_is_anothers_is_not_near(store: Store) -> None:
    tea = await kept(store, "Likes tea", **ONCE)
    await kept(store, "Ben's", store.ben.scope, **ONCE)
    await apply(store, Retire(tea.id, Reason.CONTRADICTS))

    assert await second_near(store, vector(*NORTH)) == []
    assert contents(await second_near(store, vector(*NORTH), store.ben)) == ["Ben's"]


async def test_what_serves_everybody_is_near_by_the_second(own_store: Store) -> None:
    common = own_store.memory("Tea at four", owner=COMMONS, source=Source.GLOBAL, **ONCE)
    await own_store.memories.keep_globals([common], [], at=NOON)

    [hit] = await second_near(own_store, vector(*NORTH))

    assert hit.item.content == "Tea at four"
    assert hit.cosine == pytest.approx(1, abs=1e-3)
    assert [each.second_model for each in await own_store.memories.globals()] == [SECOND]


# -- changing --------------------------------------------------------------------------------------


async def test_what_is_shared_is_near_to_those_who_are_given_it(store: Store) -> None:
    tea = await kept(store, "Tea at four", **ONCE)
    shared = await store.memories.share(store.anna, tea.id, at=NOON, actor=Actor.USER)
    await apply(store, Add(shared), scope=store.ben.scope)

    for user_id in (store.anna, store.ben):
        assert contents(await second_near(store, vector(*NORTH), user_id)) == ["Tea at four"]


async def test_an_edit_leaves_nothing_of_the_old_embedding(store: Store) -> None:
    tea = await kept(store, "Likes tea", **ONCE)

    await edit(store, tea.id, importance=0.9)
    assert contents(await second_near(store, vector(*NORTH))) == ["Likes tea"]

    await edit(store, tea.id, content="Likes rain")
    assert await second_near(store, vector(*NORTH)) == []
    assert await waiting(store) == ["Likes rain"]

    await edit(store, tea.id, content="Likes snow", second_embedding=vector(*EAST), second_model=SECOND)
    [hit] = await second_near(store, vector(*EAST))
    assert hit.item.content == "Likes snow"
    assert hit.cosine == pytest.approx(1, abs=1e-3)


async def test_an_edit_that_is_undone_leaves_nothing_of_its_embedding(store: Store) -> None:
    tea = await kept(store, "Likes tea", **ONCE)
    await edit(store, tea.id, content="Likes rain", second_embedding=vector(*EAST), second_model=SECOND)

    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=LATER)

    assert await second_near(store, vector(*EAST)) == []
    assert await waiting(store) == ["Likes tea"]


async def test_what_is_put_in_anothers_place_has_its_own_and_gives_it_back(store: Store) -> None:
    tea = await kept(store, "Likes tea", **ONCE)
    rain = store.memory("Likes rain", second_embedding=vector(*EAST), second_model=SECOND)
    await apply(store, Replace(tea.id, rain, Reason.CONTRADICTS))
    assert contents(await second_near(store, vector(*EAST))) == ["Likes rain"]

    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=LATER)

    [hit] = await second_near(store, vector(*NORTH))
    assert hit.item.content == "Likes tea"
    assert hit.cosine == pytest.approx(1, abs=1e-3)


async def test_who_is_erased_leaves_no_second_embedding(own_store: Store) -> None:
    await kept(own_store, "Likes tea", **ONCE)

    await own_store.memories.erase(own_store.anna, at=LATER)

    assert await second_near(own_store, vector(*NORTH)) == []
    assert await waiting(own_store, model="another") == []


# -- embedding later -------------------------------------------------------------------------------


async def test_statements_alone_wait_for_one_the_newest_first(store: Store) -> None:
    for kind in Kind:
        await kept(store, f"A {kind}", kind=kind)
    newest: Memory = await kept(store, "Likes tea")
    await kept(store, "Likes rain", **ONCE)

    assert (await waiting(store, limit=99))[0] == "Likes tea"
    assert {*await waiting(store, limit=99)} == {"Likes tea", *(f"A {kind}" for kind in STATEMENTS)}
    assert await waiting(store, limit=1) == ["Likes tea"]
    assert (await waiting(store, model="another", limit=99))[:2] == ["Likes rain", "Likes tea"]
    assert (await store.index.unembedded_statements(store.anna, SECOND, limit=1)) == [newest]


async def test_a_statement_is_near_once_it_is_embedded(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    old = await kept(store, "Likes rain", second_embedding=vector(*EAST), second_model="another")

    for each in (tea, old):
        await store.index.embed_statement(store.anna, replace(each, **ONCE))

    assert sorted(contents(await second_near(store, vector(*NORTH)))) == ["Likes rain", "Likes tea"]
    assert await waiting(store) == []
    assert [hit.cosine for hit in await near(store, vector(*NORTH))] == pytest.approx([1, 1], abs=1e-3)


async def test_what_was_shared_before_is_embedded_by_whoever_sees_it(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    await apply(store, Add(shared))
    await apply(store, Add(shared), scope=store.ben.scope)
    assert await waiting(store) == await waiting(store, store.ben) == ["The office closes at six"]

    await store.index.embed_statement(store.ben, replace(shared, **ONCE))

    for user_id in (store.anna, store.ben):
        assert contents(await second_near(store, vector(*NORTH), user_id)) == ["The office closes at six"]
        assert await waiting(store, user_id) == []


async def test_nobody_embeds_what_they_do_not_see(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    shared = store.memory("The office closes at six", owner=COMMONS)
    await apply(store, Add(shared))

    for each in (tea, shared, replace(tea, id=uuid7())):
        await store.index.embed_statement(store.ben, replace(each, **ONCE))

    assert await second_near(store, vector(*NORTH)) == []
    assert await waiting(store, store.ben) == []
