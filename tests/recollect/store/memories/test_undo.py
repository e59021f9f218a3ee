"""Every change can be undone once, by its audit row, until its result is changed again."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest
from tests.recollect.store.indexing import by_words, indexed, near, said, texts
from tests.recollect.store.keeping import apply, contents, edit, history, kept, last_update, resting_on
from tests.support.notes import note_block
from tests.support.stores import EAST, LATER, MODEL, NOON, NORTH, Store, vector
from uuid_utils.compat import uuid7

from recollect.audit import replay
from recollect.errors import ChangeNotFoundError, DuplicateMemoryError, NotUndoableError
from recollect.model import (
    COMMONS,
    Action,
    Actor,
    Add,
    Change,
    Doubt,
    Formed,
    Ignore,
    Injection,
    Kind,
    Limit,
    Mark,
    Passage,
    Place,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Source,
    Unread,
    Update,
)


async def undo(store: Store, update: Update | None = None, user_id: str | None = None) -> Update:
    """Undo a change, the last one unless told otherwise."""
    user_id = user_id or store.anna
    row = update or await last_update(store, user_id)
    return await store.memories.undo(user_id, row.id, actor=Actor.USER, at=LATER)


async def changed_since(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH), limit=99)
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


# -- additions -------------------------------------------------------------------------------------


async def test_what_was_added_is_retired(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    added = await last_update(store)

    undone = await undo(store)

    assert await contents(store) == []
    assert await by_words(store, "tea") == []
    assert undone == await last_update(store)
    assert (undone.action, undone.actor, undone.reason, undone.at) == (
        Action.RETIRE,
        Actor.USER,
        Reason.UNDONE,
        LATER,
    )
    assert (undone.memory_id, undone.undoes) == (tea.id, added.id)
    assert (undone.before, undone.after) == ("Likes tea", None)


# -- ends ------------------------------------------------------------------------------------------


async def test_what_was_given_an_end_is_seen_with_it_and_goes_on_when_that_is_undone(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    oslo = store.memory("Lives in Oslo", holds_from=LATER)

    done = await apply(store, Add(oslo), Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
    limited = await store.memories.get(store.anna, rome.id)
    row = await last_update(store)
    undone = await undo(store)

    assert [type(each) for each in done] == [Add, Limit]
    assert limited == replace(rome, holds_until=LATER)
    assert (row.action, row.reason, row.details["cause"]) == (Action.MARK, Reason.CONTRADICTS, str(oslo.id))
    assert (undone.action, undone.undoes) == (Action.RESTORE, row.id)
    assert await store.memories.get(store.anna, rome.id) == rome


async def test_an_end_that_was_moved_since_is_not_undone(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")
    await apply(store, Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
    first = await last_update(store)
    await apply(store, Limit(rome.id, NOON, Reason.CONTRADICTS, oslo))

    with pytest.raises(NotUndoableError):
        await undo(store, first)


async def test_an_end_is_lifted_where_what_was_to_come_is_gone_before_its_day(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    for number, over in enumerate((Reason.FORGOTTEN, Reason.CONTRADICTS)):
        oslo = store.memory(f"Lives in Oslo, in street {number}", holds_from=LATER)
        await apply(store, Add(oslo), Limit(rome.id, LATER, Reason.CONTRADICTS, oslo))
        assert await store.memories.get(store.anna, rome.id) == replace(rome, holds_until=LATER)

        stays = store.memory("Stays in Rome")
        await apply(store, Replace(oslo.id, stays, over) if number else Retire(oslo.id, over))

        assert await store.memories.get(store.anna, rome.id) == rome


async def test_an_end_stays_where_what_came_then_is_gone_later(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo", holds_from=NOON)
    await apply(store, Limit(rome.id, NOON, Reason.CONTRADICTS, oslo))

    await apply(store, Retire(oslo.id, Reason.DELETED))

    assert await store.memories.get(store.anna, rome.id) == replace(rome, holds_until=NOON)


async def test_nothing_is_given_an_end_by_what_is_not_kept_and_nothing_of_what_others_see(
    store: Store,
) -> None:
    rome = await kept(store, "Lives in Rome")
    shared = await kept(store, "The office is in Rome", owner=COMMONS)
    oslo = await kept(store, "Lives in Oslo")
    nowhere = store.memory("Lives on the Moon")

    done = await apply(
        store,
        Limit(rome.id, LATER, Reason.CONTRADICTS, nowhere),
        Limit(shared.id, LATER, Reason.CONTRADICTS, oslo),
    )

    assert [type(each) for each in done] == [Ignore, Ignore]
    assert (await store.memories.get(store.anna, rome.id)).holds_until is None


# -- replacements ----------------------------------------------------------------------------------


async def test_what_was_replaced_takes_its_place_again_as_it_was(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="Rome!")
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await store.memories.touch(store.anna, [rome.id], at=LATER)
    await apply(store, Reinforce(rome.id), Mark(rome.id, Doubt.SUSPECT, Reason.SUSPECT))
    before = await store.memories.get(store.anna, rome.id)
    oslo = store.memory("Lives in Oslo", embedding=vector(*EAST))
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))
    replaced = await last_update(store)

    undone = await undo(store)

    assert await contents(store) == ["Lives in Rome"]
    assert await store.memories.get(store.anna, rome.id) == before
    assert (before.reinforcement_count, before.recall_count, before.doubt) == (1, 1, Doubt.SUSPECT)
    assert texts(await by_words(store, "rome", "oslo", log=False)) == {"Lives in Rome"}
    [found] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert found.score == pytest.approx(1)
    assert (undone.action, undone.reason) == (Action.RESTORE, Reason.UNDONE)
    assert (undone.memory_id, undone.replaced_id, undone.undoes) == (rome.id, oslo.id, replaced.id)
    assert (undone.before, undone.after) == ("Lives in Oslo", "Lives in Rome")
    assert await changed_since(store) == {"I live in Rome": None, "Rome!": None}


async def test_what_was_replaced_again_is_undone_from_the_end(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    oslo, bergen = store.memory("Lives in Oslo"), store.memory("Lives in Bergen")
    await apply(store, Replace(rome.id, oslo, Reason.CONTRADICTS))
    first = await last_update(store)
    await apply(store, Replace(oslo.id, bergen, Reason.CONTRADICTS))
    second = await last_update(store)

    with pytest.raises(NotUndoableError):
        await undo(store, first)
    assert await contents(store) == ["Lives in Bergen"]
    await undo(store, second)
    await undo(store, first)

    assert await contents(store) == ["Lives in Rome"]


async def test_a_replacement_by_the_same_in_other_letters_is_undone(store: Store) -> None:
    rome = await kept(store, "lives in rome")
    await apply(store, Replace(rome.id, store.memory("Lives in Rome."), Reason.REFINES))

    await undo(store)

    assert await contents(store) == ["lives in rome"]


async def test_a_note_of_an_earlier_change_stays(store: Store) -> None:
    first = await indexed(store, "I live in Rome and like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await apply(store, Replace(tea.id, store.memory("Likes rain"), Reason.CONTRADICTS))
    await apply(store, Replace(rome.id, store.memory("x"), Reason.CONTRADICTS), actor=Actor.USER, at=LATER)

    await undo(store)

    assert list((await changed_since(store)).values()) == [NOON]


async def test_the_old_content_is_not_there_twice(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    await apply(store, Replace(rome.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))
    replaced = await last_update(store)
    await kept(store, "lives in Rome")

    with pytest.raises(DuplicateMemoryError):
        await undo(store, replaced)

    assert await contents(store) == ["lives in Rome", "Lives in Oslo"]


# -- retirements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [Reason.CAP, Reason.DELETED])
async def test_what_was_retired_is_there_again(store: Store, reason: Reason) -> None:
    first = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))
    await apply(store, Reinforce(tea.id))
    before = await store.memories.get(store.anna, tea.id)
    await apply(store, Retire(tea.id, reason))
    retired = await last_update(store)

    undone = await undo(store)

    assert await store.memories.get(store.anna, tea.id) == before
    assert texts(await by_words(store, "tea", log=False)) == {"Likes tea"}
    assert (undone.action, undone.memory_id, undone.undoes) == (Action.RESTORE, tea.id, retired.id)
    assert (undone.before, undone.after) == (None, "Likes tea")
    # Hidden messages stay hidden.
    assert await changed_since(store) == ({} if reason is Reason.DELETED else {"I like tea": None})


async def test_what_was_let_go_for_what_is_known_is_there_again_and_takes_its_messages_back(
    store: Store,
) -> None:
    words = ("I live in Rome", "I live in Oslo", "Oslo, I said")
    first, second, third = [await indexed(store, each, reply="") for each in words]
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    oslo = await kept(store, "Lives in Oslo", **resting_on(second))
    await apply(
        store, Replace(rome.id, store.memory("Lives in Oslo", **resting_on(third)), Reason.CONTRADICTS)
    )
    assert len((await store.memories.get(store.anna, oslo.id)).provenance.message_ids) == 3

    await undo(store)

    assert {*await contents(store)} == {"Lives in Rome", "Lives in Oslo"}
    assert await store.memories.get(store.anna, oslo.id) == replace(oslo, embedding=None)
    assert set((await changed_since(store)).values()) == {None}


async def test_what_was_let_go_for_what_is_gone_itself_is_there_again(store: Store) -> None:
    rome, oslo = await kept(store, "Lives in Rome"), await kept(store, "Lives in Oslo")
    await apply(store, Replace(rome.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS))
    let_go = await last_update(store)
    await apply(store, Retire(oslo.id, Reason.CAP))

    await undo(store, let_go)

    assert await contents(store) == ["Lives in Rome"]


async def test_a_summary_that_says_what_is_hidden_does_not_come_back(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(secret))
    await kept(store, "Spoke of tea", kind=Kind.SUMMARY, **resting_on(secret))
    await apply(store, Retire(tea.id, Reason.FORGOTTEN))

    with pytest.raises(NotUndoableError):
        await undo(store)

    assert await contents(store) == []


# -- reinforcements, marks, edits ------------------------------------------------------------------


async def test_what_was_reinforced_is_as_it_was(store: Store) -> None:
    first, again = await said(store, "I like tea"), await said(store, "Tea!")
    tea = await kept(store, "Likes tea", importance=0.97, doubt=Doubt.SUSPECT, **resting_on(first))
    before = await store.memories.get(store.anna, tea.id)
    await apply(store, Reinforce(tea.id, messages=(again.message_id, first.message_id)))

    undone = await undo(store)

    assert await store.memories.get(store.anna, tea.id) == before
    assert (undone.action, undone.memory_id, undone.replaced_id) == (Action.RESTORE, tea.id, None)
    assert (undone.before, undone.after) == ("Likes tea", "Likes tea")
    [found] = await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9)
    assert found.score == pytest.approx(1)


async def test_what_was_marked_is_as_it_was_unless_it_was_marked_again(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT))
    first = await last_update(store)
    await apply(store, Mark(tea.id, Doubt.DISPUTED, Reason.DISPUTED))

    with pytest.raises(NotUndoableError):
        await undo(store, first)
    await undo(store)

    assert (await store.memories.get(store.anna, tea.id)).doubt is Doubt.SUSPECT
    await undo(store, first)
    assert (await store.memories.get(store.anna, tea.id)).doubt is None


async def test_what_was_edited_is_as_it_was_but_for_its_embedding(store: Store) -> None:
    first = await indexed(store, "Tea?", reply="Yes.")
    qa = await kept(store, "Q: tea? A: yes", source=Source.QA_TURN, doubt=Doubt.DISPUTED, **resting_on(first))
    edited = await edit(store, qa.id, content="Likes tea", kind=Kind.PREFERENCE, importance=0.123456789)
    assert edited.source is Source.MANUAL
    await note_block(
        store.log, store.anna.scope, Injection("a:1", Place.BESIDE, "Likes tea", (qa.id,), 1, NOON), []
    )

    undone = await undo(store)

    expected = replace(qa, embedding=None, embedding_model=None)
    assert await store.memories.get(store.anna, qa.id) == expected
    assert await store.memories.nearest(store.anna.scope, vector(*NORTH), MODEL, limit=9) == []
    assert texts(await by_words(store, "tea", log=False)) == {"Q: tea? A: yes"}
    assert await apply(store, Add(store.memory("Likes tea"))) != []
    assert {*await contents(store)} == {"Q: tea? A: yes", "Likes tea"}
    assert (undone.action, undone.before, undone.after) == (Action.RESTORE, "Likes tea", "Q: tea? A: yes")
    assert (await store.chats.chat(store.anna.scope, exchanges=1)).injections == ()
    assert set((await changed_since(store)).values()) == {None}


async def test_an_edit_is_not_undone_into_what_is_there(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await edit(store, tea.id, content="Likes coffee")
    edited = await last_update(store)
    await kept(store, "likes TEA")

    with pytest.raises(DuplicateMemoryError):
        await undo(store, edited)


# -- once, and one's own ---------------------------------------------------------------------------

UNDOABLE: dict[str, Callable[[Store, UUID], Change]] = {
    "add": lambda store, _: Add(store.memory("Likes rain")),
    "replace": lambda store, tea: Replace(tea, store.memory("Likes rain"), Reason.CONTRADICTS),
    "retire": lambda _, tea: Retire(tea, Reason.DELETED),
    "reinforce": lambda _, tea: Reinforce(tea),
    "mark": lambda _, tea: Mark(tea, Doubt.SUSPECT, Reason.SUSPECT),
}


@pytest.mark.parametrize("kind", UNDOABLE)
async def test_a_change_is_undone_once_and_what_undoes_it_never(store: Store, kind: str) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, UNDOABLE[kind](store, tea.id))
    update = await last_update(store)
    undone = await undo(store)

    for row in (update, undone):
        with pytest.raises(NotUndoableError):
            await undo(store, row)

    assert await contents(store) == ["Likes tea"]
    assert replay(await history(store)) == {tea.id}


@pytest.mark.parametrize("kind", UNDOABLE)
async def test_nobody_undoes_what_another_user_did(store: Store, kind: str) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, UNDOABLE[kind](store, tea.id))
    before = (await contents(store), await history(store))

    with pytest.raises(ChangeNotFoundError):
        await undo(store, await last_update(store), store.ben)

    assert (await contents(store), await history(store)) == before


async def test_what_was_reinforced_or_marked_or_edited_and_is_gone_is_not_undone(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    await apply(store, Reinforce(tea.id), Mark(tea.id, Doubt.SUSPECT, Reason.SUSPECT))
    await edit(store, tea.id, importance=0.1)
    rows = (await history(store))[1:]
    await apply(store, Retire(tea.id, Reason.CAP))

    for row in rows:
        with pytest.raises(NotUndoableError):
            await undo(store, row)


# -- what users share ------------------------------------------------------------------------------


async def test_what_users_share_is_linked_and_unlinked_for_one_alone(store: Store) -> None:
    shared = store.memory("The office closes at six", owner=COMMONS, provenance=Provenance())
    for scope in (store.anna.scope, store.ben.scope):
        await apply(store, Add(shared), scope=scope)
    await apply(store, Reinforce(shared.id), scope=store.ben.scope)
    await undo(store, user_id=store.ben)
    await apply(store, Retire(shared.id, Reason.DELETED))
    assert await contents(store) == []

    await undo(store)

    assert await contents(store) == await contents(store, store.ben) == ["The office closes at six"]
    [added, *_] = await history(store, store.ben)
    await undo(store, added, store.ben)
    assert await contents(store, store.ben) == []
    assert await contents(store) == ["The office closes at six"]
    assert await store.memories.get(store.anna, shared.id) == replace(shared, embedding=None)


# -- forming again ---------------------------------------------------------------------------------


async def test_what_was_undone_of_an_exchange_is_not_done_when_it_is_read_again(store: Store) -> None:
    kiel, nephew = await kept(store, "Lives in Kiel"), await kept(store, "Has a nephew")
    asked = await said(store, "No nephew. And we moved to Bonn, in May")
    bonn, may = store.memory("Lives in Bonn"), store.memory("Moved in May")
    first = (Retire(nephew.id, Reason.CORRECTED), Replace(kiel.id, bonn, Reason.CONTRADICTS))
    assert await store.inbox.complete([Formed(asked, first, unread=Unread.UNREADABLE)], at=NOON)
    for update in (await history(store))[-2:]:
        await undo(store, update)

    again = (
        Retire(nephew.id, Reason.CORRECTED),
        Replace(kiel.id, replace(bonn, id=uuid7()), Reason.CONTRADICTS),
        Add(replace(bonn, id=uuid7())),
        Add(may),
    )
    done = await store.inbox.complete([Formed(asked, again, is_read=True)], at=LATER)

    assert done is not None
    assert [each.reason for each in done[0]] == [Reason.UNDONE] * 3 + [Reason.NEW]
    assert {*await contents(store)} == {"Lives in Kiel", "Has a nephew", "Moved in May"}
