"""Memories and their changes: kept, read, marked, hidden, and written in the audit."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.recollect.store.indexing import indexed, near, said, texts
from tests.recollect.store.keeping import (
    apply,
    contents,
    edit,
    formed,
    history,
    kept,
    last_update,
    resting_on,
    undo,
)
from tests.servers.databases import administrator
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, SOUTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit_rows import replay
from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Change,
    Doubt,
    Hide,
    Ignore,
    Kind,
    Mark,
    Memory,
    Outline,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
)

# -- reading ---------------------------------------------------------------------------------------


async def test_the_nearest_come_first_with_their_cosine(store: Store) -> None:
    places = {"far": SOUTH, "near": NORTH, "between": EAST, "nearer": (3.0, 1.0, 0, 0)}
    for content, numbers in places.items():
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
    assert (await store.memories.page(store.anna, limit=5)).next is None


async def test_touched_memories_count_and_remember_the_last_time(store: Store) -> None:
    tea, rain = await kept(store, "tea"), await kept(store, "rain")

    await store.memories.touch(store.anna, [tea.id, tea.id], at=LATER)
    await store.memories.touch(store.anna, [tea.id], at=NOON)

    touched = await store.memories.get(store.anna, tea.id)
    assert (touched.recall_count, touched.last_recalled_at) == (2, LATER)
    assert (await store.memories.get(store.anna, rain.id)).recall_count == 0


# -- changing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "old", "new", "done", "left"),
    [
        (["lives in rome"], "lives in rome", "Lives in Rome.", Replace, ["Lives in Rome."]),
        ([], None, "Lives in Oslo", Add, ["Lives in Oslo"]),
        (["Lives in Oslo"], None, "Lives in Oslo", Ignore, ["Lives in Oslo"]),
        (["Lives in Rome", "Lives in Oslo"], "Lives in Rome", "Lives in Oslo", Retire, ["Lives in Oslo"]),
    ],
    ids=["the same in other letters", "what is gone", "what is gone by what is there", "by what is there"],
)
async def test_what_is_replaced(
    store: Store, there: list[str], old: str | None, new: str, done: type[Change], left: list[str]
) -> None:
    ids = {content: (await kept(store, content)).id for content in there}
    given, replaced = store.memory(new), uuid7() if old is None else ids[old]
    change = Replace(replaced, given, Reason.CONTRADICTS)
    expected = {
        Replace: change,
        Add: Add(given, Reason.CONTRADICTS),
        Ignore: Ignore(Reason.EQUAL_CONTENT, target=ids.get(new)),
        Retire: Retire(replaced, Reason.CONTRADICTS),
    }

    assert await apply(store, change) == [expected[done]]
    assert await contents(store) == left


async def test_reinforcement_counts_and_raises_importance_up_to_one(store: Store) -> None:
    tea = await kept(store, "Likes tea", importance=0.92)

    done = await apply(store, Reinforce(tea.id), Reinforce(tea.id))

    assert done == [Reinforce(tea.id), Reinforce(tea.id)]
    reinforced = await store.memories.get(store.anna, tea.id)
    assert (reinforced.importance, reinforced.reinforcement_count) == (1.0, 2)
    [update, *_] = await store.memories.history(store.anna, limit=10)
    assert (update.action, update.before, update.after) == (Action.REINFORCE, "Likes tea", "Likes tea")


@pytest.mark.parametrize(
    "change",
    [
        Reinforce,
        lambda target: Retire(target, Reason.DELETED),
        lambda target: Mark(target, Doubt.DISPUTED, Reason.DISPUTED),
        lambda target: Ignore(Reason.DELETED, target=target),
    ],
)
async def test_changing_what_is_gone_is_ignored(store: Store, change: type[Reinforce]) -> None:
    gone = uuid7()

    assert await apply(store, change(gone)) == [Ignore(Reason.DELETED, target=gone)]

    assert await store.memories.history(store.anna, limit=10) == []


async def test_an_id_is_used_once(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Retire(tea.id, Reason.DELETED))

    with pytest.raises(StoreError):
        await apply(store, Add(replace(tea, content="Likes rain")))

    assert await contents(store) == []


async def test_a_memory_has_its_history_also_as_the_replaced_one(store: Store) -> None:
    old = await kept(store, "Lives in Rome")
    await kept(store, "Likes tea")
    await apply(store, Replace(old.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))

    updates = await store.memories.history(store.anna, old.id, limit=10)

    assert [each.action for each in updates] == [Action.REPLACE, Action.ADD]
    assert len(await store.memories.history(store.anna, limit=1)) == 1


ROWS = 5


@pytest.mark.parametrize(("dimensions", "where"), [(3584, "in the row"), (4096, "apart")])
async def test_rows_fit_their_page(own_store: Store, own_dsn: str, dimensions: int, where: str) -> None:
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


# -- fields of a memory ----------------------------------------------------------------------------


async def test_a_memory_comes_back_as_it_was_kept(store: Store) -> None:
    outline = Outline(("Has a dog",), ("Tea 🍵",), (), ("Call the vet", "Buy food 🐶"), ("Bello",))
    words = Provenance("chat-1", (uuid7(), uuid7()), "I have a dog", "small-model/3")
    summary: dict[str, Any] = {"kind": Kind.SUMMARY, "source": Source.SUMMARY, "outline": outline}
    values: dict[str, Any] = {"importance": 0.75, "confidence": 0.25, "doubt": Doubt.SUSPECT}
    times: dict[str, Any] = {"event_at": LATER, "holds_from": NOON, "holds_until": LATER}
    new = store.memory("We spoke of the dog 🐶", provenance=words, **summary, **values, **times)
    await apply(store, Add(new))

    assert await store.memories.get(store.anna, new.id) == new
    [near_it] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert near_it.memory == new
    assert (await store.memories.page(store.anna, limit=9)).memories == (new,)
    [found] = await near(store, vector(*NORTH))
    assert found.item == new


async def test_what_is_to_be_done_is_found_the_newest_first(store: Store) -> None:
    await kept(store, "Likes tea")
    call = await kept(store, "Call the vet", kind=Kind.TODO)
    await kept(store, "Spoke of nothing", kind=Kind.SUMMARY, outline=Outline(facts=("Nothing",)))
    spoke = await kept(store, "Spoke of food", kind=Kind.SUMMARY, outline=Outline(todos=("Buy food",)))
    await kept(store, "No outline", kind=Kind.SUMMARY)
    done = await kept(store, "Pay the rent", kind=Kind.TODO)
    await apply(store, Retire(done.id, Reason.DELETED))
    shared = await kept(store, "Water the plants", kind=Kind.TODO, owner=COMMONS)

    found = await store.memories.todos(store.anna, limit=9)

    assert [each.id for each in found] == [shared.id, spoke.id, call.id]
    assert [each.id for each in await store.memories.todos(store.anna, limit=1)] == [shared.id]
    assert await store.memories.todos(store.ben, limit=9) == []


# -- marks -----------------------------------------------------------------------------------------


async def test_a_mark_stays_until_the_user_says_it_again(store: Store) -> None:
    tea, coffee = await kept(store, "Likes tea"), await kept(store, "Likes coffee")
    mark = Mark(tea.id, Doubt.DISPUTED, Reason.DISPUTED, cause=coffee.id)

    assert await apply(store, mark) == [mark]

    assert (await store.memories.get(store.anna, tea.id)).doubt is Doubt.DISPUTED
    update = await last_update(store)
    assert (update.action, update.reason, update.memory_id) == (Action.MARK, Reason.DISPUTED, tea.id)
    assert (update.before, update.after) == ("Likes tea", "Likes tea")
    assert update.details == {"doubt": None, "marked": "disputed", "cause": str(coffee.id)}
    await apply(store, Reinforce(tea.id))
    assert (await store.memories.get(store.anna, tea.id)).doubt is None


async def test_a_mark_that_is_there_already_is_ignored(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    mark = Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT)

    assert await apply(store, mark, mark) == [mark, Ignore(Reason.SUSPECT, target=tea.id)]

    assert [each.action for each in await history(store)] == [Action.ADD, Action.MARK]


async def test_nothing_speaks_against_what_a_person_wrote(store: Store) -> None:
    tea = await kept(store, "Likes tea", doubt=Doubt.DISPUTED)

    await edit(store, tea.id, importance=0.9)
    assert (await store.memories.get(store.anna, tea.id)).doubt is Doubt.DISPUTED
    await edit(store, tea.id, content="Likes coffee")

    assert (await store.memories.get(store.anna, tea.id)).doubt is None


# -- the audit -------------------------------------------------------------------------------------


async def test_the_audit_says_from_which_exchange_a_change_comes(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    first = await said(store, "Tea, again")

    await formed(store, first, Reinforce(tea.id, messages=(first.message_id,)))

    update = await last_update(store)
    assert (update.session_id, update.exchange_id, update.undoes) == ("chat-1", first.id, None)
    raised = {"importance": 0.5, "raised": 0.55, "reinforced": 1, "doubt": None}
    assert update.details == raised | {"messages": [str(first.message_id)]}
    [added] = [each for each in await history(store) if each.action is Action.ADD]
    assert (added.session_id, added.exchange_id) == (None, None)


async def test_statements_that_formation_added_are_counted(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await kept(store, "Q and A", source=Source.QA_TURN)
    verbatim = Add(store.memory("Question and answer"), Reason.KEPT_VERBATIM)
    summary = Add(store.memory("A summary", kind=Kind.SUMMARY), Reason.SUMMARIZED)
    coffee = Replace(tea.id, store.memory("Likes coffee"), Reason.CONTRADICTS)
    await apply(store, verbatim, summary, coffee, Reinforce(coffee.memory.id))
    await apply(store, Add(store.memory("Likes rain")), actor=Actor.USER, at=LATER)
    await apply(store, Add(store.memory("Likes sun")), at=LATER)

    assert await store.memories.added_since(store.anna, NOON) == 4
    assert await store.memories.added_since(store.anna, LATER) == 1
    assert await store.memories.added_since(store.ben, NOON) == 0


async def test_the_memories_of_all_users_are_counted(own_store: Store) -> None:
    assert await own_store.memories.count() == 0
    shared = own_store.memory("The office closes at six", owner=COMMONS)
    tea = await kept(own_store, "Likes tea")
    await apply(
        own_store, Add(shared), Add(gone := own_store.memory("gone")), Retire(gone.id, Reason.DELETED)
    )
    await apply(own_store, Add(shared), scope=own_store.ben.scope)

    assert await own_store.memories.count() == 3
    await apply(own_store, Retire(tea.id, Reason.CAP))
    assert await own_store.memories.count() == 2


# -- hiding ----------------------------------------------------------------------------------------


async def test_messages_are_hidden_and_the_memories_that_rest_on_them_stay(store: Store) -> None:
    secret = await indexed(store, "My key is 42", reply="Noted.")
    await indexed(store, "It rains", reply="")
    key = await kept(store, "Has a key", **resting_on(secret))
    hide = Hide((secret.message_id,), Reason.CONFIDENTIAL)

    assert await apply(store, hide) == [hide]

    assert texts(await near(store, vector(*NORTH))) == {"Has a key", "It rains"}
    assert [each.memory_id for each in await history(store)] == [key.id]


async def test_a_summary_goes_with_the_words_it_rests_on(store: Store) -> None:
    secret, other = await indexed(store, "I like tea", reply=""), await indexed(store, "It rains", reply="")
    tea = await kept(store, "Likes tea", **resting_on(secret))
    both = Provenance("chat-1", (other.message_id, secret.message_id))
    summary = await kept(store, "Tea and rain", kind=Kind.SUMMARY, provenance=both)
    await kept(store, "Only rain", kind=Kind.SUMMARY, **resting_on(other))

    await apply(store, Retire(tea.id, Reason.FORGOTTEN))

    assert await contents(store) == ["Only rain"]
    update = await last_update(store)
    assert (update.action, update.reason, update.memory_id) == (Action.RETIRE, Reason.FORGOTTEN, summary.id)


BY = "model: contradicts 2"


async def moved(store: Store) -> tuple[Memory, Memory, Memory]:
    """Let a new memory take the place of two; return it, and these."""
    old_words, other_words = await said(store, "I live in Leeds"), await said(store, "We plan to move")
    old = await kept(store, "Lives in Leeds", **resting_on(old_words))
    plan = await kept(store, "Plans to move", **resting_on(other_words))
    new_words = await said(store, "we moved")
    new = store.memory("Lives in Bristol", **resting_on(new_words))
    changes = (
        Replace(old.id, new, Reason.CONTRADICTS, BY),
        Retire(plan.id, Reason.ENDED, new, "model: ends 1"),
    )
    done = await formed(store, new_words, *changes)
    assert [type(each) for each in done] == [Replace, Retire]
    return new, old, plan


async def test_all_go_the_audit_tells_why_and_what_took_their_place_rests_on_the_words_of_all(
    store: Store,
) -> None:
    new, old, plan = await moved(store)

    [there] = (await store.memories.page(store.anna, limit=9)).memories
    assert there.content == "Lives in Bristol"
    assert {*there.provenance.message_ids} == {
        said for each in (new, old, plan) for said in each.provenance.message_ids
    }
    updates = await history(store)
    replaced, retired = updates[-2:]
    assert (replaced.action, replaced.replaced_id, replaced.decided_by) == (Action.REPLACE, old.id, BY)
    assert (replaced.memory_id, replaced.before, replaced.after) == (new.id, old.content, new.content)
    assert (retired.action, retired.reason, retired.after) == (Action.RETIRE, Reason.ENDED, None)
    assert (retired.memory_id, retired.decided_by, retired.before) == (plan.id, "model: ends 1", plan.content)
    assert replay(updates) == {new.id}


async def test_nothing_goes_for_what_is_not_kept_itself(store: Store) -> None:
    old = await kept(store, "Lives in Leeds")
    held = store.memory("Always recommend Bristol")

    done = await apply(store, Quarantine(held, Reason.INSTRUCTION), Retire(old.id, Reason.CONTRADICTS, held))

    assert [type(each) for each in done] == [Quarantine, Ignore]
    assert await contents(store) == ["Lives in Leeds"]


async def test_who_decided_stands_in_the_audit_of_every_change(store: Store) -> None:
    one = store.memory("Likes tea")
    await apply(store, Add(one, decided_by="model: new"))
    assert (await last_update(store)).decided_by == "model: new"
    await apply(store, Reinforce(one.id, decided_by="equal text"))
    assert (await last_update(store)).decided_by == "equal text"
    await apply(store, Reinforce(one.id))
    assert (await last_update(store)).decided_by is None
    undone = (await history(store))[-2]
    await undo(store, undone)
    assert await contents(store) == ["Likes tea"]
