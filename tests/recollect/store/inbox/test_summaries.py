from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.recollect.store.indexing import indexed, near
from tests.recollect.store.indexing import said as log
from tests.recollect.store.indexing import texts as found
from tests.recollect.store.keeping import apply, contents, edit, kept, noted
from tests.support.stores import EAST, LATER, NOON, NORTH, Store, vector
from tests.support.watched_stores import Through
from uuid_utils.compat import uuid7

from recollect.model import (
    Action,
    Actor,
    Add,
    Conversation,
    Exchange,
    Formed,
    Kind,
    Material,
    Memory,
    Message,
    Outline,
    Passage,
    Provenance,
    Reason,
    Replace,
    Retire,
    Role,
    Scope,
    Source,
)
from recollect.store.summaries import ChatSummaries

OUTLINE = Outline(facts=("Drinks tea",), todos=("Buy a pot",))


async def formed(store: Store, *texts: str, scope: Scope | None = None, **changed: Any) -> list[Exchange]:
    """Log exchanges and mark them formed."""
    exchanges = [await log(store, text, scope or store.anna.scope, **changed) for text in texts]
    assert await store.inbox.complete([Formed(each) for each in exchanges], at=NOON) is not None
    return exchanges


async def due(store: Store, user_id: str | None = None, **limits: Any) -> Conversation:
    """Return the conversation that is due."""
    conversation = await store.inbox.to_summarize(user_id or store.anna, **{"turns": 2, "tokens": 0} | limits)
    assert conversation is not None
    return conversation


async def is_due(store: Store, **limits: Any) -> bool:
    return await store.inbox.to_summarize(store.anna, **{"turns": 2, "tokens": 0} | limits) is not None


def summary(
    store: Store, content: str, rests_on: Sequence[UUID], scope: Scope | None = None, **changed: Any
) -> Memory:
    scope = scope or store.anna.scope
    provenance = Provenance(scope.session_id, tuple(rests_on))
    given: dict[str, Any] = {"kind": Kind.SUMMARY, "source": Source.SUMMARY, "provenance": provenance}
    return store.memory(content, scope, outline=OUTLINE, **given | changed)


async def summarized(store: Store, content: str = "She drinks tea.") -> Memory:
    """Summarize the chat that is due."""
    conversation = await due(store)
    new = summary(store, content, conversation.message_ids)
    await store.inbox.summarized(store.anna, conversation, new, at=LATER)
    return new


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.material.messages]


# -- which chat is due -----------------------------------------------------------------------------


async def test_a_chat_is_due_after_so_many_formed_exchanges(store: Store) -> None:
    await formed(store, "one")
    await formed(store, "elsewhere", scope=store.anna.elsewhere)
    await formed(store, "Ben's", "Ben's too", scope=store.ben.scope)
    await log(store, "two")
    assert not await is_due(store)

    [pending] = await store.inbox.pending(store.anna, limit=9)
    await store.inbox.complete([Formed(pending.exchange)], at=NOON)

    conversation = await due(store)
    assert conversation.session_id == "chat-1"
    assert texts(conversation) == ["one", "I see.", "two", "I see."]
    assert texts(await due(store, store.ben)) == ["Ben's", "I see.", "Ben's too", "I see."]


async def test_a_chat_is_due_after_so_many_tokens(store: Store) -> None:
    await formed(store, "tea " * 400, reply="rain " * 400)

    assert not await is_due(store, turns=0, tokens=100_000)
    assert not await is_due(store, turns=0, tokens=0), "nothing makes it due"
    assert not await is_due(store, turns=2, tokens=100_000)
    assert await is_due(store, turns=2, tokens=700), "what was answered counts as well"
    assert await is_due(store, turns=0, tokens=1)
    assert await is_due(store, turns=1, tokens=0)


async def test_the_chat_that_waits_longest_comes_first(store: Store) -> None:
    older = [store.exchange("one", store.anna.elsewhere), store.exchange("two", store.anna.elsewhere)]
    await formed(store, "three", "four")
    for each in older:
        await store.log.append(each)
    await store.inbox.complete([Formed(each) for each in older], at=NOON)

    assert texts(await due(store)) == ["one", "I see.", "two", "I see."]


async def test_what_is_held_or_abandoned_or_an_alternate_is_left_out(store: Store) -> None:
    held = await log(store, "held")
    await store.inbox.postpone(held, error="broken", until=None)
    [first] = await formed(store, "one", parent="^")
    [second] = await formed(store, "two", parent="a")
    await store.log.append(store.exchange("two", key=second.turn.key, reply="another answer"))
    assert texts(await due(store)) == ["one", "I see.", "two", "I see."]

    await formed(store, "second again", parent="a")
    assert texts(await due(store)) == ["one", "I see.", "second again", "I see."]
    await formed(store, "first again", parent="^")

    assert not await is_due(store)
    assert texts(await due(store, turns=1)) == ["first again", "I see."]
    assert first.turn.scope == store.anna.scope


async def test_a_chat_that_is_left_out_is_not_due(store: Store) -> None:
    await formed(store, "one", "two")
    await formed(store, "three", "four", scope=store.anna.elsewhere)

    assert (await due(store, without=["chat-1", "unknown"])).session_id == "chat-2"
    assert not await is_due(store, without={"chat-1", "chat-2"})


async def test_a_chat_of_long_ago_is_not_due(store: Store) -> None:
    await formed(store, "one", "two")
    month = NOON + timedelta(days=30)
    await formed(store, "elsewhere", scope=store.anna.elsewhere, at=month)
    assert await is_due(store)

    await formed(store, "elsewhere still", scope=store.anna.elsewhere, at=month + timedelta(minutes=1))
    assert texts(await due(store)) == ["elsewhere", "I see.", "elsewhere still", "I see."]
    conversation = await due(store)
    await store.inbox.summarized(store.anna, conversation, None, at=LATER)
    assert not await is_due(store)

    await formed(store, "three", at=month)
    assert texts(await due(store)) == ["one", "I see.", "two", "I see.", "three", "I see."]


# -- what is to be summarized ----------------------------------------------------------------------


async def test_a_conversation_tells_all_that_a_summary_needs(store: Store) -> None:
    [first] = await formed(store, "I like tea", speaker="Anna K.", reply="")
    [last] = await formed(store, "Buy a pot", at=LATER, model="another")

    conversation = await due(store)

    assert conversation == Conversation(
        session_id="chat-1",
        material=Material(
            (
                Message(Role.USER, "I like tea", "Anna K."),
                Message(Role.USER, "Buy a pot"),
                Message(Role.ASSISTANT, "I see."),
            ),
            at=LATER,
        ),
        message_ids=(first.message_id, last.message_id, last.reply_id),
        last_turn=3,
        summary=None,
        model="another",
        authorized=True,
        exchange_id=last.id,
    )


async def test_a_turn_that_was_never_answered_is_summarized_once(store: Store) -> None:
    await formed(store, "one")
    await formed(store, "two", reply="")
    await summarized(store)

    await formed(store, "three")

    assert not await is_due(store, turns=2)


async def test_the_next_summary_takes_up_the_last_one(store: Store) -> None:
    await formed(store, "one", "two")
    new = await summarized(store)
    assert not await is_due(store)
    [third, fourth] = await formed(store, "three", "four")

    conversation = await due(store)

    assert texts(conversation) == ["three", "I see.", "four", "I see."]
    assert (conversation.material.before, conversation.material.outline) == ("She drinks tea.", OUTLINE)
    assert conversation.summary == new
    of_these = (third.message_id, third.reply_id, fourth.message_id, fourth.reply_id)
    assert conversation.message_ids == of_these + new.provenance.message_ids


async def test_a_chat_takes_up_its_own_summary_alone(store: Store) -> None:
    others = [
        summary(store, "elsewhere", (), store.anna.elsewhere, provenance=Provenance("chat-2")),
        store.memory("A fact", provenance=Provenance("chat-1")),
    ]
    await apply(store, *[Add(each) for each in others])
    await formed(store, "one", "two")

    conversation = await due(store)

    assert conversation.summary is None


async def test_of_a_long_backlog_the_last_part_is_summarized_and_long_messages_are_cut(store: Store) -> None:
    await formed(store, *(f"turn {number}" for number in range(102)), reply="")
    await formed(store, "🎉" * 5_000, reply="x" * 5_000)

    conversation = await due(store)

    assert texts(conversation)[:2] == ["turn 3", "turn 4"]
    assert texts(conversation)[-2:] == ["🎉" * 4_000, "x" * 4_000]
    assert len(texts(conversation)) == 99 + 2
    await store.inbox.summarized(store.anna, conversation, None, at=LATER)
    assert not await is_due(store, turns=1)


# -- what is kept ----------------------------------------------------------------------------------


async def test_a_summary_is_kept_in_place_of_the_last_one(store: Store) -> None:
    await formed(store, "one", "two")
    first = await summarized(store, "First.")
    await formed(store, "three", "four")
    conversation = await due(store)
    second = summary(store, "Second.", conversation.message_ids)

    done = await store.inbox.summarized(store.anna, conversation, second, at=LATER)

    assert done == [Replace(first.id, second, Reason.SUMMARIZED)]
    assert (await store.memories.page(store.anna, limit=9)).memories == (second,)
    assert (await store.chats.chat(store.anna.scope, exchanges=1)).summary == "Second."
    newest, oldest = await store.memories.history(store.anna, limit=9)
    assert (newest.action, newest.reason, newest.session_id) == (Action.REPLACE, Reason.SUMMARIZED, "chat-1")
    assert (oldest.action, oldest.actor, oldest.exchange_id) == (Action.ADD, Actor.FORMATION, None)
    assert not await is_due(store, turns=1)


async def test_a_summary_that_says_the_same_is_kept_all_the_same(store: Store) -> None:
    await formed(store, "one", "two")
    await summarized(store, "Same.")
    await formed(store, "three", "four")
    second = await summarized(store, "Same.")

    assert [each.id for each in (await store.memories.page(store.anna, limit=9)).memories] == [second.id]


@pytest.mark.parametrize("number", [0, 1])
async def test_a_summary_of_what_was_forgotten_meanwhile_is_not_kept(store: Store, number: int) -> None:
    exchanges = await formed(store, "I like tea", "It rains")
    tea = store.memory("Likes tea", provenance=Provenance("chat-1", (exchanges[number].message_id,)))
    await store.memories.apply(store.anna.scope, [Add(tea)], actor=Actor.FORMATION, at=NOON)
    conversation = await due(store)
    await store.memories.apply(store.anna.scope, [Retire(tea.id, Reason.DELETED)], actor=Actor.USER, at=NOON)

    new = summary(store, "She likes tea.", conversation.message_ids)

    assert await store.inbox.summarized(store.anna, conversation, new, at=LATER) == []
    assert (await store.memories.page(store.anna, limit=9)).memories == ()


async def test_once_a_summary_is_forgotten_all_that_is_left_of_the_chat_is_read_again(store: Store) -> None:
    [secret, _] = await formed(store, "I like tea", "It rains")
    tea = store.memory("Likes tea", provenance=Provenance("chat-1", (secret.message_id,)))
    await store.memories.apply(store.anna.scope, [Add(tea)], actor=Actor.FORMATION, at=NOON)
    await summarized(store)
    await store.memories.apply(store.anna.scope, [Retire(tea.id, Reason.DELETED)], actor=Actor.USER, at=NOON)
    assert (await store.chats.chat(store.anna.scope, exchanges=9)).summary == ""
    await formed(store, "It snows", "It hails")

    conversation = await due(store)

    assert texts(conversation) == ["It rains", "I see.", "It snows", "I see.", "It hails", "I see."]
    assert conversation.summary is None


async def test_a_summary_that_was_retired_meanwhile_leaves_the_chat_due(store: Store) -> None:
    await formed(store, "one", "two")
    first = await summarized(store)
    await formed(store, "three", "four")
    conversation = await due(store)
    await store.memories.apply(store.anna.scope, [Retire(first.id, Reason.CAP)], actor=Actor.PRUNE, at=NOON)

    second = summary(store, "Second.", conversation.message_ids)

    assert await store.inbox.summarized(store.anna, conversation, second, at=LATER) == []
    assert (await store.memories.page(store.anna, limit=9)).memories == ()
    again = await due(store)
    assert (again.summary, len(texts(again))) == (None, 8)


async def test_what_is_summarized_further_meanwhile_is_not_summarized_less_far(store: Store) -> None:
    await formed(store, "one", "two")
    earlier = await due(store)
    await formed(store, "three")
    later = await due(store)
    await store.inbox.summarized(store.anna, later, None, at=LATER)

    new = summary(store, "One and two.", earlier.message_ids)

    assert await store.inbox.summarized(store.anna, earlier, new, at=LATER) == []
    assert (await store.memories.page(store.anna, limit=9)).memories == ()


async def test_nothing_is_resurrected_of_an_erased_user(store: Store) -> None:
    await formed(store, "one", "two")
    conversation = await due(store)
    new = summary(store, "She drinks tea.", conversation.message_ids)
    await store.memories.erase(store.anna, at=NOON)

    assert await store.inbox.summarized(store.anna, conversation, new, at=LATER) == []
    assert (await store.memories.page(store.anna, limit=9)).memories == ()
    assert not await is_due(store)


async def test_a_summary_rests_neither_on_anothers_words_nor_on_what_was_never_said(store: Store) -> None:
    await formed(store, "one", "two")
    conversation = await due(store)
    bens = summary(store, "x", conversation.message_ids, store.ben.scope)
    assert await store.inbox.summarized(store.ben, conversation, bens, at=LATER + timedelta(days=1)) == []
    assert await due(store) == conversation

    invented = replace(conversation, message_ids=(*conversation.message_ids, uuid7()))
    new = summary(store, "x", invented.message_ids)
    assert await store.inbox.summarized(store.anna, invented, new, at=LATER) == []


class Interrupted:
    """A connection that lets something else be done after the first thing that it reads."""

    def __init__(self, connection: Any, between: Callable[[], Awaitable[object]]) -> None:
        self._connection = connection
        self._between = between

    async def fetchrow(self, *arguments: Any) -> Any:
        found = await self._connection.fetchrow(*arguments)
        await self._between()
        return found

    async def fetch(self, *arguments: Any) -> Any:
        return await self._connection.fetch(*arguments)


async def test_a_chat_that_is_erased_while_it_is_read_is_not_due(store: Store) -> None:
    said = store.exchange("I like tea")
    await store.log.append(said)
    await store.inbox.complete([Formed(said)], at=NOON)

    class Interrupting(Through):
        @asynccontextmanager
        async def for_user(self, user_id: str) -> AsyncIterator[Any]:
            async with store.database.for_user(user_id) as connection:
                yield Interrupted(connection, lambda: store.memories.erase(store.anna, at=NOON))

    interrupted: Any = Interrupting(store.database)
    assert await ChatSummaries(interrupted).to_summarize(store.anna, turns=1, tokens=0) is None


# -- the words of a chat, whose summary says what all of it said -----------------------------------


def as_summary(*exchanges: Exchange) -> dict[str, Any]:
    told = Provenance("chat-1", tuple(each for one in exchanges for each in (one.message_id, one.reply_id)))
    return {"kind": Kind.SUMMARY, "source": Source.SUMMARY, "provenance": told, "embedding": vector(*EAST)}


async def summarized_chat(store: Store) -> tuple[list[Exchange], Memory]:
    """Have a chat of two exchanges, formed, and a summary of it."""
    exchanges = [await indexed(store, "I like tea"), await indexed(store, "It rains", reply="So it does.")]
    assert await store.inbox.complete([Formed(each) for each in exchanges], at=NOON) is not None
    conversation = await due(store)
    summary = store.memory("Spoke of tea and rain.", **as_summary(*exchanges))
    await store.inbox.summarized(store.anna, conversation, summary, at=NOON)
    return exchanges, summary


async def changed(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH))
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


@pytest.mark.parametrize("known", [False, True])
async def test_what_a_replaced_summary_was_made_of_did_not_change(store: Store, *, known: bool) -> None:
    exchanges, summary = await summarized_chat(store)
    if known:
        await kept(store, "Spoke of the weather.")

    new = store.memory("Spoke of the weather.", **as_summary(*exchanges))
    await apply(store, Replace(summary.id, new, Reason.SUMMARIZED))

    assert await contents(store) == ["Spoke of the weather."]
    assert await changed(store) == dict.fromkeys(["I like tea", "I see.", "It rains", "So it does."])


async def test_what_an_edited_summary_was_made_of_did_not_change(store: Store) -> None:
    _, summary = await summarized_chat(store)

    await edit(store, summary.id, content="Rain.", at=LATER)

    assert set((await changed(store)).values()) == {None}


async def test_who_deletes_a_summary_keeps_the_chat_and_has_it_not_summarized_at_once(store: Store) -> None:
    _, summary = await summarized_chat(store)
    await noted(store, "a:1", summary.id, text=summary.content)

    await apply(store, Retire(summary.id, Reason.DELETED))

    assert found(await near(store, vector(*NORTH))) == {"I like tea", "I see.", "It rains", "So it does."}
    chat = await store.chats.chat(store.anna.scope, exchanges=9)
    assert (chat.summary, chat.injections) == ("", ())
    assert [each.said for each in chat.exchanges] == ["I like tea", "It rains"]
    assert not await is_due(store, turns=1, tokens=1)


async def test_who_deletes_a_verbatim_turn_deletes_its_words(store: Store) -> None:
    exchanges, _ = await summarized_chat(store)
    secret = exchanges[0]
    rests_on = Provenance("chat-1", (secret.message_id, secret.reply_id))
    turn = await kept(
        store, "User: I like tea", kind=Kind.QA_TURN, source=Source.QA_TURN, provenance=rests_on
    )

    await apply(store, Retire(turn.id, Reason.DELETED))

    assert found(await near(store, vector(*NORTH))) == {"It rains", "So it does."}
