"""A summary says what a whole chat said: replaced or deleted, it leaves the words of the chat as they are."""

from typing import Any

import pytest
from tests.recollect.store.indexing import indexed, near, texts
from tests.recollect.store.keeping import apply, contents, edit, kept, last_update
from tests.support.notes import note_block
from tests.support.stores import EAST, LATER, NOON, NORTH, Store, vector

from recollect.model import (
    Actor,
    Exchange,
    Formed,
    Injection,
    Kind,
    Memory,
    Passage,
    Place,
    Provenance,
    Reason,
    Replace,
    Retire,
    Source,
)


def as_summary(*exchanges: Exchange) -> dict[str, Any]:
    told = tuple(known for each in exchanges for known in (each.message_id, each.reply_id))
    return {
        "kind": Kind.SUMMARY,
        "source": Source.SUMMARY,
        "provenance": Provenance("chat-1", told),
        "embedding": vector(*EAST),
    }


async def summarized_chat(store: Store) -> tuple[list[Exchange], Memory]:
    """Have a chat of two exchanges, formed, and a summary of it."""
    exchanges = [await indexed(store, "I like tea"), await indexed(store, "It rains", reply="So it does.")]
    assert await store.inbox.complete([Formed(each) for each in exchanges], at=NOON) is not None
    conversation = await store.inbox.to_summarize(store.anna, turns=2, tokens=0)
    assert conversation is not None
    summary = store.memory("Spoke of tea and rain.", **as_summary(*exchanges))
    await store.inbox.summarized(store.anna, conversation, summary, at=NOON)
    return exchanges, summary


async def changed(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH))
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


@pytest.mark.parametrize("known", [False, True])
async def test_what_a_replaced_summary_was_made_of_did_not_change(store: Store, known: bool) -> None:  # noqa: FBT001 -- a parameter of the test
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


async def test_who_deletes_a_summary_keeps_the_chat(store: Store) -> None:
    _, summary = await summarized_chat(store)
    block = Injection("a:1", Place.BESIDE, summary.content, (summary.id,), 1, NOON)
    await note_block(store.log, store.anna.scope, block, [])

    await apply(store, Retire(summary.id, Reason.DELETED))

    assert texts(await near(store, vector(*NORTH))) == {"I like tea", "I see.", "It rains", "So it does."}
    chat = await store.chats.chat(store.anna.scope, exchanges=9)
    assert (chat.summary, chat.injections) == ("", ())
    assert [each.said for each in chat.exchanges] == ["I like tea", "It rains"]


async def test_a_chat_whose_summary_is_deleted_is_not_summarized_at_once(store: Store) -> None:
    _, summary = await summarized_chat(store)

    await apply(store, Retire(summary.id, Reason.DELETED))

    assert await store.inbox.to_summarize(store.anna, turns=1, tokens=1) is None


async def test_a_deleted_summary_comes_back_when_that_is_undone(store: Store) -> None:
    _, summary = await summarized_chat(store)
    await apply(store, Retire(summary.id, Reason.DELETED))

    await store.memories.undo(store.anna, (await last_update(store)).id, actor=Actor.USER, at=LATER)

    assert (await store.chats.chat(store.anna.scope, exchanges=9)).summary == summary.content


async def test_who_deletes_a_verbatim_turn_deletes_its_words(store: Store) -> None:
    exchanges, _ = await summarized_chat(store)
    secret = exchanges[0]
    turn = await kept(
        store,
        "User: I like tea",
        kind=Kind.QA_TURN,
        source=Source.QA_TURN,
        provenance=Provenance("chat-1", (secret.message_id, secret.reply_id)),
    )

    await apply(store, Retire(turn.id, Reason.DELETED))

    assert texts(await near(store, vector(*NORTH))) == {"It rains", "So it does."}
