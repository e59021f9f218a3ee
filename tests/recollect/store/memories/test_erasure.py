"""An erased statement or chat leaves no word in any row of any table; what other messages and chats told stays."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from typing import Any

import pytest
from tests.recollect.store.indexing import by_words, indexed, near, said, texts
from tests.recollect.store.keeping import (
    a_statement,
    added_to_a_prompt,
    apply,
    contents,
    edit,
    formed,
    history,
    kept,
    like_a_request,
    next_pending,
    noted,
    resting_on,
    rows_with,
    undo,
)
from tests.recollect.store.keeping import indexed as index_messages
from tests.servers.databases import administrator, sql_rows
from tests.support.notes import note_block, note_request
from tests.support.searching import lexicon_of, vocabulary
from tests.support.stores import LATER, MODEL, NOON, NORTH, Store, vector

from recollect.audit_rows import replay
from recollect.engine.exchange_recorder import begun
from recollect.errors import NotUndoableError
from recollect.indexed_message import index_by_words
from recollect.model import (
    Action,
    Actor,
    Add,
    Backlog,
    Caps,
    Doubt,
    Ending,
    Erase,
    Exchange,
    FailedAt,
    Failure,
    Flags,
    Formed,
    Injection,
    Kind,
    Limit,
    Mark,
    Memory,
    Message,
    Past,
    Place,
    Provenance,
    Quarantine,
    Reason,
    Reinforce,
    Replace,
    Retire,
    Role,
    Scope,
    Source,
    Unread,
    Update,
)

# -- statements ------------------------------------------------------------------------------------


WORD = "quokka"


def told_in(*said: Exchange) -> Provenance:
    return Provenance(
        said[0].turn.scope.session_id, tuple(each.message_id for each in said), said[0].turn.text
    )


async def talk(store: Store, scope: Scope | None = None) -> tuple[Memory, Memory]:
    """Talk of it until each table that can tell of it does; return the memory that does, and one of the same message."""
    scope = scope or store.anna.scope
    first = store.exchange(f"I breed {WORD} in Perth", scope, reply=f"{WORD} are fine")
    again = store.exchange(f"{WORD} in Perth", scope, reply="Other", key=first.turn.key)
    more = store.exchange(f"What else eats {WORD}?", scope, reply="Foxes.", at=LATER)
    behind = store.exchange("So it is.", scope, reply="Yes.", at=LATER)
    for each in (first, again, more, behind):
        await store.log.append(each)

    def told(content: str, by: Exchange = first, **changed: Any) -> Memory:
        return store.memory(content, scope, provenance=told_in(by), **changed)

    bred, ended, perth = told(f"Breeds {WORD}"), told(f"Wants {WORD}"), told("Lives in Perth")
    copy = told(f"Q: {first.turn.text}", kind=Kind.QA_TURN, source=Source.QA_TURN)
    order = Quarantine(told(f"Always greet {WORD}"), Reason.INSTRUCTION)
    await formed(store, first, Add(bred), Add(ended), Add(perth), Add(copy), order)
    kept = told(f"Keeps {WORD}", more)
    early, summary = (told(f"{each} of {WORD}", kind=Kind.SUMMARY) for each in ("Tells", "Spoke"))
    ending = Retire(ended.id, Reason.CONTRADICTS, kept)
    summaries = Add(early), Replace(early.id, summary, Reason.SUMMARIZED)
    await formed(store, more, Replace(bred.id, kept, Reason.REFINES), ending, *summaries)
    user_id = scope.user_id
    await store.flags.change_flags(user_id, Flags(profile=True), ("profile",), at=NOON)
    entry = replace(a_statement(kept.content), own_words=False)
    await store.profiles.propose(user_id, {entry.id: (kept.id, entry.field)}, at=NOON)
    await store.profiles.change(user_id, entry)
    await index_messages(store.index, user_id)
    await noted(store, "a:1", kept.id, text=f"Keeps {WORD}", scope=scope)
    await store.answers.reserve(user_id, "key", b"request", at=NOON)
    await store.answers.keep(user_id, "key", f"Keeps {WORD}".encode(), None, at=NOON)
    return kept, perth


async def erased(
    store: Store, *memories: Memory, text: str = f"I'd rather {WORD} weren't kept anywhere"
) -> Exchange:
    """Have memories erased for a message that asks for it."""
    wish = store.exchange(text, reply=f"No word of {WORD}.", at=LATER)
    await store.log.append(wish)
    await index_messages(store.index, store.anna)
    change = Erase(tuple(each.id for each in memories), (wish.message_id,))
    assert await formed(store, wish, change) == [change]
    return wish


async def test_no_row_of_any_table_tells_of_it(own_store: Store, own_dsn: str) -> None:
    kept, perth = await talk(own_store)
    assert (await rows_with(own_dsn, WORD)).keys() >= {
        "injections", "kept_answers", "memory_updates", "messages", "profile_entries", "message_chunks", "quarantine", "vectors",
    }  # fmt: skip

    shown = {"states_taste": "true", "lists": "true", "self_share": "1", "words": "9"}
    async with administrator(own_dsn) as connection:
        changed = ", ".join(f"{name} = {value}" for name, value in shown.items())
        await connection.execute(f"UPDATE recollect.messages SET {changed}")

    wish = await erased(own_store, kept)

    assert await rows_with(own_dsn, WORD) == {}
    [left] = (await own_store.memories.page(own_store.anna, limit=9)).memories
    assert (left.id, left.provenance.message_ids, left.provenance.evidence) == (perth.id, (), None)
    told = await history(own_store)
    assert replay(told) == {perth.id}
    assert (told[-1].action, told[-1].reason, told[-1].exchange_id) == (Action.ERASE, Reason.ERASED, wish.id)
    assert told[-1].before is None
    assert told[-1].details.keys() == {"memories", "exchanges", "ids"}
    assert (told[-1].details["memories"], told[-1].details["exchanges"]) == (1, 3)
    rows = await sql_rows(own_dsn, "SELECT * FROM recollect.messages WHERE content = ''")
    assert len(rows) > 4
    assert all((row["tokens"], *(row[name] for name in shown)) == (0, *[None] * 4) for row in rows)


async def test_what_has_nothing_to_do_with_it_stays(store: Store) -> None:
    told, bees, more = [
        await said(store, each) for each in (f"I breed {WORD}", "I keep bees", "Bees, and more")
    ]
    bred, beekeeper, both = [
        store.memory(content, provenance=told_in(*by))
        for content, by in (
            (f"Breeds {WORD}", [told]),
            ("Keeps bees", [bees]),
            ("Is busy", [bees, told, more]),
        )
    ]
    copies = [
        store.memory("Q: I keep bees", kind=Kind.QA_TURN, source=Source.QA_TURN, provenance=told_in(bees)),
        store.memory("Spoke of bees", kind=Kind.SUMMARY, provenance=told_in(bees)),
    ]
    order = Quarantine(store.memory("Always hum", provenance=told_in(bees)), Reason.APPROVAL, hides=False)
    todo, capped, rome = [
        await kept(store, each, kind=Kind.TODO) for each in ("Has to buy a pen", "Has a cap", "Is in Rome")
    ]
    await apply(store, Add(bred), Add(beekeeper), Add(both), *map(Add, copies), order)
    await apply(store, Retire(todo.id, Reason.ENDED, bred), Retire(capped.id, Reason.CAP))
    await apply(store, Replace(rome.id, store.memory("Is in Oslo"), Reason.CONTRADICTS))

    await apply(store, Erase((bred.id,), (told.message_id,)))

    assert {*await contents(store)} == {
        "Keeps bees",
        "Is busy",
        "Is in Oslo",
        *(each.content for each in copies),
    }
    assert {todo.content, capped.content, rome.content} <= {each.after for each in await history(store)}
    assert (await store.memories.get(store.anna, beekeeper.id)).provenance == beekeeper.provenance
    left = (await store.memories.get(store.anna, both.id)).provenance
    assert left.message_ids == (bees.message_id, more.message_id)
    assert [each.memory.content for each in await store.memories.quarantined(store.anna)] == ["Always hum"]


async def test_broken_answers_and_what_is_held_tell_of_it_no_more(own_store: Store, own_dsn: str) -> None:
    told = own_store.exchange(f"I breed {WORD}", reply="Fine.")
    other = own_store.exchange("Always answer in French", reply="Oui.", at=LATER)
    broken = replace(
        own_store.exchange("What do I breed?", reply=f"You breed {WORD}, and", at=LATER),
        failure=Failure(FailedAt.STREAM),
    )
    weather = replace(
        own_store.exchange("What of the weather?", reply="It is warm", at=LATER),
        failure=Failure(FailedAt.STREAM),
    )
    history_told = (Message(Role.ASSISTANT, f"You breed {WORD}, and"),)
    behind = own_store.exchange("Go on.", reply="Yes.", at=LATER, history=history_told)
    for each in (told, other, broken, behind, weather):
        await own_store.log.append(each)
    bred = own_store.memory(f"Breeds {WORD}", provenance=told_in(told))
    order = own_store.memory(f"Always speak of {WORD}", provenance=told_in(told, other))
    await formed(own_store, told, Add(bred))
    await formed(own_store, other, Quarantine(order, Reason.INSTRUCTION))
    await index_messages(own_store.index, own_store.anna)
    assert (await rows_with(own_dsn, WORD)).keys() >= {"exchanges", "quarantine"}

    await erased(own_store, bred)

    assert await rows_with(own_dsn, WORD) == {}
    assert (await rows_with(own_dsn, "warm")).keys() == {"exchanges"}, "what says nothing of it stays"


async def test_a_worker_that_has_read_it_for_the_index_brings_no_word_of_it_back(
    own_store: Store, own_dsn: str
) -> None:
    told = await said(own_store, f"I breed {WORD}", reply="")
    behind = await said(own_store, "Hello there, it rains in Rome", reply="")
    bred = await kept(own_store, f"Breeds {WORD}", **resting_on(told))
    read = await own_store.index.unindexed(own_store.anna, limit=9)
    made = [index_by_words(each, MODEL, embeddable=False) for each in read]
    assert made[1].chunks[0].context[WORD]
    await apply(own_store, Erase((bred.id,), (told.message_id,)))

    assert [await own_store.index.index(own_store.anna, each) for each in made] == [False, False]

    assert await rows_with(own_dsn, WORD) == {}
    async with administrator(own_dsn) as connection:
        words = "SELECT words FROM recollect.messages WHERE id = $1"
        assert await connection.fetchval(words, told.message_id) is None
    left = {each.id: each.before for each in await own_store.index.unindexed(own_store.anna, limit=9)}
    assert left[behind.message_id] == ""


async def test_the_request_sent_again_writes_no_text(own_store: Store, own_dsn: str) -> None:
    kept, _ = await talk(own_store)
    wish = await erased(own_store, kept)

    again = replace(own_store.exchange(wish.turn.text, reply=f"Again {WORD}"), turn=wish.turn)
    await own_store.log.write_phase(begun(again))
    assert not await own_store.log.append(again)
    answer = Message(Role.ASSISTANT, f"No word of {WORD}.")
    behind = own_store.exchange("And now?", at=LATER, history=(answer,))
    await own_store.log.append(behind)

    assert await rows_with(own_dsn, WORD) == {}


async def test_what_stands_beside_is_found_by_its_own_words(own_store: Store) -> None:
    kept, _ = await talk(own_store)
    await erased(own_store, kept)
    await index_messages(own_store.index, own_store.anna)

    assert {hit.item.content for hit in await by_words(own_store, "be", "yes")} >= {"Yes."}
    assert await by_words(own_store, WORD) == []


# -- chats, in all tables --------------------------------------------------------------------------


CHAT, OTHER = Scope("anna", f"chat about {WORD}"), Scope("anna", "chat-2")


async def test_no_row_of_any_table_tells_of_an_erased_chat(own_store: Store, own_dsn: str) -> None:
    await talk(own_store, CHAT)
    for text, scope in ((f"What of {WORD}?", CHAT), ("I live in Rome", OTHER)):
        await own_store.log.append(own_store.exchange(text, scope))
    assert await index_messages(own_store.index, "anna")
    await note_block(own_store.log, CHAT, added_to_a_prompt(WORD, anchor="a:2"), [])
    await note_request(own_store.log, like_a_request(CHAT))
    before = await rows_with(own_dsn, WORD)
    assert before.keys() == {
        *("exchanges", "injections", "memory_updates", "messages", "profile_entries", "message_chunks"),
        *("kept_answers", "quarantine", "request_metrics", "sessions", "vectors"),
    }

    erasure = await own_store.memories.erase_session(CHAT, at=LATER)

    assert await rows_with(own_dsn, WORD) == {}
    counted = dict(erasure.rows)
    told = before.keys() - {"profile_entries", "kept_answers"}
    assert counted.keys() >= told
    assert all(counted[table] >= 1 for table in told), counted
    async with administrator(own_dsn) as connection:
        assert await connection.fetchval("SELECT count(*) FROM recollect.message_chunks") == 2
        assert await connection.fetchval("SELECT count(*) FROM recollect.chunk_vectors") == 2
        assert await connection.fetchval("SELECT count(*) FROM recollect.erasures") == 1
    assert await own_store.memories.sessions("anna") == ["chat-2"]


async def test_what_another_chat_forgot_of_it_leaves_no_word(own_store: Store, own_dsn: str) -> None:
    said = own_store.exchange(f"I breed {WORD}", CHAT)
    await own_store.log.append(said)
    bred = own_store.memory(
        f"Breeds {WORD}", CHAT, provenance=Provenance(CHAT.session_id, (said.message_id,))
    )
    await own_store.inbox.complete([Formed(said, (Add(bred),))], at=NOON)
    newer = own_store.memory("Breeds llamas", OTHER)
    await apply(own_store, Replace(bred.id, newer, Reason.CONTRADICTS), scope=OTHER, actor=Actor.USER)
    await own_store.memories.apply(OTHER, [Retire(newer.id, Reason.FORGOTTEN)], actor=Actor.USER, at=NOON)

    await own_store.memories.erase_session(CHAT, at=LATER)

    assert await rows_with(own_dsn, WORD) == {}


# -- chats: what goes ------------------------------------------------------------------------------


async def audit(store: Store, user_id: str | None = None) -> list[Update]:
    """Return the user's audit, oldest first, but for the rows that say which memories went with a chat: ids alone."""
    rows = await history(store, user_id)
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
    assert replay(await audit(store, scope.user_id)) == {each.id for each in page.memories}
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


async def test_what_waits_to_be_formed_or_approved_goes(own_store: Store) -> None:
    waiting = await said(own_store, "I live in Rome")
    held = await said(own_store, "Always answer in rhymes")
    order = own_store.memory("Always answer in rhymes", **resting_on(held))
    await formed(own_store, held, Quarantine(order, Reason.INSTRUCTION))

    await erase(own_store)

    assert await next_pending(own_store) is None
    assert await own_store.inbox.backlog() == Backlog()
    assert await own_store.memories.quarantined(own_store.anna) == []
    assert await audit(own_store) == []
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
    assert await audit(store) == []
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
    assert {each.session_id for each in await audit(store)} == {None, "chat-2"}
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
    assert await audit(store) == []


async def test_the_audit_names_it_no_more_where_it_had_taught_too_many(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    again = await said(store, "I live in Rome", store.anna.elsewhere)
    await formed(store, again, Reinforce(rome.id, messages=(again.message_id,)))
    told = await said(store, "I have a dog")
    dog = store.memory("Has a dog", importance=0.9, **resting_on(told))
    await store.inbox.complete([Formed(told, (Add(dog),))], at=NOON, caps=Caps(session=1))
    assert await contents(store) == ["Has a dog"]

    await erase(store)

    assert {(each.session_id, each.exchange_id) for each in await audit(store)} == {
        (None, None),
        ("chat-2", again.id),
    }


async def test_another_chats_summary_that_says_what_was_said_goes_without_a_trace(store: Store) -> None:
    told, _ = await taught(store, "Breeds quokkas")
    other = await said(store, "Hello", store.anna.elsewhere)
    came = Provenance("chat-2", (other.message_id, told.message_id))
    await kept(store, "They spoke of quokkas", store.anna.elsewhere, kind=Kind.SUMMARY, provenance=came)

    await erase(store)

    assert await contents(store) == []
    assert "quokka" not in str(await audit(store))


async def test_of_what_the_person_wrote_over_nothing_says_what_the_chat_had_said(store: Store) -> None:
    _, quokkas = await taught(store, "Breeds quokkas")
    await edit(store, quokkas.id, content="Breeds hens")
    edited = (await audit(store))[-1]

    await erase(store)

    assert await contents(store) == ["Breeds hens"]
    assert "quokka" not in str(await audit(store))
    with pytest.raises(NotUndoableError):
        await undo(store, edited)
    assert await contents(store) == ["Breeds hens"]


async def test_of_what_the_person_brought_back_the_audit_has_the_words(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    await apply(store, Retire(rome.id, Reason.CAP))
    await undo(store)

    await erase(store)

    added, *_ = await audit(store)
    assert (added.action, added.after) == (Action.ADD, "Lives in Rome")


async def test_what_the_person_wrote_wrote_over_or_approved_stays(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    await edit(store, rome.id, content="Lives near Rome")
    held = await said(store, "Always answer in rhymes")
    order, bees = [
        store.memory(each, **resting_on(held)) for each in ("Always answer in rhymes", "Keeps bees")
    ]
    await formed(store, held, Quarantine(order, Reason.INSTRUCTION))
    await store.memories.release(store.anna, order.id, order, actor=Actor.USER, at=NOON)
    await apply(store, Add(bees, Reason.WRITTEN))

    await erase(store)

    assert sorted(await contents(store)) == ["Always answer in rhymes", "Keeps bees", "Lives near Rome"]
    [edited] = [each for each in await audit(store) if each.action is Action.EDIT]
    assert (edited.before, edited.after) == (None, "Lives near Rome")
    for each in (rome, order, bees):
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
    assert [each.action for each in await audit(store)] == [Action.ADD] * 3


async def _refined(store: Store, *, is_known: bool) -> tuple[Exchange, Memory]:
    """Have one chat say a statement of another, read in part, in full; return the exchange of that other, and the statement."""
    told = await said(store, "I live in Rome near the river", store.anna.elsewhere)
    rome = store.memory("Lives in Rome", store.anna.elsewhere, **resting_on(told))
    await store.inbox.complete([Formed(told, (Add(rome),), unread=Unread.UNREADABLE)], at=NOON)
    more = await said(store, "Rome, near the river")
    river = store.memory("Lives in Rome near the river", **resting_on(more))
    known = Add(river), Retire(rome.id, Reason.REFINES, river)
    await formed(store, more, *(known if is_known else [Replace(rome.id, river, Reason.REFINES)]))
    return told, river


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_took_over_the_words_of_another_chat_goes(store: Store, *, is_known: bool) -> None:
    await _refined(store, is_known=is_known)

    await erase(store)

    assert await contents(store) == ["Lives in Rome"]


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_these_words_told_too_once_they_were_formed_again_stays(
    store: Store, *, is_known: bool
) -> None:
    told, river = await _refined(store, is_known=is_known)
    await formed(store, told, Reinforce(river.id, messages=(told.message_id,)))

    await erase(store)

    left = [] if not is_known else ["Lives in Rome"]
    assert sorted(await contents(store)) == [*left, river.content]
    assert (await store.memories.get(store.anna, river.id)).provenance.message_ids == (told.message_id,)
    await erase(store, store.anna.elsewhere)
    assert await contents(store) == []


async def test_what_it_raised_and_put_aside_is_there_again_as_another_chat_told_it(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome", store.anna.elsewhere)
    again, moved = await said(store, "I live in Rome"), await said(store, "I moved to Oslo")
    await formed(store, again, Reinforce(rome.id, messages=(again.message_id,)))
    oslo = store.memory("Lives in Oslo", **resting_on(moved))
    await formed(store, moved, Add(oslo), Retire(rome.id, Reason.CONTRADICTS, oslo))

    await erase(store)

    assert await contents(store) == ["Lives in Rome"]
    assert (await store.memories.get(store.anna, rome.id)).provenance == rome.provenance


async def test_what_was_brought_back_by_no_person_goes(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    todo = (await taught(store, "Has to move", kind=Kind.TODO))[1]
    oslo = store.memory("Lives in Oslo", store.anna.elsewhere, holds_from=LATER)
    told = store.memory("Has moved", store.anna.elsewhere)
    done = Retire(todo.id, Reason.ENDED, told, past=Past(NOON, Ending.DONE, told.id))
    moves = Limit(rome.id, LATER, Reason.CONTRADICTS, oslo)
    await apply(store, Add(oslo), moves, Add(told), done, scope=store.anna.elsewhere)
    await apply(store, Retire(oslo.id, Reason.FORGOTTEN), scope=store.anna.elsewhere)
    await edit(store, told.id, content="Has not moved")
    assert sorted(await contents(store)) == ["Has not moved", "Has to move", "Lives in Rome"]

    await erase(store)

    assert await contents(store) == ["Has not moved"]


async def _done(store: Store, *, is_replaced: bool) -> Memory:
    """Have a to-do of one chat called done in another; return the statement that calls it so."""
    _, todo = await taught(store, "Has to hand in the essay", kind=Kind.TODO, tags=("school",))
    said_done = await said(store, "I handed the essay in", store.anna.elsewhere)
    done = store.memory("Has handed in the essay", store.anna.elsewhere, **resting_on(said_done))
    past = Past(NOON, Ending.DONE, done.id)
    changes = [Add(done), Retire(todo.id, Reason.ENDED, done, past=past)]
    await formed(
        store,
        said_done,
        *([Replace(todo.id, done, Reason.CONTRADICTS, past=past)] if is_replaced else changes),
    )
    return done


async def _state(store: Store) -> list[object]:
    """Return all that a person has and had, and of which messages something changed when."""
    snapshot = await store.snapshots.get(store.anna)
    exported = [
        json.loads(row)
        async for section, row in store.portability.export(store.anna)
        if section in {"memories", "messages"}
    ]
    rows = [row | {"linked_at": None} for row in exported]  # what is brought back is linked anew
    return [*snapshot.past.items, *snapshot.memories.items, await audit(store), rows]


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("is_replaced", [True, False])
async def test_a_to_do_is_done_again_where_the_chat_that_denied_it_is_erased(
    store: Store, *, is_replaced: bool, is_known: bool
) -> None:
    done = await _done(store, is_replaced=is_replaced)
    before = await _state(store)
    chat = store.anna.chat("chat-3")
    denied = store.memory("Has not handed in the essay", chat)
    slip = await said(store, "No, I did not hand it in", chat)
    denied = replace(denied, **resting_on(slip))
    correction = Replace(done.id, denied, Reason.CORRECTED)
    changes = (Add(denied), correction) if is_known else (correction,)
    await store.inbox.complete([Formed(slip, changes)], at=LATER)
    assert sorted(await contents(store)) == ["Has not handed in the essay", "Has to hand in the essay"]

    await erase(store, chat)

    assert await _state(store) == before
    await erase(store, store.anna.elsewhere)
    assert await contents(store) == ["Has to hand in the essay"]


async def test_what_is_held_back_goes_if_it_is_of_the_chat_or_of_its_messages_alone(store: Store) -> None:
    here, there = await said(store, "In rhymes!"), await said(store, "Rhymes!", store.anna.elsewhere)
    for content, session, messages in (
        ("of the chat, whose messages went before", "chat-1", []),
        ("of the chat and another", "chat-1", [here, there]),
        ("of no chat, and its messages alone", None, [here]),
        ("of no chat, and others' messages, too", None, [here, there]),
        ("of another chat, whose messages went before", "chat-2", []),
    ):
        came = Provenance(session, tuple(each.message_id for each in messages))
        await apply(store, Quarantine(store.memory(content, provenance=came), Reason.INSTRUCTION))

    await erase(store)

    held = await store.memories.quarantined(store.anna)
    assert {each.memory.content for each in held} == {
        "of no chat, and others' messages, too",
        "of another chat, whose messages went before",
    }


async def test_what_came_of_it_in_another_chat_stays_as_if_it_had_come_of_nothing(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome")
    moved = await said(store, "I moved to Oslo", store.anna.elsewhere)
    oslo = store.memory("Lives in Oslo", store.anna.elsewhere, **resting_on(moved))
    await formed(store, moved, Replace(rome.id, oslo, Reason.CONTRADICTS))

    await erase(store)

    assert await contents(store) == ["Lives in Oslo"]
    [row] = await audit(store)
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
    assert "Lives in Oslo" not in str(await audit(store))


async def test_what_the_person_asked_for_in_it_to_be_forgotten_stays_forgotten(store: Store) -> None:
    _, rome = await taught(store, "Lives in Rome", store.anna.elsewhere)
    command = await said(store, "Forget that I live in Rome")
    await formed(store, command, Retire(rome.id, Reason.FORGOTTEN))

    await erase(store)

    assert await contents(store) == []
    assert {each.session_id for each in await audit(store)} == {None, "chat-2"}


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
