from dataclasses import replace
from typing import Any

import pytest
from tests.contracts.indexing import by_words, near, texts
from tests.contracts.keeping import apply, kept
from tests.stores import EAST, LATER, MODEL, NOON, NORTH, SOUTH, Store, vector

from recollect.model import COMMONS, Memory, Reason, Retire, Source

NORTH_EAST = (1.0, 1.0, 0.0, 0.0)


@pytest.fixture
def store(own_store: Store) -> Store:
    """A store of the test's own: what serves everybody is in it."""
    return own_store


async def common(store: Store, *contents: str, **changed: Any) -> list[Memory]:
    """Keep memories for everybody."""
    memories = [store.memory(each, owner=COMMONS, source=Source.GLOBAL, **changed) for each in contents]
    await store.memories.keep_globals(memories, [], at=NOON)
    return memories


@pytest.mark.parametrize("log", [True, False])
async def test_who_has_few_memories_is_served_by_those_that_are_everybodys(
    store: Store, *, log: bool
) -> None:
    [tea] = await common(store, "Tea at four")
    await kept(store, "Likes rain", embedding=vector(*EAST))

    hits = await near(store, vector(*NORTH), log=log)

    assert [hit.item.content for hit in hits] == ["Tea at four", "Likes rain"]
    [served, _] = [hit.item for hit in hits]
    assert served == replace(tea, embedding=None)
    assert texts(await near(store, vector(*NORTH), store.ben.scope)) == {"Tea at four"}


async def test_who_has_five_memories_is_not(store: Store) -> None:
    await common(store, "Tea at four")
    await kept(store, "Ben's", store.ben.scope)
    for number in range(4):
        await kept(store, f"Fact {number}")
    assert "Tea at four" in texts(await near(store, vector(*NORTH)))

    fifth = await kept(store, "Fact 5")
    assert "Tea at four" not in texts(await near(store, vector(*NORTH)))

    await apply(store, Retire(fifth.id, Reason.CONTRADICTS))
    assert "Tea at four" in texts(await near(store, vector(*NORTH)))


async def test_what_is_everybodys_counts_among_the_nearest(store: Store) -> None:
    await common(store, "Tea at four", "Rain at five", embedding=vector(*NORTH_EAST))
    await kept(store, "Likes tea", embedding=vector(*NORTH))
    await kept(store, "Likes rain", embedding=vector(*SOUTH))

    assert texts(await near(store, vector(*NORTH), limit=1)) == {"Likes tea"}
    assert len(await near(store, vector(*NORTH), limit=3)) == 3
    assert texts(await near(store, vector(*EAST), limit=2)) == {"Tea at four", "Rain at five"}


async def test_what_is_everybodys_is_found_by_its_meaning_and_its_words(store: Store) -> None:
    await common(store, "Tea at four")
    await common(store, "Rain at five", embedding_model="another")
    await common(store, "Snow at six", embedding=None, embedding_model=None)

    assert texts(await by_words(store, "tea")) == {"Tea at four"}
    assert texts(await near(store, vector(*NORTH))) == {"Tea at four"}
    assert await near(store, vector(1, 0)) == []


async def test_what_is_everybodys_no_more_serves_nobody(store: Store) -> None:
    [tea] = await common(store, "Tea at four")
    await store.memories.keep_globals([], [tea.id], at=LATER)

    assert await near(store, vector(*NORTH)) == []


async def test_what_is_everybodys_is_nearest_to_nothing_that_is_formed(store: Store) -> None:
    await common(store, "Tea at four")

    assert await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9) == []


async def test_what_several_share_serves_nobody_else(store: Store) -> None:
    await kept(store, "Tea at four", owner=COMMONS)

    assert texts(await near(store, vector(*NORTH))) == {"Tea at four"}
    assert await near(store, vector(*NORTH), store.ben.scope) == []
