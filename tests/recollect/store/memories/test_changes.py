"""Marks, hidden messages, and the fields of a memory and an audit row besides the content."""

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
)
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit import replay
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
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

DOUBT = Mark(uuid7(), Doubt.DISPUTED, Reason.DISPUTED)

# -- fields of a memory ----------------------------------------------------------------------------


async def test_a_memory_keeps_since_when_it_holds_who_found_it_and_its_outline(store: Store) -> None:
    outline = Outline(("Has a dog",), ("Tea",), (), ("Call the vet", "Buy food 🐶"), ("Bello",))
    new = store.memory(
        "We spoke of the dog",
        kind=Kind.SUMMARY,
        source=Source.SUMMARY,
        provenance=Provenance("chat-1", (), None, "small-model/3"),
        holds_from=NOON,
        holds_until=LATER,
        outline=outline,
        doubt=Doubt.SUSPECT,
    )
    await apply(store, Add(new))

    assert await store.memories.get(store.anna, new.id) == new
    [near_it] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert near_it.memory == new
    assert (await store.memories.page(store.anna, limit=9)).memories == (new,)
    [found] = await near(store, vector(*NORTH))
    assert found.item == new


async def test_an_outline_that_can_not_be_stored_is_mended(store: Store) -> None:
    new = await kept(store, "A summary", kind=Kind.SUMMARY, outline=Outline(todos=("a\x00b\ud800",)))

    assert (await store.memories.get(store.anna, new.id)).outline == Outline(todos=("a\ufffdb\ufffd",))


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
    assert update.details == {"standing": None, "marked": "disputed", "cause": str(coffee.id)}
    await apply(store, Reinforce(tea.id))
    assert (await store.memories.get(store.anna, tea.id)).doubt is None


async def test_a_mark_that_is_there_already_is_ignored(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    mark = Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT)

    assert await apply(store, mark, mark) == [mark, Ignore(Reason.SUSPECT, target=tea.id)]

    assert [each.action for each in await history(store)] == [Action.ADD, Action.MARK]


async def test_what_is_gone_is_not_marked(store: Store) -> None:
    assert await apply(store, DOUBT) == [Ignore(Reason.DELETED, target=DOUBT.target)]


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
    assert update.details == {
        "importance": 0.5,
        "raised": 0.55,
        "reinforced": 1,
        "messages": [str(first.message_id)],
        "standing": None,
    }
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


async def test_all_go_and_the_audit_tells_why(store: Store) -> None:
    new, old, plan = await moved(store)

    assert await contents(store) == ["Lives in Bristol"]
    updates = await history(store)
    replaced, retired = updates[-2:]
    assert (replaced.action, replaced.replaced_id, replaced.decided_by) == (Action.REPLACE, old.id, BY)
    assert (retired.action, retired.reason) == (Action.RETIRE, Reason.ENDED)
    assert (retired.memory_id, retired.decided_by) == (plan.id, "model: ends 1")
    assert replay(updates) == {new.id}


async def test_what_took_their_place_rests_on_the_words_of_all(store: Store) -> None:
    new, old, plan = await moved(store)

    [there] = (await store.memories.page(store.anna, limit=9)).memories

    rests_on = {*there.provenance.message_ids}
    assert rests_on == {
        *new.provenance.message_ids, *old.provenance.message_ids, *plan.provenance.message_ids
    }  # fmt: skip


async def test_each_is_brought_back_by_itself(store: Store) -> None:
    new, old, plan = await moved(store)
    replaced, retired = (await history(store))[-2:]

    await store.memories.undo(store.anna, retired.id, actor=Actor.USER, at=LATER)

    assert {*await contents(store)} == {new.content, plan.content}
    there = {each.id: each for each in (await store.memories.page(store.anna, limit=9)).memories}
    assert not {*plan.provenance.message_ids} & {*there[new.id].provenance.message_ids}
    await store.memories.undo(store.anna, replaced.id, actor=Actor.USER, at=LATER)
    assert {*await contents(store)} == {old.content, plan.content}
    assert replay(await history(store)) == {old.id, plan.id}


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
    await store.memories.undo(store.anna, undone.id, actor=Actor.USER, at=LATER)
    assert await contents(store) == ["Likes tea"]
