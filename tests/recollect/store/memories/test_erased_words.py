"""What an erasure reads of a chat: the messages next to an erased one, and the answers that are no messages."""

from dataclasses import replace
from typing import Any

import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import apply, kept
from tests.support.notes import note_block
from tests.support.stores import LATER, NOON, Store

from recollect.model import (
    Erase,
    Exchange,
    FailedAt,
    Failure,
    Injection,
    Message,
    Place,
    Role,
    Scope,
)
from recollect.store.sql import SQL

BROKEN = Failure(FailedAt.STREAM)


async def read(store: Store, query: str, *arguments: object) -> list[Any]:
    async with store.database.for_user(store.anna) as connection:
        rows = await connection.fetch(SQL[query], store.anna, *arguments)
    return [row["id"] for row in rows]


async def contents_of(store: Store, ids: list[Any]) -> list[str]:
    query = "SELECT content FROM messages WHERE user_id = $1 AND id = ANY ($2::uuid[]) ORDER BY content"
    async with store.database.for_user(store.anna) as connection:
        return [row["content"] for row in await connection.fetch(query, store.anna, ids)]


async def test_next_to_a_message_is_what_was_said_right_before_and_behind_it_in_its_chat(
    store: Store,
) -> None:
    first = await said(store, "1", reply="1 a")
    await store.log.append(store.exchange("1", key=first.turn.key, reply="1 b"))
    second = await said(store, "2", reply="")
    third = await said(store, "3", reply="3 a")
    for number in range(4):
        await said(store, f"x {number}", store.anna.elsewhere, reply=f"y {number}")

    for message, beside in (
        (first.message_id, ["1 a", "1 b"]),
        (second.message_id, ["1 a", "1 b", "3"]),
        (third.message_id, ["2", "3 a"]),
        (third.reply_id, ["3"]),
    ):
        assert await contents_of(store, await read(store, "beside_messages", [message])) == beside
    both = [second.message_id, third.message_id]
    assert await contents_of(store, await read(store, "beside_messages", both)) == ["1 a", "1 b", "3 a"]


async def broke_off(store: Store, key: str, chat: Scope, **changed: Any) -> Exchange:
    """Log an exchange whose answer broke off."""
    exchange = replace(store.exchange(key, chat, key=key, reply="So", **changed), failure=BROKEN)
    await store.log.append(exchange)
    return exchange


async def given(store: Store, said: Exchange, *items: Any, chat: Scope | None = None) -> None:
    """Note that a turn's prompt was given these items."""
    scope = chat or said.turn.scope
    await note_block(store.log, scope, Injection(said.turn.anchor, Place.SYSTEM, "Notes", items, 9, NOON), [])


async def test_answers_that_may_tell_of_it_are_those_behind_it_and_those_given_it(store: Store) -> None:
    tea, other = await kept(store, "Drinks tea"), await kept(store, "Keeps bees")
    here, there = store.anna.scope, store.anna.elsewhere
    before, told, behind, again = [await broke_off(store, key, here) for key in ("1", "2", "3", "4")]
    early, asked, late = [await broke_off(store, key, there) for key in ("5", "6", "7")]
    alike = await broke_off(store, "8", store.anna.chat("chat-3"))
    await given(store, asked, tea.id)
    await given(store, early, other.id)
    await given(store, alike, other.id)
    await given(store, alike, tea.id, chat=store.anna.chat("chat-4"))  # the anchor of another chat
    assert before.turn.anchor != asked.turn.anchor

    found = await read(store, "answers_outside_the_log", [told.message_id], [tea.id])

    assert {*found} == {behind.id, again.id, asked.id, late.id}


@pytest.mark.parametrize("is_next", [True, False])
async def test_what_exchanges_keep_of_erased_turns_goes_whatever_its_words(
    store: Store, *, is_next: bool
) -> None:
    def answered(text: str) -> dict[str, Any]:
        return {"history": (Message(Role.ASSISTANT, text),)}

    await said(store, "One", reply="", **answered("Zero."))
    told = replace(store.exchange("Two", reply="Part", **answered("First.")), failure=BROKEN)
    await store.log.append(told)
    behind = await said(store, "Three", reply="", **answered("Second."))
    await said(store, "Four", reply="", at=LATER, **answered("Third."))
    elsewhere = store.anna.elsewhere
    for number in range(3):
        await said(store, f"Elsewhere {number}", elsewhere, reply="", **answered(f"Other {number}."))

    erased = [told.message_id, *([behind.message_id] if is_next else [])]
    await apply(store, Erase((), tuple(erased)))

    query = "SELECT concat_ws(' ', answered, partial) AS kept FROM exchanges WHERE user_id = $1 ORDER BY said_at, id"
    async with store.database.for_user(store.anna) as connection:
        left = {row["kept"] for row in await connection.fetch(query, store.anna)} - {""}
    assert left == {"Zero.", "Other 0.", "Other 1.", "Other 2."} | (set() if is_next else {"Third."})
