"""Forgetting works through the log too: what somebody deleted does not come back in the words it was said in."""

from typing import Any

import pytest
from tests.contracts.indexing import by_words, index_all, indexed, near, said, texts, whole
from tests.contracts.keeping import apply, kept
from tests.contracts.stores import ANNA, BEN, LATER, MODEL, NOON, NORTH, Store, exchange, memory, vector

from recollect.model import (
    Actor,
    Add,
    Exchange,
    Ignore,
    Injection,
    Kind,
    Memory,
    Passage,
    Place,
    Provenance,
    Reason,
    Reinforce,
    Replace,
    Retire,
)


def resting_on(said: Exchange) -> dict[str, Any]:
    return {"provenance": Provenance(said.turn.scope.session_id, (said.message_id,), said.turn.text)}


async def forget(store: Store, *memories: Memory) -> None:
    await apply(store, *(Retire(each.id, Reason.DELETED) for each in memories))


async def changed(store: Store) -> dict[str, object]:
    hits = await near(store, vector(*NORTH))
    return {hit.item.content: hit.item.changed_at for hit in hits if isinstance(hit.item, Passage)}


async def test_what_a_forgotten_memory_was_said_in_is_found_no_more(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="Tea, noted.")
    await indexed(store, "It rains", reply="So it does.")
    tea = await kept(store, "Likes tea", **resting_on(secret))

    await forget(store, tea)

    assert texts(await near(store, vector(*NORTH))) == {"It rains", "So it does."}
    assert await by_words(store, "tea", "note") == []
    lexicon = await store.memories.lexicon("anna", ["tea", "rain"])
    assert (set(lexicon.occurrences), lexicon.documents) == ({"rain"}, 2)


async def test_what_is_hidden_can_not_be_named_either(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    [hit] = await by_words(store, "tea")
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    assert hit.document is not None
    assert await store.memories.search(ANNA, None, MODEL, documents=[hit.document], limit=9, log=True) == []


async def test_what_is_hidden_takes_no_place_of_others(store: Store) -> None:
    for number in range(4):
        secret = await indexed(store, f"Secret {number}", reply=f"Noted {number}")
        await forget(store, await kept(store, f"A secret {number}", **resting_on(secret)))
    await said(store, "It rains", reply="")
    await index_all(store, "anna", vector(1, 1, 0, 0))

    assert texts(await near(store, vector(*NORTH), limit=1)) == {"It rains"}


async def test_every_message_that_repeated_it_is_forgotten(store: Store) -> None:
    first = await indexed(store, "I like tea", reply="One.")
    second = await indexed(store, "As I said, tea", reply="Two.")
    third = await indexed(store, "Tea it is", reply="Three.")
    fourth = await indexed(store, "Coffee? No, tea", reply="Four.")
    tea = await kept(store, "Likes tea", **resting_on(first))
    await apply(store, Reinforce(tea.id, messages=(second.message_id,)))
    assert await apply(store, Add(memory("likes tea", **resting_on(third)))) == [
        Ignore(Reason.EQUAL_CONTENT, target=tea.id)
    ]
    coffee = await kept(store, "Likes coffee")
    await apply(store, Replace(coffee.id, memory("Likes tea.", **resting_on(fourth)), Reason.CONTRADICTS))
    kept_now = await store.memories.get("anna", tea.id)
    assert kept_now.provenance.message_ids == tuple(
        each.message_id for each in (first, second, third, fourth)
    )

    await forget(store, tea)

    assert await near(store, vector(*NORTH)) == []


async def test_a_message_is_noted_once_for_a_memory(store: Store) -> None:
    first = await said(store, "I like tea")
    tea = await kept(store, "Likes tea", **resting_on(first))

    await apply(store, Reinforce(tea.id, messages=(first.message_id,)), Reinforce(tea.id))

    assert (await store.memories.get("anna", tea.id)).provenance.message_ids == (first.message_id,)


async def test_a_message_hidden_before_it_is_indexed_is_never_found(store: Store) -> None:
    secret = await said(store, "I like tea", reply="Tea, noted.")
    follows = await said(store, "Rain next", reply="")
    messages = await store.index.unindexed("anna", limit=9)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    assert [each.before for each in await store.index.unindexed("anna", limit=9)][2] == ""
    for message in messages:
        assert await store.index.index("anna", whole(message)) is True

    assert {hit.item.id for hit in await near(store, vector(*NORTH))} == {follows.message_id}
    assert await by_words(store, "tea") == []
    assert await store.index.unindexed("anna", limit=9) == []
    assert await store.index.unembedded("anna", "words/other", limit=9) != []
    assert len(await store.index.unembedded("anna", "words/other", limit=9)) == 1


async def test_a_reply_to_what_was_forgotten_is_hidden_as_it_comes(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    await store.log.append(exchange("I like tea", key=secret.turn.key, reply="Tea, noted."))
    await index_all(store)

    assert await near(store, vector(*NORTH)) == await by_words(store, "tea") == []


async def test_what_is_hidden_gets_no_embeddings(store: Store) -> None:
    secret = await indexed(store, "I like tea", reply="")
    [chunk] = await store.index.unembedded("anna", "words/other", limit=9)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))

    assert await store.index.unembedded("anna", "words/other", limit=9) == []
    await store.index.embed("anna", chunk.document, [vector(*NORTH)], "words/other")
    assert await near(store, vector(*NORTH), model="words/other") == []


async def test_what_is_forgotten_is_not_shown_to_a_formation(store: Store) -> None:
    secret = await said(store, "I like tea", reply="Tea, noted.")
    await store.inbox.complete(secret, [], at=NOON)
    await forget(store, await kept(store, "Likes tea", **resting_on(secret)))
    await said(store, "And now?")

    pending = await store.inbox.next("anna")

    assert pending is not None
    assert pending[0].turn.history == ()


@pytest.mark.parametrize("reason", [Reason.CONTRADICTS, Reason.NOT_NEWER])
async def test_what_is_let_go_for_another_reason_stays_in_the_log(store: Store, reason: Reason) -> None:
    first = await indexed(store, "I like tea", reply="")
    tea = await kept(store, "Likes tea", **resting_on(first))

    await apply(store, Retire(tea.id, reason))

    assert texts(await near(store, vector(*NORTH))) == {"I like tea"}


async def test_forgetting_hides_nothing_of_another_user(store: Store) -> None:
    first = await indexed(store, "I like tea", BEN)
    await forget(store, await kept(store, "Likes tea", **resting_on(first)))

    assert texts(await near(store, vector(*NORTH), BEN)) == {"I like tea", "I see."}


async def test_what_was_replaced_is_found_with_the_note_that_it_changed(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="Rome!")
    second = await indexed(store, "I live in Oslo now", reply="Oslo!")
    rome = await kept(store, "Lives in Rome", **resting_on(first))

    oslo = memory("Lives in Oslo", **resting_on(second))
    await store.memories.apply(
        ANNA, [Replace(rome.id, oslo, Reason.CONTRADICTS)], actor=Actor.FORMATION, at=LATER
    )

    assert await changed(store) == {
        "I live in Rome": LATER,
        "Rome!": LATER,
        "I live in Oslo now": None,
        "Oslo!": None,
    }


async def test_what_was_replaced_by_what_is_known_is_noted_too(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="")
    rome = await kept(store, "Lives in Rome", **resting_on(first))
    await kept(store, "Lives in Oslo")

    await apply(store, Replace(rome.id, memory("lives in Oslo"), Reason.CONTRADICTS))

    assert await changed(store) == {"I live in Rome": NOON}


async def test_an_edit_of_the_content_is_noted_and_another_is_not(store: Store) -> None:
    first = await indexed(store, "I live in Rome", reply="")
    rome = await kept(store, "Lives in Rome", **resting_on(first))

    await store.memories.edit("anna", rome.id, kind=Kind.DECISION, actor=Actor.USER, at=LATER)
    assert await changed(store) == {"I live in Rome": None}
    await store.memories.edit("anna", rome.id, content="Lives in Oslo", actor=Actor.USER, at=LATER)

    assert await changed(store) == {"I live in Rome": LATER}


async def test_blocks_that_speak_of_what_is_forgotten_or_edited_go(store: Store) -> None:
    first = await said(store, "I like tea")
    tea, rain = await kept(store, "Likes tea", **resting_on(first)), await kept(store, "Likes rain")
    sun = await kept(store, "Likes sun")
    items = {"a:1": tea.id, "a:2": rain.id, "a:3": first.reply_id, "a:4": sun.id}
    for anchor, item in items.items():
        await store.chats.inject(ANNA, Injection(anchor, Place.BESIDE, anchor, (item,), 1, NOON), [])

    async def attached() -> list[str]:
        return [each.anchor for each in (await store.chats.chat(ANNA, exchanges=9)).injections]

    assert await attached() == ["a:1", "a:2", "a:3", "a:4"]
    await forget(store, tea)
    assert await attached() == ["a:2", "a:4"]
    await store.memories.edit("anna", rain.id, content="Likes snow", actor=Actor.USER, at=NOON)
    assert await attached() == ["a:4"]
    again = Injection("a:1", Place.BESIDE, "again", (sun.id,), 1, NOON)
    await store.chats.inject(ANNA, again, [])
    assert await attached() == ["a:1", "a:4"]
