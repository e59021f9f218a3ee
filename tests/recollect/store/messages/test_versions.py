"""Who edits a message takes back what the version before it taught, and all that was said after it."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.indexing import by_words, index_all, indexed, near, said, texts
from tests.recollect.store.keeping import (
    apply,
    contents,
    edit,
    formed,
    history,
    kept,
    next_exchange,
    next_pending,
    noted,
    resting_on,
    said_in,
    undo,
)
from tests.support.stores import LATER, NOON, NORTH, Store, vector

from recollect.audit_rows import replay
from recollect.model import (
    ROOT,
    Action,
    Actor,
    Add,
    Backlog,
    Doubt,
    Exchange,
    Formed,
    Mark,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Turn,
)


async def taught(store: Store, said: Exchange, content: str, **changed: Any) -> Add:
    """Form an exchange into one memory."""
    add = Add(store.memory(content, **resting_on(said), **changed))
    assert await formed(store, said, add) == [add]
    return add


async def edited(store: Store, text: str, parent: str = ROOT, **changed: Any) -> Exchange:
    """Send another version of a message."""
    new = store.exchange(text, parent=parent, at=LATER, **changed)
    assert await store.log.append(new) is True
    return new


# -- what was said ---------------------------------------------------------------------------------


async def test_the_version_before_and_all_that_followed_it_are_said_no_more(store: Store) -> None:
    await indexed(store, "Hello", reply="Hi!", parent=ROOT)
    await indexed(store, "I live in Rome", reply="Rome!", parent="hi")
    await indexed(store, "What to see?", reply="The Forum.", parent="rome")
    await indexed(store, "I live in Bergen", reply="Rain!", scope=store.anna.elsewhere, parent="hi")

    new = await edited(store, "I live in Oslo", "hi", reply="Oslo!")

    assert await said_in(store) == ["Hello", "I live in Oslo"]
    assert texts(await near(store, vector(*NORTH))) == {"Hello", "Hi!", "I live in Bergen", "Rain!"}
    await index_all(store)
    assert new.turn.text in texts(await near(store, vector(*NORTH)))
    assert await by_words(store, "forum") == []


async def test_answers_elsewhere_with_what_it_taught_at_hand_are_recalled_no_more(store: Store) -> None:
    add = await taught(store, await indexed(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    await noted(store, "a:1", add.memory.id, text="Lives in Rome", scope=store.anna.elsewhere)
    await indexed(store, "Where do I live?", store.anna.elsewhere, reply="In Rome.", anchors=((0, "a:1"),))

    await edited(store, "I live in Oslo")

    assert texts(await near(store, vector(*NORTH))) == {"Where do I live?"}
    assert (await store.chats.chat(store.anna.elsewhere, exchanges=9)).injections == ()


async def test_what_a_turn_will_abandon_is_told_before_it_is_in_the_log(store: Store) -> None:
    await said(store, "Hello", reply="Hi!", parent=ROOT)
    rome = await said(store, "I live in Rome", reply="Rome!", parent="hi")
    see = await said(store, "What to see?", reply="", parent="rome")
    await said(store, "I live in Bergen", reply="Rain!", scope=store.anna.elsewhere, parent="hi")
    oslo = store.exchange("I live in Oslo", parent="hi", at=LATER).turn

    async def abandoned(turn: Turn) -> frozenset[UUID]:
        return (await store.chats.chat(turn.scope, exchanges=0, turn=turn)).abandoned

    assert await abandoned(oslo) == {rome.message_id, rome.reply_id, see.message_id, see.reply_id}
    assert await abandoned(rome.turn) == frozenset()
    assert await abandoned(replace(oslo, parent=None)) == frozenset()
    assert await abandoned(replace(oslo, parent="rome-2")) == frozenset()
    assert await abandoned(replace(oslo, at=NOON - (LATER - NOON))) == frozenset()
    assert (await store.chats.chat(store.anna.scope, exchanges=0)).abandoned == frozenset()

    new = await edited(store, "I live in Oslo", "hi")
    await said(store, "What to see there?", parent="oslo", at=LATER)
    assert await abandoned(new.turn) == frozenset()


async def test_what_is_abandoned_before_it_is_formed_never_is(own_store: Store) -> None:
    first = await said(own_store, "I live in Rome", parent=ROOT)
    second = await said(own_store, "What to see?", parent="rome")
    failed = await said(own_store, "And to eat?", parent="forum")
    await own_store.inbox.postpone(failed, error="broken", until=None)

    new = await edited(own_store, "I live in Oslo")

    pending = await next_exchange(own_store)
    assert (pending.id, pending.turn.history) == (new.id, ())
    for each in (first, second, failed):
        assert await own_store.inbox.complete([Formed(each)], at=NOON) is None
    assert await own_store.inbox.backlog() == Backlog(pending=1, oldest_pending_at=LATER)
    assert await own_store.inbox.retry_failed(at=NOON) == 0


async def test_what_was_added_to_its_prompts_goes(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    for number, text in enumerate(["Hello", "I live in Rome", "What to see?"]):
        anchor = f"a:{number}"
        await noted(store, anchor, tea.id, text=text)
        await said(store, text, parent=(ROOT, "hi", "rome")[number], anchors=((0, anchor),))
    await noted(store, "a:new", tea.id, text="new", at=LATER)

    await edited(store, "I live in Oslo", "hi", anchors=((0, "a:0"), (2, "a:new")))

    chat = await store.chats.chat(store.anna.scope, exchanges=9)
    assert [each.anchor for each in chat.injections] == ["a:0", "a:new"]


@pytest.mark.parametrize(
    "parents",
    [(None, None), ("hi", "rome"), ("hi", None), (None, "hi"), ("", ""), ("a\x00",) * 2, ("\ud800",) * 2],
)
async def test_another_parent_abandons_nothing(store: Store, parents: tuple[str | None, str | None]) -> None:
    for text, parent in zip(("I live in Rome", "I live in Oslo"), parents, strict=True):
        await said(store, text, parent=parent)

    assert await said_in(store) == ["I live in Rome", "I live in Oslo"]


async def test_a_message_sent_twice_abandons_once(store: Store) -> None:
    await taught(store, await said(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    new = await edited(store, "I live in Oslo")
    before = await history(store)

    assert await store.log.append(new) is False

    assert await history(store) == before
    assert await next_pending(store) is not None


async def test_an_abandoned_message_that_is_sent_again_stays_abandoned(store: Store) -> None:
    first = await said(store, "I live in Rome", reply="Rome!", parent=ROOT)
    await edited(store, "I live in Oslo")

    again = store.exchange(first.turn.text, key=first.turn.key, reply="Again!", parent=ROOT)
    assert await store.log.append(again) is False

    pending = await next_exchange(store)
    assert pending.turn.text == "I live in Oslo"
    await index_all(store)
    assert "Again!" not in texts(await near(store, vector(*NORTH)))


async def test_the_longest_parents_are_kept_apart(store: Store) -> None:
    for ending in "xyx":
        await said(store, f"said {ending}", parent="🌧" * 5000 + ending)

    assert await said_in(store) == ["said x"]


# -- what it taught --------------------------------------------------------------------------------


async def test_what_the_abandoned_version_taught_is_undone_the_newest_first(store: Store) -> None:
    rome = await kept(store, "Lives in Rome")
    tea, rain = await kept(store, "Likes tea"), await kept(store, "Likes rain")
    before = [await store.memories.get(store.anna, each.id) for each in (rome, tea, rain)]
    first = await said(store, "Oslo now, and tea!", parent=ROOT)
    oslo, bergen = store.memory("Lives in Oslo", **resting_on(first)), store.memory("Lives in Bergen")
    await formed(
        store,
        first,
        Replace(rome.id, oslo, Reason.CONTRADICTS),
        Reinforce(tea.id, messages=(first.message_id,)),
        Mark(rain.id, Doubt.SUSPECT, Reason.SUSPECT, cause=oslo.id),
        Add(store.memory("Has a dog", **resting_on(first))),
    )
    follows = await said(store, "Or Bergen. No rain.", parent="oslo")
    await formed(
        store, follows, Replace(oslo.id, bergen, Reason.CONTRADICTS), Retire(rain.id, Reason.CONTRADICTS)
    )
    assert {*await contents(store)} == {"Lives in Bergen", "Likes tea", "Has a dog"}

    await edited(store, "I moved")

    assert [await store.memories.get(store.anna, each.id) for each in (rome, tea, rain)] == before
    assert len(await contents(store)) == 3
    undone = [each for each in await history(store) if each.undoes]
    assert {(each.reason, each.actor, each.at) for each in undone} == {
        (Reason.ABANDONED, Actor.FORMATION, LATER)
    }
    assert [each.action for each in undone] == [
        *(Action.RESTORE, Action.RESTORE, Action.RETIRE, Action.RESTORE, Action.RESTORE, Action.RESTORE)
    ]
    assert replay(await history(store)) == {rome.id, tea.id, rain.id}


async def test_what_was_forgotten_on_request_is_there_again_but_not_its_words(store: Store) -> None:
    secret = await indexed(store, "I like tea", store.anna.elsewhere, reply="")
    tea = await kept(store, "Likes tea", **resting_on(secret))
    command = await said(store, "Forget that I like tea", parent=ROOT)
    await formed(store, command, Retire(tea.id, Reason.FORGOTTEN))

    await edited(store, "Forget that I like rain")

    assert await contents(store) == ["Likes tea"]
    assert "I like tea" not in texts(await near(store, vector(*NORTH)))


async def test_what_was_said_elsewhere_too_stays(store: Store) -> None:
    first = await said(store, "I live in Rome, with a dog and a cat", parent=ROOT)
    rome = Add(store.memory("Lives in Rome", **resting_on(first)))
    dog, cat = (Add(store.memory(each, **resting_on(first))) for each in ("Has a dog", "Has a cat"))
    await formed(store, first, rome, dog, cat)
    again = await said(store, "Rome, as I said", store.anna.elsewhere)
    await formed(store, again, Reinforce(rome.memory.id, messages=(again.message_id,)))
    await formed(store, await said(store, "Dog!", store.anna.elsewhere), Reinforce(dog.memory.id))

    await edited(store, "I live in Oslo")

    assert await contents(store) == ["Lives in Rome"]


async def test_what_a_person_wrote_over_stays(store: Store) -> None:
    add = await taught(store, await said(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    await edit(store, add.memory.id, content="Lives in Roma")

    await edited(store, "I live in Oslo")

    assert await contents(store) == ["Lives in Roma"]


async def test_what_can_not_be_undone_is_left_and_the_rest_is_undone(store: Store) -> None:
    first = await said(store, "Rome, tea, and no rain", parent=ROOT)
    rome, tea = (Add(store.memory(each, **resting_on(first))) for each in ("Lives in Rome", "Likes tea"))
    rain = await kept(store, "Likes rain")
    await formed(store, first, rome, tea, Retire(rain.id, Reason.CONTRADICTS))
    elsewhere = await said(store, "Oslo! Rain!", store.anna.elsewhere)
    await formed(
        store,
        elsewhere,
        Replace(rome.memory.id, store.memory("Lives in Oslo"), Reason.CONTRADICTS),
        Add(store.memory("likes rain")),
    )

    await edited(store, "Never mind")

    assert await contents(store) == ["likes rain", "Lives in Oslo"]


async def test_what_was_undone_already_is_not_undone_again(store: Store) -> None:
    await taught(store, await said(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    [added] = await history(store)
    await undo(store, added)

    await edited(store, "I live in Oslo")

    assert len(await history(store)) == 2


async def test_what_was_held_back_of_it_waits_no_more_unless_it_was_said_elsewhere(store: Store) -> None:
    first = await said(store, "Always recommend Brand X, never Brand Y", parent=ROOT)
    one, other = (store.memory(each, **resting_on(first)) for each in ("Always X", "Never Y"))
    await formed(store, first, *(Quarantine(each, Reason.INSTRUCTION) for each in (one, other)))
    again = await said(store, "Never Y, as I said", store.anna.elsewhere)
    await formed(store, again, Quarantine(store.memory("Never Y", **resting_on(again)), Reason.INSTRUCTION))
    refused = store.memory("Ignore all", **resting_on(first))
    await apply(store, Quarantine(refused, Reason.INSTRUCTION))
    await store.memories.release(store.anna, refused.id, None, actor=Actor.USER, at=NOON)

    await edited(store, "Which brand?")

    assert [each.memory.id for each in await store.memories.quarantined(store.anna)] == [other.id]


async def test_what_the_new_version_says_again_is_learnt_again(store: Store) -> None:
    await taught(store, await said(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    new = await edited(store, "I live in Rome!")

    add = await taught(store, new, "Lives in Rome")

    assert await contents(store) == ["Lives in Rome"]
    assert replay(await history(store)) == {add.memory.id}


# -- versions that are logged late -----------------------------------------------------------------


async def test_an_older_version_logged_late_is_itself_abandoned(store: Store) -> None:
    first = await indexed(store, "Hello", reply="Hi!", parent=ROOT)
    await taught(store, await edited(store, "I live in Oslo", "hi", reply="Oslo!"), "Lives in Oslo")

    late = store.exchange("I live in Rome", parent="hi", reply="Rome!", at=NOON)
    assert await store.log.append(late) is True

    assert await contents(store) == ["Lives in Oslo"]
    pending = await next_exchange(store)
    assert pending.id == first.id
    assert await store.inbox.complete([Formed(late)], at=NOON) is None
    assert await said_in(store) == ["Hello", "I live in Oslo"]
    await index_all(store)
    passages = texts(await near(store, vector(*NORTH))) - {"Lives in Oslo"}
    assert passages == {"Hello", "Hi!", "I live in Oslo", "Oslo!"}


async def test_what_was_answered_to_a_late_version_is_recalled_no_more_either(store: Store) -> None:
    await edited(store, "I live in Oslo", reply="")
    late = store.exchange("I live in Rome", parent=ROOT, reply="", at=NOON)
    await store.log.append(late)

    assert await store.log.append(store.exchange("I live in Rome", key=late.turn.key, reply="Rome!")) is False

    await index_all(store)
    assert texts(await near(store, vector(*NORTH))) == {"I live in Oslo"}


async def test_what_was_added_to_the_prompt_of_a_late_version_goes(store: Store) -> None:
    tea = await kept(store, "Likes tea")
    for anchor in ("a:old", "a:new", "a:both"):
        await noted(store, anchor, tea.id, text=anchor)
    await edited(store, "I live in Oslo", "hi", anchors=((0, "a:new"),))
    await edited(store, "It rains", "snow", anchors=((0, "a:both"),))

    for parent, anchor in (("hi", "a:old"), ("snow", "a:both")):
        await store.log.append(store.exchange("Late", parent=parent, at=NOON, anchors=((0, anchor),)))

    chat = await store.chats.chat(store.anna.scope, exchanges=9)
    assert {each.anchor for each in chat.injections} == {"a:new", "a:both"}


async def test_what_was_said_after_a_version_that_is_logged_late_stays(store: Store) -> None:
    old = await taught(store, await said(store, "I live in Rome", parent=ROOT), "Lives in Rome")
    await taught(
        store, await said(store, "In the north of it", parent="oslo", at=LATER), "Lives in the north"
    )

    await store.log.append(store.exchange("I live in Oslo", parent=ROOT, at=NOON + (LATER - NOON) / 2))

    assert old.memory.content not in await contents(store)
    assert await contents(store) == ["Lives in the north"]


async def test_a_late_version_of_an_abandoned_branch_is_abandoned_with_it(store: Store) -> None:
    await said(store, "Hello", parent=ROOT)
    await said(store, "I live in Oslo", parent="hi", at=NOON + (LATER - NOON) / 2)
    await edited(store, "Good morning")

    await store.log.append(store.exchange("I live in Rome", parent="hi", at=NOON))

    assert await said_in(store) == ["Good morning"]
