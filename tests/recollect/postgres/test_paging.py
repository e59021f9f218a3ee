"""Words in pages are found as those that wait; what is taken away leaves no word; each step is whole and small."""

import asyncio
import random
from collections import Counter
from unittest import mock

import pytest
from tests.databases import administrator
from tests.people import person
from tests.recollect.postgres.found import indexed
from tests.recollect.postgres.indexes import Index, drawn, texts
from tests.stores import LATER, NOON, Store

from recollect.errors import StoreError
from recollect.model import Actor, Add, Reason, Retire
from recollect.postgres import Postgres, paging
from recollect.postgres.paging import (
    LEAST_WAITING,
    MOST_WAITING,
    NEW,
    OLD,
    merge_new,
    merge_waiting,
    tidy_index,
)
from recollect.postgres.pool import Connection
from recollect.postgres.posting_pages import Page
from recollect.postgres.sql import SQL

READING = 1


@pytest.fixture
def index(postgres: Postgres) -> Index:
    return Index(postgres, person("anna"))


async def tidy(index: Index) -> bool:
    return await tidy_index(index.postgres.database, index.user_id, reading=READING)


@pytest.mark.parametrize("seed", range(6))
async def test_pages_and_what_waits_say_together_what_a_dictionary_says(index: Index, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        await index.add(texts(chance, chance.choice([1, 1, 5, 60])))
        numbers = chance.sample(sorted(index.documents), 1 + len(index.documents) // 8)
        step = chance.randrange(6)
        if step == 0:
            await index.follow(numbers[0], drawn(chance, 8))
        elif step == 1:
            never_followed = [
                each for each in numbers if index.held[each].keys() <= {*index.documents[each].terms}
            ]
            for number in never_followed[:2]:
                await index.remove(number)
        elif step == 2:
            await index.purge(numbers)
        elif step == 3:
            await index.purge(numbers, later=True)
        elif step == 4:
            await index.merge(new=chance.random() < 0.5)
        else:
            await tidy(index)
        await index.check()
    assert (await index.rows())["posting_pages"] > 0
    await index.merge(new=True)
    await index.check()
    rows = await index.rows()
    assert rows["waiting_documents"] == 0


async def test_a_term_that_waits_and_is_in_pages_for_one_document_counts_as_often_as_both_say(
    index: Index,
) -> None:
    await index.add([(Counter(tea=2), Counter()), (Counter(tea=1), Counter())])
    await index.merge()
    await index.follow(0, Counter(tea=3))

    await index.check(["tea"])
    await index.merge()
    await index.check(["tea"])
    assert index.held[0]["tea"] == (5, 2)


async def test_what_is_in_pages_is_looked_up_as_it_was_before(postgres: Postgres, store: Store) -> None:
    await store.log.append(store.exchange("I breed quokkas", store.anna.scope))
    await indexed(store.index, store.anna)
    before = await store.memories.lexicon(store.anna, ["breed", "quokka"])
    assert len(before.occurrences) == 2
    await Index(postgres, store.anna).merge()

    after = await store.memories.lexicon(store.anna, ["breed", "quokka"])

    assert (after.documents, after.mean_length) == (before.documents, before.mean_length)
    for term, found in before.occurrences.items():
        assert [each.tolist() for each in found] == [each.tolist() for each in after.occurrences[term]]


async def test_a_mistyped_word_is_corrected_by_words_in_pages_and_by_those_that_wait(
    store: Store, index: Index
) -> None:
    await index.add([(Counter(quokka=1, quark=1, quicksilver=1, qb=1, other=1), Counter())])
    await index.merge()
    await index.add([(Counter(quokkas=1, quokka=1, uqokka=1, zebra=1), Counter())])

    found = await store.memories.vocabulary(index.user_id, ("qu", "uq", "q"), lengths=range(5, 8))

    assert sorted(found) == ["quark", "quokka", "quokkas", "uqokka"]


async def test_of_too_many_words_those_that_begin_and_are_as_long_as_the_mistyped_one_come_first(
    store: Store, index: Index
) -> None:
    await index.add([(Counter(["quokk", "quokkas", "qaaaa", "quaaaaaa"]), Counter())])
    await index.merge()

    with mock.patch("recollect.postgres.memories._MOST_TERMS", 2):
        found = await store.memories.vocabulary(index.user_id, ("q", "qu"), lengths=range(4, 9))

    assert found == ["quokk", "quokkas"]


# -- what is taken away ----------------------------------------------------------------------------------


async def test_an_erased_document_leaves_none_of_its_words_in_any_page(index: Index) -> None:
    chance = random.Random(1)
    await index.add(texts(chance, 200))
    await index.add([(Counter(quokka=1, w1=2, w7=1), Counter(wallaby=1))])
    await index.add(texts(chance, 200))
    await index.merge()
    assert await index.holds("quokka") == await index.holds("wallaby") == ["posting_pages"]

    await index.purge([200])

    assert await index.holds("quokka") == await index.holds("wallaby") == []
    assert (await index.rows())["posting_removals"] == 0
    await index.check([*sorted({word for held in index.held.values() for word in held}), "quokka"])


async def test_a_memory_that_is_retired_leaves_none_of_its_words_in_any_page(
    postgres: Postgres, store: Store
) -> None:
    memory, other = store.memory("Breeds quokkas"), store.memory("Breeds llamas")
    await store.memories.apply(store.anna.scope, [Add(memory), Add(other)], actor=Actor.USER, at=NOON)
    index = Index(postgres, store.anna)
    await index.merge()
    assert await index.holds("quokka") == ["posting_pages"]

    retired = Retire(memory.id, Reason.FORGOTTEN)
    await store.memories.apply(store.anna.scope, [retired], actor=Actor.USER, at=LATER)

    assert await index.holds("quokka") == []
    lexicon = await store.memories.lexicon(store.anna, ["breed", "llama", "quokka"])
    assert {term: found.documents.tolist() for term, found in lexicon.occurrences.items()} == {
        "breed": [1],
        "llama": [1],
    }


async def test_an_erased_first_word_of_a_page_is_gone_from_its_key(index: Index) -> None:
    await index.add([(Counter(aardvark=1), Counter()), (Counter(bear=1), Counter())])
    await index.merge()

    await index.purge([0])

    assert await index.holds("aardvark") == []
    await index.check(["aardvark", "bear"])


async def test_what_is_read_anew_is_found_no_more_at_once_and_goes_from_the_pages_with_the_next_tidying(
    index: Index,
) -> None:
    await index.add(texts(random.Random(2), LEAST_WAITING + 4))
    await tidy(index)
    await index.purge([2, 3], later=True)

    await index.check()
    assert (await index.rows())["posting_removals"] == 2
    async with index.postgres.database.changing(index.user_id) as connection:
        await connection.execute("UPDATE corpora SET reading = $2 WHERE user_id = $1", index.user_id, READING)
    await tidy(index)

    assert (await index.rows())["posting_removals"] == 0
    await index.check()
    async with index.postgres.database.changing(index.user_id) as connection:
        assert await paging.paged(connection, index.user_id, [1, 2, 3, 4]) == [1, 4]


async def test_where_more_is_to_go_than_goes_at_once_more_is_left(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "_REMOVED_AT_ONCE", 2)
    await index.add(texts(random.Random(2), LEAST_WAITING + 4))
    await tidy(index)
    await index.purge([2, 3, 4], later=True)
    async with index.postgres.database.changing(index.user_id) as connection:
        await connection.execute("UPDATE corpora SET reading = $2 WHERE user_id = $1", index.user_id, READING)

    assert await tidy(index)
    assert (await index.rows())["posting_removals"] == 1
    assert not await tidy(index)
    assert (await index.rows())["posting_removals"] == 0


# -- how it is done --------------------------------------------------------------------------------------


async def levels(index: Index) -> dict[int, int]:
    """Count the pages of each level."""
    async with index.postgres.database.for_user(index.user_id) as connection:
        rows = await connection.fetch(
            "SELECT level, count(*) AS pages FROM posting_pages WHERE user_id = $1 GROUP BY level",
            index.user_id,
        )
    return {row["level"]: row["pages"] for row in rows}


async def test_few_documents_wait_until_they_are_enough_and_then_all_are_merged(index: Index) -> None:
    chance = random.Random(3)
    await index.add(texts(chance, LEAST_WAITING - 1))
    assert not await tidy(index)
    assert (await index.rows())["posting_pages"] == 0
    await index.add(texts(chance, 1))
    assert not await tidy(index)
    rows = await index.rows()
    assert (rows["waiting_documents"], rows["document_lengths"]) == (0, 1)
    assert set(await levels(index)) == {NEW}

    await index.add(texts(chance, 200))
    await tidy(index)
    await index.add(texts(chance, 20))
    await tidy(index)
    assert (await index.rows())["waiting_documents"] == 20, "where more is in pages more waits"
    await index.add(texts(chance, 15))
    assert not await tidy_index(index.postgres.database, index.user_id, reading=READING, busy=True)
    assert (await index.rows())["waiting_documents"] == 35, "and more yet while many come"
    await tidy(index)

    assert (await index.rows())["waiting_documents"] == 0
    await index.check()


async def test_of_very_many_words_level_0_is_brought_down_before_more_is_merged_into_it(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "_MOST_NEW_PAGES", 0)
    chance = random.Random(5)
    for _ in range(4):
        await index.add(texts(chance, LEAST_WAITING + 20))
        await index.merge()
        await index.check()

    assert set(await levels(index)) == {NEW, OLD}


async def test_pages_of_many_documents_are_merged_into_those_that_are_rewritten_seldom(
    index: Index,
) -> None:
    chance = random.Random(12)
    await index.add(texts(chance, 600))
    await tidy(index)
    assert set(await levels(index)) == {OLD}
    await index.check()

    await index.add(texts(chance, 100))
    await tidy(index)

    assert set(await levels(index)) == {NEW, OLD}
    await index.check()


async def test_a_step_takes_some_rows_and_pages_alone_and_every_step_leaves_the_index_whole(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.add(texts(random.Random(4), 600))
    await index.merge(new=True)
    await index.add(texts(random.Random(6), 300))
    monkeypatch.setattr(paging, "_DOCUMENTS", 50)
    monkeypatch.setattr(paging, "_PAGES", 2)
    monkeypatch.setattr(paging, "_NEW_PAGES", 2)
    written: list[int] = []
    replace = paging._replace

    async def counted(
        connection: Connection, user_id: str, level: int, before: list[Page], after: list[Page]
    ) -> None:
        written.append(len(after))
        await replace(connection, user_id, level, before, after)

    monkeypatch.setattr(paging, "_replace", counted)
    for step, least in ((merge_waiting, 4), (merge_new, 3)):
        steps, more = 0, True
        while more:
            async with index.postgres.database.changing(index.user_id) as connection:
                more = await step(connection, index.user_id)
            steps += 1
            await index.check()
        assert steps > least, step
        if step is not merge_waiting:
            assert max(written) < 12, step
        written.clear()

    rows = await index.rows()
    assert rows["waiting_documents"] == 0
    assert set(await levels(index)) == {OLD}


async def test_a_run_ends_after_some_steps_and_the_next_one_goes_on(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.add(texts(random.Random(6), 200))
    monkeypatch.setattr(paging, "_DOCUMENTS", 30)
    monkeypatch.setattr(paging, "_STEPS", 2)

    runs = 1
    while await tidy(index):
        runs += 1
        await index.check()

    assert runs > 2
    await index.check()


@pytest.mark.parametrize(
    ("step", "fails"),
    [
        (merge_waiting, "write_pages"),
        (merge_waiting, "delete_waiting"),
        (merge_waiting, "write_lengths"),
        (merge_new, "delete_pages"),
    ],
)
async def test_a_step_that_ends_in_its_middle_leaves_the_index_as_it_was(
    index: Index, monkeypatch: pytest.MonkeyPatch, step: paging.Step, fails: str
) -> None:
    await index.add(texts(random.Random(7), 50))
    await index.merge()
    await index.add(texts(random.Random(7), 50))
    before = await index.rows()
    monkeypatch.setitem(SQL, fails, "SELECT 1 / 0")

    with pytest.raises(StoreError):
        async with index.postgres.database.changing(index.user_id) as connection:
            await step(connection, index.user_id)

    assert await index.rows() == before
    await index.check()
    monkeypatch.undo()
    await index.merge(new=True)
    await index.check()


async def test_those_who_index_merge_and_erase_at_a_time_follow_each_other(index: Index) -> None:
    chance = random.Random(8)
    await index.add(texts(chance, 300))

    await asyncio.gather(
        *(index.add(texts(chance, 20)) for _ in range(4)),
        *(index.merge(new=True) for _ in range(3)),
        index.purge(range(40, 90)),
        index.purge(range(10), later=True),
    )

    await index.check()
    await index.merge(new=True)
    await index.check()


async def test_a_long_list_and_what_stands_before_it_are_taken_away_whole(index: Index) -> None:
    for first in range(0, 6_000, 1_500):
        numbers = range(first, first + 1_500)
        await index.add([(Counter(often=1 + number % 9, never=1), Counter()) for number in numbers])
        await index.merge(new=first % 1_000 == 0)
    await index.check(["often", "never", "oft", "oftener", "p"])

    await index.purge(range(0, 6_000, 2))

    await index.check(["often", "never"])


async def test_who_is_given_many_memories_and_says_nothing_has_a_job_that_merges_their_words(
    own_store: Store, own_dsn: str
) -> None:
    scope = own_store.anna.scope
    for number in range(MOST_WAITING):
        async with administrator(own_dsn) as connection:
            assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer") == 0, number
        memory = own_store.memory(f"Feeds wombat number{number}")
        await own_store.memories.apply(scope, [Add(memory)], actor=Actor.USER, at=NOON)

    async with administrator(own_dsn) as connection:
        assert await connection.fetchval("SELECT count(*) FROM recollect.pgqueuer") == 1
