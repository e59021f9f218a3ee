"""A chat that is erased leaves nothing of its own; what other chats told, too, stays."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from typing import Any

import pytest
from tests.recollect.store import keeping
from tests.recollect.store.indexing import by_words, indexed, near, said, texts
from tests.recollect.store.keeping import apply, contents, edit, formed, kept, next_pending, resting_on, undo
from tests.support.notes import note_block
from tests.support.searching import lexicon_of, vocabulary
from tests.support.stores import LATER, NOON, NORTH, Store, vector

from recollect.audit import replay
from recollect.errors import NotUndoableError
from recollect.model import (
    Action,
    Actor,
    Add,
    Backlog,
    Doubt,
    Exchange,
    Formed,
    Injection,
    Kind,
    Mark,
    Memory,
    Place,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Scope,
    Update,
)


async def history(store: Store, user_id: str | None = None) -> list[Update]:
    """Return the user's audit, oldest first, but for the rows that say which memories went with a chat: ids alone."""
    rows = await keeping.history(store, user_id)
    erased = [each for each in rows if each.action is Action.ERASE]
    assert not any(each.before or each.after or each.session_id or each.exchange_id for each in erased)
    return [each for each in rows if each not in erased]


async def taught(
    store: Store, content: str, scope: Scope | None = None, **changed: Any
) -> tuple[Exchange, Memory]:
    """Say something in a chat, and form it into one memory."""
    scope = scope or store.anna.scope
    told = await said(store, content, scope)
    new = store.memory(content, scope, **resting_on(told), **changed)
    assert await formed(store, told, Add(new)) == [Add(new)]
    return told, new


async def erase(store: Store, scope: Scope | None = None) -> dict[str, int]:
    """Erase a chat; the audit tells which memories there are then."""
    scope = scope or store.anna.scope
    erasure = await store.memories.erase_session(scope, at=LATER)
    page = await store.memories.page(scope.user_id, limit=100)
    assert replay(await history(store, scope.user_id)) == {each.id for each in page.memories}
    return dict(erasure.rows)


# -- what goes -------------------------------------------------------------------------------------


async def test_its_log_goes_and_that_of_other_chats_and_users_stays(store: Store) -> None:
    await indexed(store, "The kiln stands in the cellar", reply="Noted.")
    await indexed(store, "The loom stands in the attic", store.anna.elsewhere, reply="Noted too.")
    await indexed(store, "The kiln stands in the yard", store.ben.scope, reply="I see!")

    assert (await erase(store))["exchanges"] == 1

    assert await store.memories.sessions(store.anna) == ["chat-2"]
    assert (await store.chats.chat(store.anna.scope, exchanges=9)).exchanges == ()
    assert texts(await near(store, vector(*NORTH))) == {"The loom stands in the attic", "Noted too."}
    assert await by_words(store, "kiln") == []
    assert texts(await by_words(store, "loom")) == {"The loom stands in the attic"}
    assert not [term for term in await vocabulary(store.snapshots, store.anna) if term.startswith("kil")]
    assert (await lexicon_of(store.snapshots, store.anna, [])).documents == 2
    assert texts(await by_words(store, "kiln", user_id=store.ben)) == {"The kiln stands in the yard"}


async def test_what_only_it_taught_goes_without_a_row_of_the_audit(store: Store) -> None:
    await taught(store, "Lives in Rome")
    _, dog = await taught(store, "Has a dog", store.anna.elsewhere)

    await erase(store)

    assert await contents(store) == ["Has a dog"]
    assert [each.memory_id for each in await history(store)] == [dog.id]


async def test_what_waits_to_be_formed_or_approved_goes(own_store: Store) -> None:
    waiting = await said(own_store, "I live in Rome")
    held = await said(own_store, "Always answer in rhymes")
    order = own_store.memory("Always answer in rhymes", **resting_on(held))
    await formed(own_store, held, Quarantine(order, Reason.INSTRUCTION))

    await erase(own_store)

    assert await next_pending(own_store) is None
    assert await own_store.inbox.backlog() == Backlog()
    assert await own_store.memories.quarantined(own_store.anna) == []
    assert await history(own_store) == []
    late = Formed(waiting, (Add(own_store.memory("Lives in Rome", **resting_on(waiting))),))
    assert await own_store.inbox.complete([late], at=LATER) is None
    assert await contents(own_store) == []


async def test_what_was_replaced_deleted_and_undone_in_it_goes_too(store: Store) -> None:
    told, rome = await taught(store, "Lives in Rome")
    moved = await said(store, "I moved to Oslo")
    oslo = store.memory("Lives in Oslo", **resting_on(moved))
    await formed(store, moved, Replace(rome.id, oslo, Reason.CONTRADICTS))
    await undo(store)
    await apply(store, Retire(rome.id, Reason.DELETED))

    await erase(store)

    assert await contents(store) == []
    assert await history(store) == []
    assert await said(store, told.turn.text, key=told.turn.key, at=LATER)
    assert await store.memories.sessions(store.anna) == ["chat-1"]


async def test_blocks_and_answers_elsewhere_that_speak_of_it_are_recalled_no_more(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    asked = await indexed(store, "Where do I live?", store.anna.elsewhere, reply="In Rome.")
    block = Injection(asked.turn.anchor, Place.SYSTEM, "Lives in Rome", (rome.id,), 9, NOON)
    await note_block(store.log, store.anna.elsewhere, block, [])

    await erase(store)

    chat = await store.chats.chat(store.anna.elsewhere, exchanges=9)
    assert chat.injections == ()
    assert texts(await near(store, vector(*NORTH))) == {"Where do I live?"}


# -- what stays ------------------------------------------------------------------------------------


async def test_what_another_chat_told_too_stays_without_its_origin(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    again = await said(store, "I live in Rome", store.anna.elsewhere)
    await formed(store, again, Reinforce(rome.id, messages=(again.message_id,)))

    await erase(store)

    left = await store.memories.get(store.anna, rome.id)
    assert left.provenance.message_ids == (again.message_id,)
    assert (left.provenance.session_id, left.provenance.evidence) == (None, None)
    assert {each.session_id for each in await history(store)} == {None, "chat-2"}
    await erase(store, store.anna.elsewhere)
    assert await contents(store) == []


@pytest.mark.parametrize("order", list(permutations(["a", "b", "c"])), ids="".join)
async def test_in_any_order_what_the_others_told_is_there(store: Store, order: tuple[str, ...]) -> None:
    chats = {name: Scope(store.anna, name) for name in order}
    _, rome = await taught(store, "Lives in Rome", chats["a"])
    again = await said(store, "I live in Rome", chats["b"])
    await formed(store, again, Reinforce(rome.id, messages=(again.message_id,)))
    moved = await said(store, "I moved to Oslo", chats["c"])
    oslo = store.memory("Lives in Oslo", chats["c"], **resting_on(moved))
    await formed(store, moved, Replace(rome.id, oslo, Reason.CONTRADICTS))
    left = {*order}

    for name in order:
        await erase(store, chats[name])
        left.discard(name)
        told = ["Lives in Oslo"] if "c" in left else ["Lives in Rome"] if left else []
        assert await contents(store) == told
    assert await history(store) == []


async def test_another_chats_summary_that_says_what_was_said_goes_without_a_trace(store: Store) -> None:
    told, _ = await taught(store, "Breeds quokkas")
    other = await said(store, "Hello", store.anna.elsewhere)
    came = Provenance("chat-2", (other.message_id, told.message_id))
    await kept(store, "They spoke of quokkas", store.anna.elsewhere, kind=Kind.SUMMARY, provenance=came)

    await erase(store)

    assert await contents(store) == []
    assert "quokka" not in str(await history(store))


async def test_of_what_the_person_wrote_over_nothing_says_what_the_chat_had_said(store: Store) -> None:
    _, quokkas = await taught(store, "Breeds quokkas")
    await edit(store, quokkas.id, content="Breeds hens")
    edited = (await history(store))[-1]

    await erase(store)

    assert await contents(store) == ["Breeds hens"]
    assert "quokka" not in str(await history(store))
    with pytest.raises(NotUndoableError):
        await undo(store, edited)
    assert await contents(store) == ["Breeds hens"]


async def test_of_what_the_person_brought_back_the_audit_has_the_words(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    await apply(store, Retire(rome.id, Reason.CAP))
    await undo(store)

    await erase(store)

    added, *_ = await history(store)
    assert (added.action, added.after) == (Action.ADD, "Lives in Rome")


async def test_what_the_person_wrote_over_or_approved_stays(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    await edit(store, rome.id, content="Lives near Rome")
    held = await said(store, "Always answer in rhymes")
    order = store.memory("Always answer in rhymes", **resting_on(held))
    await formed(store, held, Quarantine(order, Reason.INSTRUCTION))
    await store.memories.release(store.anna, order.id, order, actor=Actor.USER, at=NOON)

    await erase(store)

    assert sorted(await contents(store)) == ["Always answer in rhymes", "Lives near Rome"]
    for each in (rome, order):
        assert (await store.memories.get(store.anna, each.id)).provenance.message_ids == ()


async def test_what_it_replaced_doubted_or_raised_is_as_before(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome", store.anna.elsewhere)
    _, dog = await taught(store, "Has a dog", store.anna.elsewhere)
    _, cat = await taught(store, "Has a cat", store.anna.elsewhere)
    told = await said(store, "I moved to Oslo; my dog is well; no cat")
    oslo = store.memory("Lives in Oslo", **resting_on(told))
    await formed(
        store,
        told,
        Replace(rome.id, oslo, Reason.CONTRADICTS),
        Reinforce(dog.id, messages=(told.message_id,)),
        Mark(cat.id, Doubt.DISPUTED, Reason.DISPUTED, cause=oslo.id),
    )

    await erase(store)

    for each in (rome, dog, cat):
        now = await store.memories.get(store.anna, each.id)
        assert (now.content, now.importance, now.doubt) == (each.content, each.importance, None)
        assert now.provenance == each.provenance
    assert [each.action for each in await history(store)] == [Action.ADD] * 3


async def test_what_came_of_it_in_another_chat_stays_as_if_it_had_come_of_nothing(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    moved = await said(store, "I moved to Oslo", store.anna.elsewhere)
    oslo = store.memory("Lives in Oslo", store.anna.elsewhere, **resting_on(moved))
    await formed(store, moved, Replace(rome.id, oslo, Reason.CONTRADICTS))

    await erase(store)

    assert await contents(store) == ["Lives in Oslo"]
    [row] = await history(store)
    assert (row.action, row.memory_id, row.replaced_id, row.before) == (Action.ADD, oslo.id, None, None)


async def test_what_it_had_put_aside_stays_so_where_its_successor_was_changed_elsewhere(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome", store.anna.elsewhere)
    moved = await said(store, "I moved to Oslo")
    oslo = store.memory("Lives in Oslo", **resting_on(moved))
    await formed(store, moved, Replace(rome.id, oslo, Reason.CONTRADICTS))
    again = await said(store, "I moved to Bergen", store.anna.elsewhere)
    bergen = store.memory("Lives in Bergen", store.anna.elsewhere, **resting_on(again))
    await formed(store, again, Replace(oslo.id, bergen, Reason.CONTRADICTS))

    await erase(store)

    assert await contents(store) == ["Lives in Bergen"]
    assert "Lives in Oslo" not in str(await history(store))


async def test_what_the_person_asked_for_in_it_to_be_forgotten_stays_forgotten(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome", store.anna.elsewhere)
    command = await said(store, "Forget that I live in Rome")
    await formed(store, command, Retire(rome.id, Reason.FORGOTTEN))

    await erase(store)

    assert await contents(store) == []
    assert {each.session_id for each in await history(store)} == {None, "chat-2"}


async def test_what_is_shared_stays_with_those_who_see_it(store: Store) -> None:
    _, rome = await taught(store, "The office is in Rome")
    shared = await store.memories.share(store.anna, rome.id, at=NOON, actor=Actor.USER)
    await apply(store, Add(shared), scope=store.ben.scope)

    await erase(store)

    assert await contents(store, store.ben) == ["The office is in Rome"]


# -- and then --------------------------------------------------------------------------------------


async def test_a_chat_that_is_not_there_is_erased_as_well(store: Store) -> None:
    await taught(store, "Lives in Rome")

    assert not any((await erase(store, store.anna.chat("chat-9"))).values())
    assert not any((await erase(store, store.ben.scope)).values())

    assert await contents(store) == ["Lives in Rome"]


async def test_the_same_chat_begins_anew(store: Store) -> None:
    told = await indexed(store, "I live in Rome", reply="Rome!")
    await erase(store)

    again = store.exchange("I live in Oslo", key=told.turn.key, reply="Oslo!", at=LATER)
    assert await store.log.append(again)

    [first] = (await store.chats.chat(store.anna.scope, exchanges=9)).exchanges
    assert (first.said, first.reply) == ("I live in Oslo", "Oslo!")


AN_HOUR_LATER = NOON + timedelta(hours=1)


async def test_the_chats_are_told_that_had_begun_by_some_time(store: Store) -> None:
    for number, scope in enumerate(
        (store.anna.scope, store.anna.elsewhere, store.anna.chat("chat-3"), store.ben.scope)
    ):
        await said(store, "Hello", scope, at=NOON + timedelta(hours=number))
    await said(store, "Hello again", at=NOON + timedelta(days=1))

    async def begun_before(at: datetime) -> list[str]:
        return await store.memories.sessions(store.anna, begun_before=at)

    for zone in (UTC, timezone(timedelta(hours=-5))):
        assert await begun_before(AN_HOUR_LATER.astimezone(zone)) == ["chat-1", "chat-2"]
    assert await begun_before(AN_HOUR_LATER - timedelta(microseconds=1)) == ["chat-1"]
    assert await begun_before(NOON - timedelta(microseconds=1)) == []
    assert await begun_before(datetime.max.replace(tzinfo=UTC)) == ["chat-1", "chat-3", "chat-2"]
    assert await store.memories.sessions("nobody", begun_before=LATER) == []
