"""An exchange is logged with its answer, or begun before it and ended with it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from tests.recollect.store.keeping import formed, next_exchange, next_pending
from tests.servers.databases import administrator
from tests.support.people import person
from tests.support.stores import LATER, MODEL, NOON, Store
from uuid_utils.compat import uuid7

from recollect.engine.exchange_recorder import begun
from recollect.errors import StoreBusyError, StoreError
from recollect.model import (
    ROOT,
    Actor,
    Exchange,
    Flags,
    Hide,
    IndexedChunk,
    IndexedMessage,
    Message,
    Pending,
    Progress,
    Reason,
    Role,
    Scope,
    Written,
)
from recollect.store.message_log import MessageLog


async def test_an_exchange_comes_back_whole_but_for_its_credential_and_the_requests_history(
    store: Store,
) -> None:
    said = store.exchange("I moved to Oslo 🎉", reply="Nice!", speaker="Anna K.", model="gpt-x", at=LATER)
    asked = replace(said.turn, history=(Message(Role.USER, "not logged"),))

    assert await store.log.append(replace(said, turn=asked, credential="Bearer secret")) is True

    assert said.authorized is True
    assert await next_pending(store) == Pending(said, 0, LATER)


async def test_another_reply_is_an_alternate_and_forms_nothing(store: Store) -> None:
    said = store.exchange("hello", reply="first")
    await store.log.append(said)
    await formed(store, said)

    assert await store.log.append(store.exchange("hello", key=said.turn.key, reply="second")) is False

    assert await next_pending(store) is None
    await store.log.append(store.exchange("and then?"))
    assert [message.text for message in (await next_exchange(store)).turn.history] == ["hello", "first"]


async def test_an_answer_goes_on_only_where_that_was_asked_for(store: Store) -> None:
    said = store.exchange("hello", reply="Yes.")
    await store.log.append(said)
    another = store.exchange("hello", key=said.turn.key, reply="Yes. But not now.")
    await store.log.append(another)
    assert (await next_exchange(store)).reply == "Yes."

    rest = store.exchange("hello", key=said.turn.key, reply="Yes. Gladly.")
    await store.log.append(replace(rest, continues=True))
    assert (await next_exchange(store)).reply == "Yes. Gladly."


async def test_the_first_reply_with_text_becomes_the_reply(store: Store) -> None:
    left = store.exchange("hello", reply="")
    empty, answered, late = (
        store.exchange("hello", key=left.turn.key, reply=each) for each in (" \n", "Hi!", "Hey!")
    )
    await store.log.append(left)

    assert await store.log.append(empty) is False
    assert await next_exchange(store) == left
    for each in (answered, late):
        assert await store.log.append(each) is False

    read = await next_exchange(store)
    assert (read.id, read.reply, read.reply_id) == (left.id, "Hi!", answered.reply_id)


async def test_an_erased_exchange_may_be_said_again(store: Store) -> None:
    said = store.exchange("hello")
    await store.log.append(said)
    await store.memories.erase(store.anna, at=NOON)

    assert await store.log.append(said) is True
    assert (await next_exchange(store)).turn.history == ()


async def test_text_that_can_not_be_stored_is_mended(store: Store) -> None:
    await store.log.append(store.exchange("a\x00b", reply="\ud800", speaker="\udfff", model="m\x00"))

    read = await next_exchange(store)
    assert (read.turn.text, read.reply) == ("a\ufffdb", "\ufffd")
    assert (read.turn.speaker, read.turn.model) == ("\ufffd", "m\ufffd")


@pytest.mark.parametrize(("session_id", "key"), [("", "k"), ("a\x00", "k"), ("\ud800", "k"), ("c", "a\x00")])
async def test_an_impossible_session_or_key_is_refused(store: Store, session_id: str, key: str) -> None:
    with pytest.raises(StoreError):
        await store.log.append(store.exchange("hello", Scope(store.anna, session_id), key=key))

    assert await next_pending(store) is None


async def test_the_longest_ids_and_keys_are_kept_apart(store: Store) -> None:
    scope = Scope(person("").rjust(256, "🎉"), "🍵" * 256)

    for ending in "xy":
        assert await store.log.append(store.exchange("hello", scope, key="🌧" * 5000 + ending)) is True
        assert await store.log.append(store.exchange("hello", scope, key="🌧" * 5000 + ending)) is False


# -- open exchanges --------------------------------------------------------------------------------


def turn_of(exchange: Exchange) -> Exchange:
    """Return an exchange as it is before its answer."""
    return replace(exchange, reply="")


def asked_again(exchange: Exchange, reply: str = "I see.") -> Exchange:
    """Return what another request for the same turn would make of it."""
    return Exchange(uuid7(), exchange.turn, reply, uuid7(), uuid7(), authorized=True)


async def begin(store: Store, exchange: Exchange) -> UUID:
    """Write the turn of an exchange; return the id of its exchange in the log."""
    return (await store.log.write_phase(begun(turn_of(exchange)))).id


async def said(store: Store, scope: Scope | None = None) -> list[tuple[str, str]]:
    """Return the log of a chat."""
    chat = await store.chats.chat(scope or store.anna.scope, exchanges=9)
    return [(each.said, each.reply) for each in chat.exchanges]


async def progress(store: Store, exchange: Exchange) -> Progress | None:
    outcome = await store.inbox.outcome(exchange.turn.scope, exchange.turn.key)
    return outcome.progress if outcome else None


async def test_a_turn_is_in_the_log_before_its_answer_and_is_formed_with_it(store: Store) -> None:
    exchange = store.exchange("I moved to Oslo", reply="Nice!")

    await begin(store, exchange)

    assert await said(store) == [("I moved to Oslo", "")]
    assert await progress(store, exchange) is Progress.PENDING
    assert await next_pending(store) is None
    assert await store.index.unindexed(store.anna, limit=9) == []
    assert await store.log.append(exchange) is True
    pending = await next_exchange(store)
    assert pending == exchange
    assert len(await store.index.unindexed(store.anna, limit=9)) == 2


async def test_who_is_not_to_be_remembered_is_not_even_begun(store: Store) -> None:
    exchange = store.exchange("I moved to Oslo")
    await store.flags.change_flags(store.anna, Flags(record=False), ("record",), at=NOON)

    logged = await store.log.write_phase(begun(exchange), records=True)

    assert logged.outcome is Written.UNWANTED
    assert await said(store) == []


async def test_to_begin_and_to_end_twice_changes_nothing_more(store: Store) -> None:
    exchange = store.exchange("I moved to Oslo", reply="Nice!")
    for _ in range(2):
        await begin(store, exchange)
    assert await store.log.append(exchange) is True
    assert await store.log.append(exchange) is False
    assert await begin(store, exchange) == exchange.id

    assert await said(store) == [("I moved to Oslo", "Nice!")]
    await formed(store, exchange)
    assert await next_pending(store) is None


async def test_what_a_model_failed_to_answer_is_formed_soon_without_an_answer(own_store: Store) -> None:
    store = own_store
    failed, answering = store.exchange("I moved to Oslo"), store.exchange("Hi", store.anna.elsewhere)
    await begin(store, failed)
    await begin(store, answering)

    for _ in range(2):
        await store.log.fail(failed)

    assert await said(store) == [("I moved to Oslo", "")]
    assert await next_pending(store) is None  # its answer may be asked for once more
    assert await store.log.end_abandoned(NOON - timedelta(hours=1), failed=NOON) == 0
    assert await store.log.end_abandoned(NOON - timedelta(hours=1), failed=LATER) == 1
    pending = await next_exchange(store)
    assert (pending.turn.text, pending.reply) == ("I moved to Oslo", "")
    await formed(store, pending)
    assert await next_pending(store) is None


async def test_what_somebody_said_who_was_refused_is_taken_back_unless_others_ask(own_store: Store) -> None:
    store = own_store
    refused = store.exchange("I moved to Oslo")
    again = asked_again(refused)
    await begin(store, refused)
    assert await begin(store, again) == refused.id

    await store.log.withdraw(refused)
    assert await said(store) == [("I moved to Oslo", "")]
    for _ in range(2):
        await store.log.withdraw(again)

    assert await said(store) == []
    assert await store.log.end_abandoned(LATER) == 0
    assert await next_pending(store) is None


@pytest.mark.parametrize("end", [MessageLog.withdraw, MessageLog.fail])
async def test_an_answer_asked_for_anew_that_is_refused_or_fails_costs_nothing_that_was_there(
    store: Store, end: Callable[[MessageLog, Exchange], Awaitable[None]]
) -> None:
    exchange = store.exchange("I moved to Oslo", reply="Nice!")
    await store.log.append(exchange)
    again = asked_again(exchange)

    assert await begin(store, again) == exchange.id
    await end(store.log, again)

    assert await said(store) == [("I moved to Oslo", "Nice!")]


async def test_a_retry_is_the_same_turn_and_is_formed_once_with_its_answer(own_store: Store) -> None:
    failed = own_store.exchange("I moved to Oslo")
    again = asked_again(failed, "Nice!")
    await begin(own_store, failed)
    await own_store.log.fail(failed)

    assert await begin(own_store, again) == failed.id
    assert await own_store.log.end_abandoned(NOON - timedelta(hours=1), failed=LATER) == 0  # it is asked for
    assert await own_store.log.append(again) is True

    pending = await next_exchange(own_store)
    assert (pending.id, pending.reply) == (failed.id, "Nice!")
    assert await said(own_store) == [("I moved to Oslo", "Nice!")]


async def test_an_answer_to_what_was_formed_without_one_is_kept_as_its_reply(store: Store) -> None:
    failed = store.exchange("I moved to Oslo")
    await begin(store, failed)
    await store.log.fail(failed)
    await store.log.end_abandoned(LATER)
    await formed(store, failed)

    assert await store.log.append(asked_again(failed, "Nice!")) is False

    assert await next_pending(store) is None
    assert await said(store) == [("I moved to Oslo", "Nice!")]


async def test_a_turn_that_several_models_are_asked_about_waits_for_the_last(own_store: Store) -> None:
    first = own_store.exchange("I moved to Oslo")
    second, third = asked_again(first), asked_again(first, "Nice!")
    await begin(own_store, first)
    for other in (second, third):
        assert await begin(own_store, other) == first.id

    await own_store.log.fail(first)
    await own_store.log.fail(second)
    assert await own_store.log.end_abandoned(NOON - timedelta(hours=1), failed=LATER) == 0
    assert await own_store.log.append(third) is True
    await own_store.log.fail(first)

    assert await said(own_store) == [("I moved to Oslo", "Nice!")]


async def test_the_next_turn_of_a_chat_ends_what_was_open_and_its_late_answer_is_kept(store: Store) -> None:
    left, elsewhere = store.exchange("I moved to Oslo"), store.exchange("Hello", store.anna.elsewhere)
    await begin(store, left)
    await begin(store, elsewhere)
    following = store.exchange("And I like it", at=NOON + timedelta(minutes=1))

    await begin(store, following)

    pending = await next_exchange(store)
    assert (pending.id, pending.reply) == (left.id, "")
    await formed(store, pending)
    assert await next_pending(store) is None
    assert await store.log.append(replace(left, reply="Nice!")) is False
    assert await said(store) == [("I moved to Oslo", "Nice!"), ("And I like it", "")]


async def test_an_earlier_turn_that_comes_late_ends_none_that_was_said_after_it(store: Store) -> None:
    earlier = store.exchange("I moved to Oslo")
    later = store.exchange("And I like it", at=NOON + timedelta(minutes=1))
    await begin(store, later)

    await begin(store, earlier)

    assert await next_pending(store) is None


async def test_what_is_open_for_long_is_formed_without_an_answer(own_store: Store) -> None:
    left, young = own_store.exchange("I moved to Oslo"), own_store.exchange("Hello", at=LATER)
    others = own_store.exchange("I am Ben", own_store.ben.scope)
    for each in (left, others):
        await begin(own_store, each)
    await begin(own_store, replace(young, turn=replace(young.turn, scope=own_store.anna.elsewhere)))

    assert await own_store.log.end_abandoned(LATER) == 2
    assert await own_store.log.end_abandoned(LATER) == 0

    pending = await next_exchange(own_store)
    assert pending.id == left.id
    assert len(await own_store.inbox.pending(own_store.ben, limit=9)) == 1
    assert (await own_store.inbox.backlog()).pending == 3


async def test_an_edit_abandons_the_other_once_it_is_answered_not_when_it_fails(store: Store) -> None:
    first = store.exchange("I live in Rome", parent=ROOT)
    await store.log.append(first)
    refused = store.exchange("I live in Romw", parent=ROOT, at=NOON + timedelta(minutes=1))
    edited = store.exchange("I live in Oslo", parent=ROOT, at=NOON + timedelta(minutes=2))

    await begin(store, refused)
    told = await store.chats.chat(store.anna.scope, exchanges=9, turn=refused.turn)
    assert (
        first.message_id in told.abandoned
    )  # while it is under way, nothing of the other is recalled for it
    await store.log.fail(refused)
    assert await progress(store, first) is Progress.PENDING
    await begin(store, edited)  # and the one that failed is to be formed
    assert await progress(store, first) is Progress.PENDING
    await store.log.append(edited)

    assert await progress(store, first) is Progress.ABANDONED
    assert await progress(store, refused) is Progress.ABANDONED
    assert await said(store) == [("I live in Oslo", "I see.")]


async def test_an_edit_formed_without_its_answer_abandons_the_other_with_it(store: Store) -> None:
    first = store.exchange("I live in Rome", parent=ROOT)
    await store.log.append(first)
    edited = store.exchange("I live in Oslo", parent=ROOT, at=NOON + timedelta(minutes=1))
    await begin(store, edited)
    await store.log.fail(edited)
    await store.log.end_abandoned(LATER)
    assert await progress(store, first) is Progress.PENDING

    await store.log.append(replace(edited, reply="Oslo!"))

    assert await progress(store, first) is Progress.ABANDONED
    assert await said(store) == [("I live in Oslo", "Oslo!")]


async def test_a_version_that_is_answered_after_a_later_one_is_abandoned(store: Store) -> None:
    first = store.exchange("I live in Rome", parent=ROOT)
    second = store.exchange("I live in Oslo", parent=ROOT, at=NOON + timedelta(minutes=1))
    await begin(store, first)
    await begin(store, second)
    await store.log.append(second)

    await store.log.append(replace(first, reply="Rome!"))

    assert await progress(store, first) is Progress.ABANDONED
    assert await said(store) == [("I live in Oslo", "I see.")]


async def test_what_a_person_takes_back_while_it_is_answered_is_never_formed(store: Store) -> None:
    exchange = store.exchange("I moved to Oslo", reply="Nice!")
    await begin(store, exchange)
    await hide(store, exchange)

    await store.log.append(exchange)

    assert await next_pending(store) is None
    assert await said(store) == []


async def test_what_was_said_before_an_erasure_is_not_written_whoever_has_it_still(store: Store) -> None:
    log: MessageLog = store.log
    exchange = store.exchange("I am Anna")
    await begin(store, exchange)
    await store.memories.erase(store.anna, at=LATER)
    after = store.exchange("Hello", at=LATER + timedelta(seconds=1))

    assert await log.append(exchange) is False
    assert (await log.write_phase(begun(turn_of(asked_again(exchange))))).outcome is Written.ERASED
    assert await said(store) == []
    assert await log.append(exchange, revives=True) is True
    await store.memories.erase(store.anna, at=LATER)
    await begin(store, after)
    assert await said(store) == [("Hello", "")]


async def test_what_was_said_before_its_chat_was_erased_is_not_written(store: Store) -> None:
    exchange, other = store.exchange("I am Anna"), store.exchange("Hello", store.anna.elsewhere)
    await store.memories.erase_session(store.anna.scope, at=LATER)

    assert await store.log.append(exchange) is False
    assert await store.log.append(other) is True


async def hide(store: Store, exchange: Exchange) -> None:
    hidden = Hide((exchange.message_id,), Reason.UNDONE)
    await store.memories.apply(store.anna.scope, [hidden], actor=Actor.USER, at=LATER)


async def test_answers_under_way_are_counted_over_all_users(own_store: Store) -> None:
    mine, theirs = own_store.exchange("I moved to Oslo"), own_store.exchange("Hello", own_store.ben.scope)
    for each in (mine, theirs):
        await begin(own_store, each)

    assert await own_store.inbox.answers_under_way(NOON - timedelta(minutes=10)) == 2
    assert await own_store.inbox.answers_under_way(LATER) == 0
    await own_store.log.append(replace(mine, reply="Nice!"))
    assert await own_store.inbox.answers_under_way(NOON - timedelta(minutes=10)) == 1
    await own_store.log.fail(theirs)
    assert await own_store.inbox.answers_under_way(NOON - timedelta(minutes=10)) == 0


async def test_one_never_answered_is_indexed_as_failed_until_it_is_answered(own_store: Store) -> None:
    store = own_store
    exchange = store.exchange("I moved to Oslo", reply="Nice!")
    await begin(store, exchange)
    await store.log.end_abandoned(exchange.turn.at + timedelta(hours=9))

    [message] = await store.index.unindexed(store.anna, limit=9)
    assert message.failed
    assert await store.index.index(store.anna, IndexedMessage(message.id, (), {}, MODEL))

    await store.log.append(exchange)
    said_and_answered = await store.index.unindexed(store.anna, limit=9)
    assert [each.content for each in said_and_answered] == ["I moved to Oslo", "Nice!"]
    assert not any(each.failed for each in said_and_answered)


async def test_what_is_marked_is_not_indexed_twice_by_a_late_answer(own_store: Store) -> None:
    store = own_store
    exchange = store.exchange("I moved to Oslo", reply="Nice!", marked=True)
    await begin(store, exchange)
    await store.log.end_abandoned(exchange.turn.at + timedelta(hours=9))
    [message] = await store.index.unindexed(store.anna, limit=9)
    chunk = IndexedChunk(0, len(message.content), code=False, terms={"oslo": 1}, context={})
    await store.index.index(store.anna, IndexedMessage(message.id, (chunk,), {}, MODEL))

    await store.log.append(exchange)

    assert [each.content for each in await store.index.unindexed(store.anna, limit=9)] == ["Nice!"]


async def test_who_is_being_changed_keeps_no_others_turns_open(own_store: Store, own_dsn: str) -> None:
    store = own_store
    first, second = (store.exchange("I moved to Oslo", who.scope) for who in (store.anna, store.ben))
    for each in (first, second):
        await begin(store, each)

    async with administrator(own_dsn) as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", store.anna)
        async with asyncio.timeout(10):
            with pytest.raises(StoreBusyError):
                await store.log.end_abandoned(LATER)
    assert await store.log.end_abandoned(LATER) == 1, "Anna's"
    assert await progress(store, second) is Progress.PENDING
    assert [each.exchange.reply for each in await store.inbox.pending(store.ben, limit=9)] == [""]
