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
    Outline,
    Provenance,
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


async def test_a_mark_is_taken_away_by_a_mark_of_nothing(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT))

    await apply(store, Mark(tea.id, None, Reason.CORRECTED))

    assert (await store.memories.get(store.anna, tea.id)).doubt is None
    assert (await last_update(store)).details == {"standing": "suspect", "marked": None, "cause": None}


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


async def test_what_one_disputes_another_may_not(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS)
    await apply(store, Add(shared))
    await apply(store, Add(shared), scope=store.ben.scope)

    await apply(store, Mark(shared.id, Doubt.DISPUTED, Reason.DISPUTED))

    assert (await store.memories.get(store.anna, shared.id)).doubt is Doubt.DISPUTED
    assert (await store.memories.get(store.ben, shared.id)).doubt is None


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
