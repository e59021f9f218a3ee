from dataclasses import replace

import numpy as np
import pytest
from tests.recollect.store.keeping import apply, contents, kept
from tests.servers.databases import administrator
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, SOUTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.errors import MemoryNotFoundError, StoreError
from recollect.model import Action, Actor, Add, Ignore, Kind, Provenance, Reason, Reinforce, Replace, Retire

# -- reading ---------------------------------------------------------------------------------------


async def test_a_memory_comes_back_as_it_was_kept(store: Store) -> None:
    new = store.memory(
        "Likes tea 🍵",
        kind=Kind.PREFERENCE,
        importance=0.75,
        confidence=0.25,
        event_at=LATER,
        provenance=Provenance("chat-1", (uuid7(), uuid7()), "I like tea"),
    )
    await apply(store, Add(new))

    assert await store.memories.get(store.anna, new.id) == new


async def test_the_nearest_come_first_with_their_cosine(store: Store) -> None:
    for content, numbers in (
        ("far", SOUTH),
        ("near", NORTH),
        ("between", EAST),
        ("nearer", (3.0, 1.0, 0, 0)),
    ):
        await kept(store, content, embedding=vector(*numbers))

    found = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=3)

    assert [each.memory.content for each in found] == ["near", "nearer", "between"]
    assert [each.score for each in found] == pytest.approx([1, 0.9487, 0], abs=1e-3)


async def test_nearest_compares_only_vectors_of_the_same_model_and_length(store: Store) -> None:
    await kept(store, "another model", embedding_model="other/4")
    await kept(store, "another length", embedding=vector(1.0, 0.0))
    await kept(store, "no embedding", embedding=None, embedding_model=None)
    await kept(store, "the same")

    found = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=10)

    assert [each.memory.content for each in found] == ["the same"]


async def test_pages_follow_each_other_newest_first(store: Store) -> None:
    for number in range(5):
        await kept(store, f"number {number}")

    first = await store.memories.page(store.anna, limit=2)
    second = await store.memories.page(store.anna, limit=2, after=first.next)
    third = await store.memories.page(store.anna, limit=2, after=second.next)

    pages = [[each.content for each in page.memories] for page in (first, second, third)]
    assert pages == [["number 4", "number 3"], ["number 2", "number 1"], ["number 0"]]
    assert third.next is None


async def test_a_page_that_ends_the_list_has_no_next(store: Store) -> None:
    await kept(store, "one")
    await kept(store, "two")

    page = await store.memories.page(store.anna, limit=2)

    assert page.next is None


async def test_touched_memories_count_and_remember_the_last_time(store: Store) -> None:
    tea, rain = await kept(store, "tea"), await kept(store, "rain")

    await store.memories.touch(store.anna, [tea.id, tea.id], at=LATER)
    await store.memories.touch(store.anna, [tea.id], at=NOON)

    touched = await store.memories.get(store.anna, tea.id)
    assert (touched.recall_count, touched.last_recalled_at) == (2, LATER)
    assert (await store.memories.get(store.anna, rain.id)).recall_count == 0


# -- changing --------------------------------------------------------------------------------------


async def test_adding_is_audited(store: Store) -> None:
    new = await kept(store, "Likes tea")

    [update] = await store.memories.history(store.anna, limit=10)

    assert (update.action, update.actor, update.reason, update.at) == (
        Action.ADD,
        Actor.FORMATION,
        Reason.NEW,
        NOON,
    )
    assert (update.memory_id, update.replaced_id, update.before, update.after) == (
        new.id,
        None,
        None,
        "Likes tea",
    )


async def test_equal_content_is_ignored_and_leaves_no_trace(store: Store) -> None:
    first = await kept(store, "Likes tea")

    done = await apply(store, Add(store.memory("  likes TEA. ")))

    assert done == [Ignore(Reason.EQUAL_CONTENT, target=first.id)]
    assert await contents(store) == ["Likes tea"]
    assert len(await store.memories.history(store.anna, limit=10)) == 1


async def test_a_replacement_takes_the_place_of_the_old_memory(store: Store) -> None:
    old = await kept(store, "Lives in Rome")
    new = store.memory("Lives in Oslo", observed_at=LATER)

    done = await apply(store, Replace(old.id, new, Reason.CONTRADICTS))

    assert done == [Replace(old.id, new, Reason.CONTRADICTS)]
    assert await contents(store) == ["Lives in Oslo"]
    [update, _] = await store.memories.history(store.anna, limit=10)
    assert (update.action, update.memory_id, update.replaced_id) == (Action.REPLACE, new.id, old.id)
    assert (update.before, update.after) == ("Lives in Rome", "Lives in Oslo")
    with pytest.raises(MemoryNotFoundError):
        await store.memories.get(store.anna, old.id)


async def test_a_replacement_may_say_the_same_in_other_letters(store: Store) -> None:
    old = await kept(store, "lives in rome")

    await apply(store, Replace(old.id, store.memory("Lives in Rome."), Reason.REFINES))

    assert await contents(store) == ["Lives in Rome."]


async def test_replacing_what_is_gone_adds(store: Store) -> None:
    new = store.memory("Lives in Oslo")

    done = await apply(store, Replace(uuid7(), new, Reason.CONTRADICTS))

    assert done == [Add(new, Reason.CONTRADICTS)]
    assert await contents(store) == ["Lives in Oslo"]


async def test_replacing_what_is_gone_by_what_is_there_is_ignored(store: Store) -> None:
    there = await kept(store, "Lives in Oslo")

    done = await apply(store, Replace(uuid7(), store.memory("Lives in Oslo"), Reason.CONTRADICTS))

    assert done == [Ignore(Reason.EQUAL_CONTENT, target=there.id)]


async def test_replacing_by_what_is_there_retires_the_old_memory(store: Store) -> None:
    old, there = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")

    done = await apply(store, Replace(old.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))

    assert done == [Retire(old.id, Reason.CONTRADICTS)]
    assert [each.id for each in (await store.memories.page(store.anna, limit=9)).memories] == [there.id]


async def test_reinforcement_counts_and_raises_importance_up_to_one(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.92)

    done = await apply(store, Reinforce(tea.id), Reinforce(tea.id))

    assert done == [Reinforce(tea.id), Reinforce(tea.id)]
    reinforced = await store.memories.get(store.anna, tea.id)
    assert (reinforced.importance, reinforced.reinforcement_count) == (1.0, 2)
    [update, *_] = await store.memories.history(store.anna, limit=10)
    assert (update.action, update.before, update.after) == (Action.REINFORCE, "Likes tea", "Likes tea")


async def test_a_retired_memory_is_gone_but_audited(store: Store) -> None:
    tea = await kept(store, "Likes tea")

    assert await apply(store, Retire(tea.id, Reason.DELETED)) == [Retire(tea.id, Reason.DELETED)]

    assert await contents(store) == []
    assert await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9) == []
    [update, _] = await store.memories.history(store.anna, tea.id, limit=10)
    assert (update.action, update.before, update.after) == (Action.RETIRE, "Likes tea", None)


async def test_what_was_retired_may_be_added_again(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Retire(tea.id, Reason.DELETED))

    await kept(store, "Likes tea")

    assert await contents(store) == ["Likes tea"]


@pytest.mark.parametrize("change", [Reinforce, lambda target: Retire(target, Reason.DELETED)])
async def test_changing_what_is_gone_is_ignored(store: Store, change: type[Reinforce]) -> None:
    gone = uuid7()

    assert await apply(store, change(gone)) == [Ignore(Reason.DELETED, target=gone)]

    assert await store.memories.history(store.anna, limit=10) == []


async def test_an_ignore_changes_nothing(store: Store) -> None:
    assert await apply(store, Ignore(Reason.EMPTY)) == [Ignore(Reason.EMPTY)]

    assert await store.memories.history(store.anna, limit=10) == []


async def test_an_id_is_used_once(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Retire(tea.id, Reason.DELETED))

    with pytest.raises(StoreError):
        await apply(store, Add(replace(tea, content="Likes rain")))

    assert await contents(store) == []


async def test_changes_are_applied_all_or_none(store: Store) -> None:
    with pytest.raises(StoreError):
        await apply(store, Add(store.memory("mine")), Add(store.memory("not mine", store.ben.scope)))

    assert await contents(store) == []
    assert await store.memories.history(store.anna, limit=10) == []


async def test_a_memory_has_its_history_also_as_the_replaced_one(store: Store) -> None:
    old = await kept(store, "Lives in Rome")
    await kept(store, "Likes tea")
    await apply(store, Replace(old.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))

    updates = await store.memories.history(store.anna, old.id, limit=10)

    assert [each.action for each in updates] == [Action.REPLACE, Action.ADD]
    assert len(await store.memories.history(store.anna, limit=1)) == 1


ROWS = 5


@pytest.mark.parametrize(("dimensions", "where"), [(3584, "in the row"), (4096, "apart")])
async def test_rows_stay_in_their_page_where_they_fit_and_are_never_refused(
    own_store: Store, own_dsn: str, dimensions: int, where: str
) -> None:
    numbers = np.random.default_rng(7)
    model = "openai/a-model-with-quite-a-long-name-3-large"
    kept = []
    for row in range(ROWS):
        embedding = vector(*numbers.normal(size=dimensions))
        content = f"Statement {row} about tea, which is said at some length so that it has a size"
        new = own_store.memory(content, embedding=embedding, embedding_model=model)
        await own_store.memories.apply(own_store.anna.scope, [Add(new)], actor=Actor.FORMATION, at=NOON)
        kept.append(embedding)

    async with administrator(own_dsn) as connection:
        toast = await connection.fetchval(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'recollect.vectors'::regclass"
        )
        stored_apart = await connection.fetchval(f"SELECT count(DISTINCT chunk_id) FROM {toast}")
    assert ("apart" if stored_apart else "in the row") == where
    for row, embedding in enumerate(kept):
        [found] = await own_store.memories.nearest(own_store.anna.scope, embedding, model, limit=1)
        assert found.memory.content.startswith(f"Statement {row} ")
        assert found.score == pytest.approx(1, abs=1e-3)
