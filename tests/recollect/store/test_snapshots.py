"""Snapshots from Postgres: by what changed they are as read whole, and each person gets their own."""

import asyncio
import random
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.recollect.store.test_versions import MUCH, WRITES, life, restore
from tests.support.people import person
from tests.support.stores import LATER, MODEL, NORTH, Store, vector
from tests.support.terms import document_of
from uuid_utils.compat import uuid7

from recollect.errors import RecollectError
from recollect.index import Snapshot, SnapshotCache, Words
from recollect.model import COMMONS, Add
from recollect.store import Postgres
from recollect.store.snapshots import PostgresSnapshots, in_slices

UNUSED: dict[str, Any] = {"last_recalled_at": None, "recall_count": 0, "reinforcement_count": 0}


def terms_in(
    words: Words, names: NDArray[np.int64], found: NDArray[np.bool_]
) -> dict[str, list[tuple[int, int, int]]]:
    """Return in which of the documents that may be found each term stands, by their names, and how often."""
    hits = {term: words.find((term,), found) for term in words.vocabulary.numbers}
    return {
        term: sorted(zip(names[hit.row].tolist(), hit.often.tolist(), hit.own.tolist(), strict=True))
        for term, hit in hits.items()
        if len(hit.row)
    }


def held(snapshot: Snapshot) -> tuple[object, ...]:
    """Return all that a snapshot holds, whatever way it came to it."""
    passages, memories = snapshot.passages, snapshot.memories
    assert passages is not None
    columns = passages.columns
    terms = [
        terms_in(memories.words, np.arange(len(memories.items)), np.ones(len(memories.items), np.bool_)),
        terms_in(passages.words, columns.document, passages.is_current),
    ]
    near = passages.vectors.near(MODEL, vector(*NORTH)).best
    said = {
        int(columns.document[row]): (passages.items[row], round(float(np.nan_to_num(near[row], nan=-2.0)), 3))
        for row in np.flatnonzero(passages.is_current).tolist()
    }
    embeddings = [
        np.nan_to_num(memories.vectors.near(model, vector(*NORTH)).best, nan=-2.0).round(3).tolist()
        for model in (MODEL, "another")
    ]
    columns_of_statements = memories.table.use.tolist(), memories.letters.keys.tolist()
    items, judged, important, past = (
        [replace(each, **UNUSED) for each in some]  # use raises no version
        for some in (memories.items, memories.judged_items, memories.important, snapshot.past.items)
    )
    kept = items, embeddings, judged, important, past, columns_of_statements
    return snapshot.versions, kept, snapshot.profile, said, terms


@pytest.mark.parametrize("seed", range(6))
async def test_read_by_changes_it_is_as_read_whole(postgres: Postgres, store: Store, seed: int) -> None:
    chance, lives = random.Random(seed), [await life(store), await life(replace(store, anna=store.ben))]
    snapshots = PostgresSnapshots(postgres.database)
    cache = SnapshotCache(snapshots, most_bytes=MUCH)
    writes = [write for name, write, _ in WRITES if name != "serve everybody"] + [restore]
    for _ in range(40):
        of = chance.choice(lives)
        with suppress(RecollectError):  # what a write is about may be gone by now
            await chance.choice(writes)(of)
        if chance.random() < 0.2:
            anew = of.memory(f"Likes {uuid7()}", provenance=of.tea.provenance)
            await of.apply(Add(anew))
            of.tea = anew
        if chance.random() < 0.1:
            of.said = of.store.exchange(f"I like {uuid7()}")
            await of.store.log.append(of.said)
        if chance.random() < 0.5:
            user_id = of.store.anna
            whole = Snapshot.from_loaded(user_id, await snapshots.load(user_id, None, most_bytes=MUCH))
            snapshot = await cache.get(user_id)
            assert held(snapshot) == held(whole)
            memories = snapshot.memories.items
            assert {each.owner for each in memories} <= {user_id, COMMONS}
            read = Words().with_documents([document_of(each.content) for each in memories])
            every, found = np.arange(len(memories)), np.ones(len(memories), np.bool_)
            assert terms_in(snapshot.memories.words, every, found) == terms_in(read, every, found)


async def test_people_whose_cache_is_too_small_get_what_is_theirs(postgres: Postgres, store: Store) -> None:
    chance, snapshots = random.Random(1), PostgresSnapshots(postgres.database)
    people = [replace(store, anna=person("one")) for _ in range(8)]
    for each in people:
        lived = await life(each)
        await lived.apply(*(Add(lived.memory(f"{number} of {each.anna}")) for number in range(9)))
    one = Snapshot.from_loaded("one", await snapshots.load(people[0].anna, None, most_bytes=MUCH)).nbytes
    cache = SnapshotCache(snapshots, most_bytes=5 * one)

    for _ in range(20):
        asked = chance.choices(people, k=3)
        for of, found in zip(asked, await asyncio.gather(*(cache.get(of.anna) for of in asked)), strict=True):
            own = [each.content for each in found.memories.items if " of " in each.content]
            assert own == [f"{number} of {of.anna}" for number in range(9)]
            assert held(found)
        assert cache.nbytes <= 5 * one
    assert len(cache) < len(people)


async def test_an_erasure_elsewhere_is_seen_by_the_next_sweep(postgres: Postgres, store: Store) -> None:
    of, snapshots = await life(store), PostgresSnapshots(postgres.database)
    elsewhere = SnapshotCache(snapshots, most_bytes=MUCH)
    before = await elsewhere.get(store.anna)
    await store.memories.erase(store.anna, at=LATER)

    await elsewhere.refresh()
    assert not elsewhere.has(store.anna)
    await of.apply(Add(of.memory("Drinks mate")))
    after = await elsewhere.get(store.anna)
    assert [each.content for each in after.memories.items] == ["Drinks mate"]
    assert not before.serves(after.versions)


async def test_other_tasks_have_turns_while_many_rows_are_read() -> None:
    turns, rows = 0, list(range(1_000))

    async def count() -> None:
        nonlocal turns
        while rows:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert await in_slices(list, rows) == list(range(1_000))
    await counting
    assert turns >= 19
