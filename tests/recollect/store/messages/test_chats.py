from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.recollect.store.indexing import said
from tests.recollect.store.keeping import added_to_a_prompt, apply, indexed, kept, like_a_request, undo
from tests.support.notes import note_block, note_request
from tests.support.stores import LATER, NOON, Store
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import (
    COMMONS,
    Add,
    Change,
    Chat,
    Exchange,
    Formed,
    Hide,
    Injection,
    Kind,
    LoggedExchange,
    Message,
    Place,
    Provenance,
    Reason,
    Replace,
    RequestRecord,
    Retire,
    Role,
    Scope,
    SearchPath,
    Skip,
    Source,
    Stage,
    TurnNotes,
)


def injection(anchor: str = "a:1", block: str = "[memory] tea", **changed: Any) -> Injection:
    return replace(Injection(anchor, Place.SYSTEM, block, (), 12, NOON), **changed)


async def attached(store: Store, scope: Scope | None = None) -> list[str]:
    return [
        each.block for each in (await store.chats.chat(scope or store.anna.scope, exchanges=9)).injections
    ]


def logged(said: Exchange, place: int, **changed: Any) -> LoggedExchange:
    turn = said.turn
    known = LoggedExchange(
        turn.key, place, turn.text, said.reply, turn.speaker, len(turn.history), turn.anchor
    )
    return replace(known, **changed)


# -- exchanges of a chat ---------------------------------------------------------------------------


async def test_a_chat_tells_its_last_exchanges_oldest_first(store: Store) -> None:
    assert replace(await store.chats.chat(store.anna.scope, exchanges=9), versions=None) == Chat()
    history = (Message(Role.USER, "hello"), Message(Role.ASSISTANT, "Hi!"))
    anchors = ((0, "a:0"), (2, "a:2"))
    exchanges = [
        await said(store, "one", reply="first"),
        await said(store, "two", reply="", speaker="Anna K.", history=history, anchors=anchors),
        await said(store, "three", reply="third"),
    ]
    await said(store, "elsewhere", store.anna.elsewhere)
    await said(store, "Ben's", store.ben.scope)

    chat = await store.chats.chat(store.anna.scope, exchanges=2)

    assert chat.exchanges == (logged(exchanges[1], 2), logged(exchanges[2], 4))
    assert (chat.exchanges[0].carried, chat.exchanges[0].anchor) == (2, "a:2")
    whole = await store.chats.chat(store.anna.scope, exchanges=99)
    assert [each.said for each in whole.exchanges] == ["one", "two", "three"]
    assert (await store.chats.chat(store.anna.scope, exchanges=0)).exchanges == ()


async def test_a_late_reply_is_told_and_an_alternate_is_not(store: Store) -> None:
    left = await said(store, "one", reply="")
    await store.log.append(store.exchange("one", key=left.turn.key, reply="late"))
    await store.log.append(store.exchange("one", key=left.turn.key, reply="another"))

    assert (await store.chats.chat(store.anna.scope, exchanges=9)).exchanges == (
        logged(left, 0, reply="late"),
    )


async def test_a_chat_has_its_newest_summary(store: Store) -> None:
    await said(store, "hello")
    await said(store, "hello", store.anna.elsewhere)
    for number in range(3):
        await kept(store, f"Summary {number}", kind=Kind.SUMMARY, provenance=Provenance("chat-1"), id=uuid7())
    await kept(store, "No summary", provenance=Provenance("chat-1"))
    newest = (await store.memories.page(store.anna, limit=9)).memories[1]

    assert (await store.chats.chat(store.anna.scope, exchanges=9)).summary == "Summary 2"
    assert (await store.chats.chat(store.anna.elsewhere, exchanges=9)).summary == ""

    await apply(store, Retire(newest.id, Reason.CONTRADICTS))
    assert (await store.chats.chat(store.anna.scope, exchanges=9)).summary == "Summary 1"


async def test_a_chat_begins_with_the_version_that_was_kept_of_its_first_message(store: Store) -> None:
    await said(store, "hello", parent="^")
    await said(store, "goodbye", parent="^")
    await said(store, "hello", parent="a")

    async def begun(text: str) -> list[str]:
        chat = await store.chats.chat(store.anna.scope, exchanges=9, unless_begun=text)
        return [each.said for each in chat.exchanges]

    assert await begun("hello") == ["goodbye", "hello"]
    assert await begun("goodbye") == []


async def test_a_chat_begins_with_a_message_whose_secrets_were_masked(store: Store) -> None:
    await said(store, "My wifi password is [secret: password], it is on the fridge", parent="^")

    async def begins(text: str) -> bool:
        return not (await store.chats.chat(store.anna.scope, exchanges=9, unless_begun=text)).exchanges

    assert await begins("My wifi password is sunflowerfield, it is on the fridge")
    assert await begins("My wifi password is [secret: password], it is on the fridge")
    assert not await begins("My wifi password is sunflowerfield, it is on the door")
    assert not await begins("The wifi password is sunflowerfield, it is on the fridge")
    assert not await begins("My wifi password is , it is on the fridge")
    await said(store, "[secret: password]", store.anna.elsewhere, parent="^")
    chat = await store.chats.chat(store.anna.elsewhere, exchanges=9, unless_begun="Hello, how are you today?")
    assert [each.said for each in chat.exchanges] == ["[secret: password]"]


# -- requests to the memory in it ------------------------------------------------------------------


async def formed(store: Store, said: Exchange, *changes: Change, at: datetime = LATER) -> None:
    """Complete an exchange of Anna's, or of Ben's."""
    assert await store.inbox.complete([Formed(said, changes)], at=at) is not None


async def done(
    store: Store, scope: Scope | None = None, *, exchanges: int = 0
) -> list[tuple[Reason, str | None]]:
    chat = await store.chats.chat(scope or store.anna.scope, exchanges=exchanges)
    return [(each.reason, each.after or each.before) for each in chat.done]


@pytest.mark.parametrize("exchanges", [0, 9])
async def test_what_was_asked_for_and_done_since_the_last_turn_is_told(store: Store, exchanges: int) -> None:
    tea, rain = await kept(store, "Likes tea"), await kept(store, "Likes rain")
    asking = await said(store, "Remember that I like coffee, not tea, and forget the rain.")
    await formed(
        store,
        asking,
        Add(store.memory("Likes coffee"), Reason.ASKED),
        Add(store.memory("Lives in Ljubljana")),
        Retire(rain.id, Reason.FORGOTTEN),
        Replace(tea.id, store.memory("Does not like tea"), Reason.CORRECTED),
    )

    expected = [
        (Reason.ASKED, "Likes coffee"),
        (Reason.FORGOTTEN, "Likes rain"),
        (Reason.CORRECTED, "Does not like tea"),
    ]
    assert await done(store, exchanges=exchanges) == expected
    assert await done(store, store.anna.elsewhere) == await done(store, store.ben.scope) == []
    [asked, *_] = (await store.chats.chat(store.anna.scope, exchanges=0)).done
    assert (asked.session_id, asked.exchange_id, asked.at) == ("chat-1", asking.id, LATER)

    await said(store, "Thank you.", at=LATER + timedelta(minutes=1))
    assert await done(store, exchanges=exchanges) == []


async def test_of_what_was_done_no_more_than_ten_are_told(store: Store) -> None:
    changes = [Add(store.memory(f"Fact {number}"), Reason.ASKED) for number in range(12)]
    await formed(store, await said(store, "Remember all that."), *changes)

    assert await done(store) == [(Reason.ASKED, f"Fact {number}") for number in range(10)]


async def test_what_was_undone_is_not_told_as_done(store: Store) -> None:
    changes = [Add(store.memory("Likes tea"), Reason.ASKED), Add(store.memory("Likes rain"), Reason.ASKED)]
    await formed(store, await said(store, "Remember tea and rain."), *changes)
    [tea, _] = (await store.chats.chat(store.anna.scope, exchanges=0)).done

    await undo(store, tea)

    assert await done(store) == [(Reason.ASKED, "Likes rain")]


async def test_what_an_abandoned_message_asked_for_was_not_done(store: Store) -> None:
    asking = await said(store, "Remember tea.", parent="^")
    await formed(store, asking, Add(store.memory("Likes tea"), Reason.ASKED))
    assert await done(store) == [(Reason.ASKED, "Likes tea")]

    await said(store, "Remember rain.", parent="^")

    assert await done(store) == []


# -- blocks of its prompts -------------------------------------------------------------------------


async def test_what_was_added_comes_back_byte_for_byte_oldest_first(store: Store) -> None:
    of = (await said(store, "I like tea")).reply_id, (await kept(store, "Likes tea")).id
    second = injection("a:2", " [memory]\r\n🎉 second\n", at=LATER, place=Place.BESIDE, items=of)
    first = injection("a:9", items=of[::-1])
    third = injection("a:3", at=LATER)
    for each in (second, first, third):
        await note_block(store.log, store.anna.scope, each, [])

    assert (await store.chats.chat(store.anna.scope, exchanges=9)).injections == (first, second, third)
    assert await attached(store, store.anna.elsewhere) == await attached(store, store.ben.scope) == []


async def test_what_was_added_first_stays(store: Store) -> None:
    await note_block(store.log, store.anna.scope, None, ["a:1"])  # detaches nothing that comes later
    await note_block(store.log, store.anna.scope, injection(block="first"), [])
    await note_block(store.log, store.anna.scope, injection(block="second"), [])
    await note_block(store.log, store.anna.elsewhere, injection(block="elsewhere"), [])

    assert await attached(store) == ["first"]
    assert await attached(store, store.anna.elsewhere) == ["elsewhere"]


async def test_what_is_detached_is_added_no_more_but_what_replaces_it_is(store: Store) -> None:
    for scope in (store.anna.scope, store.anna.elsewhere):
        for number in range(3):
            await note_block(store.log, scope, injection(f"a:{number}", f"block {number}"), [])

    await note_block(store.log, store.anna.scope, injection("a:3", "block 3"), ["a:0", "a:1", "a:unknown"])
    await note_block(store.log, store.anna.scope, injection("a:0", "again"), [])
    await note_block(store.log, store.anna.scope, None, ["a:2"])

    assert await attached(store) == ["again", "block 3"]
    assert await attached(store, store.anna.elsewhere) == ["block 0", "block 1", "block 2"]


async def test_a_block_that_can_not_be_stored_is_mended(store: Store) -> None:
    await note_block(store.log, store.anna.scope, injection(block="a\x00b\ud800"), [])

    assert await attached(store) == ["a\ufffdb\ufffd"]


async def test_what_speaks_of_what_is_everybodys_is_noted_while_it_is_kept(own_store: Store) -> None:
    common: dict[str, Any] = {"owner": COMMONS, "source": Source.GLOBAL}
    tea, rain = (own_store.memory(each, **common) for each in ("Tea at four", "Rain at five"))
    await own_store.memories.keep_globals([tea, rain], [], at=NOON)
    await own_store.memories.keep_globals([], [rain.id], at=LATER)

    await note_block(own_store.log, own_store.anna.scope, injection("a:1", "tea", items=(tea.id,)), [])
    await note_block(own_store.log, own_store.anna.scope, injection("a:2", "rain", items=(rain.id,)), [])

    assert await attached(own_store) == ["tea"]


@pytest.mark.parametrize("session_id", ["", "a\x00", "\ud800"])
async def test_an_impossible_chat_is_refused(store: Store, session_id: str) -> None:
    with pytest.raises(StoreError):
        await store.chats.chat(Scope(store.anna, session_id), exchanges=9)
    with pytest.raises(StoreError):
        await note_block(store.log, Scope(store.anna, session_id), injection(), [])


# -- records of its requests -----------------------------------------------------------------------


def request(scope: Scope, **changed: Any) -> RequestRecord:
    return replace(RequestRecord(uuid7(), NOON, scope, "chat/stable", "scripted"), **changed)


async def test_a_request_comes_back_as_it_was_first_noted(store: Store) -> None:
    counted = {"candidates": 9, "dense_hits": 8, "lexical_hits": 7, "log_hits": 6, "items": 5, "tokens": 400}
    sizes = {"history_tokens": 300, "truncated": 2, "budget": 1000, "block_tokens": 120, "milliseconds": 12.5}
    full = request(
        store.anna.scope,
        **counted,
        **sizes,
        skipped=Skip.NOTHING_RELEVANT,
        degraded=(Stage.EMBEDDING, Stage.CHAT),
        error_stage=Stage.SEARCH,
        top_scores=(0.87, 0.333333),
        gate_score=0.1,
        stages={Stage.EMBEDDING: 7.1, Stage.SEARCH: 3.3},
        flags=("user-wide", "reattached"),
        explanation={"found": [{"id": str(uuid7()), "score": 0.5}], "none": None},
        found_by=SearchPath.LEXICAL,
        given_by={"statements": 3, "summaries": 1},
        marked=True,
        complains=False,
        key="the key of a turn",
    )
    bare = request(store.ben.scope)

    for each in (full, bare, replace(bare, model="another")):
        await note_request(store.log, each)

    assert await store.requests.request(full.id) == full
    assert await store.requests.request(bare.id) == bare


async def test_nothing_is_noted_of_a_turn_from_before_an_erasure(store: Store) -> None:
    chat, other = store.anna.scope, store.anna.elsewhere
    await store.memories.erase_session(chat, at=LATER)
    of_chat = TurnNotes(added_to_a_prompt("Said before"), (), like_a_request(chat))
    later = TurnNotes(replace(added_to_a_prompt("Said since"), at=LATER), (), None)

    await store.log.write_notes(chat, of_chat)
    await store.log.write_notes(chat, later)
    elsewhere = TurnNotes(added_to_a_prompt("Said elsewhere"), (), like_a_request(other))
    await store.log.write_notes(other, elsewhere)

    chats = [await store.chats.chat(each, exchanges=0) for each in (chat, other)]
    blocks = [injection.block for each in chats for injection in each.injections]
    assert blocks == ["Said since", "Said elsewhere"]
    assert [each.scope for each in await store.requests.requests_of(store.anna, limit=9)] == [other]


async def test_names_that_can_not_be_stored_are_mended(store: Store) -> None:
    named = request(store.anna.chat("s\x00"), model="m\ud800")

    await note_request(store.log, named)

    kept_ = await store.requests.request(named.id)
    assert kept_ is not None
    assert (kept_.scope.session_id, kept_.model) == ("s\ufffd", "m\ufffd")


async def test_what_a_user_asked_is_told_newest_first_and_to_nobody_else(store: Store) -> None:
    older, newer = (RequestRecord(uuid7(), NOON, store.anna.scope, "completions/stable", "m") for _ in "ab")
    for request in (older, newer):
        await note_request(store.log, request)
    await note_request(store.log, RequestRecord(uuid7(), NOON, store.ben.scope, "completions/stable", "m"))

    async def told(**asked: Any) -> list[Any]:
        requests = await store.requests.requests_of(store.anna.scope.user_id, **asked)
        return [each.id for each in requests]

    assert await told(limit=9) == [newer.id, older.id]
    assert await told(limit=1) == [newer.id]
    assert await told(limit=9, after=newer.id) == [older.id]
    assert await store.requests.request_of(store.anna.scope.user_id, older.id) == older
    assert await store.requests.request_of(store.ben.scope.user_id, older.id) is None


async def test_what_a_message_says_is_told_to_whose_it_is_until_it_is_hidden(store: Store) -> None:
    exchange = await said(store, "I drink Lapsang", reply="Noted.")
    [unindexed, *_] = await store.index.unindexed(store.anna.scope.user_id, limit=9)
    assert unindexed.id == exchange.message_id
    await indexed(store.index, store.anna.scope.user_id)
    item = (exchange.message_id, 0)

    assert await store.requests.contents(store.anna, [item[0]], [store.anna]) == {item: "I drink Lapsang"}
    assert await store.requests.contents(store.ben, [item[0]], [store.ben]) == {}
    await apply(store, Hide((exchange.message_id,), Reason.FORGOTTEN))
    assert await store.requests.contents(store.anna, [item[0]], [store.anna]) == {}
