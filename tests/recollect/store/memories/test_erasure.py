"""An erased statement is in no row of any table; other statements from the same messages stay."""

from dataclasses import replace

from tests.recollect.store.indexing import by_words
from tests.recollect.store.keeping import a_statement, added_to_a_prompt, formed, history
from tests.recollect.store.keeping import indexed as index_messages
from tests.recollect.store.memories.test_erased_chats import rows_with
from tests.support.notes import note_block
from tests.support.stores import LATER, NOON, Store

from recollect.audit import replay
from recollect.engine.recording.exchanges import begun
from recollect.model import (
    Action,
    Add,
    Erase,
    Exchange,
    FailedAt,
    Failure,
    Flags,
    Kind,
    Memory,
    Message,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Retire,
    Role,
    Source,
)

WORD = "quokka"


def told_in(*said: Exchange) -> Provenance:
    return Provenance(
        said[0].turn.scope.session_id, tuple(each.message_id for each in said), said[0].turn.text
    )


async def talk(store: Store) -> tuple[Memory, Memory]:
    """Talk of it until each table that can tell of it does; return the memory that does, and one of the same message."""
    first = store.exchange(f"I breed {WORD} in Perth", reply=f"{WORD} are fine")
    again = store.exchange(f"{WORD} in Perth", reply="Other", key=first.turn.key)
    more = store.exchange(f"What else eats {WORD}?", reply="Foxes.", at=LATER)
    behind = store.exchange("So it is.", reply="Yes.", at=LATER)
    for each in (first, again, more, behind):
        await store.log.append(each)
    bred = store.memory(f"Breeds {WORD}", provenance=told_in(first))
    kept = store.memory(f"Keeps {WORD}", provenance=told_in(more))
    ended = store.memory(f"Wants {WORD}", provenance=told_in(first))
    perth = store.memory("Lives in Perth", provenance=told_in(first))
    copy = store.memory(
        f"Q: {first.turn.text}", kind=Kind.QA_TURN, source=Source.QA_TURN, provenance=told_in(first)
    )
    summary = store.memory(f"Spoke of {WORD}", kind=Kind.SUMMARY, provenance=told_in(first))
    order = store.memory(f"Always greet {WORD}", provenance=told_in(first))
    await formed(
        store, first, Add(bred), Add(ended), Add(perth), Add(copy), Quarantine(order, Reason.INSTRUCTION)
    )
    await formed(
        store,
        more,
        Replace(bred.id, kept, Reason.REFINES),
        Retire(ended.id, Reason.CONTRADICTS, kept),
        Add(summary),
    )
    await store.flags.change_flags(store.anna, Flags(profile=True), ("profile",), at=NOON)
    entry = replace(a_statement(kept.content), own_words=False)
    await store.profiles.propose(store.anna, {entry.id: (kept.id, entry.field)}, at=NOON)
    await store.profiles.change(store.anna, entry)
    await index_messages(store.index, store.anna)
    await note_block(
        store.log, store.anna.scope, replace(added_to_a_prompt(f"Keeps {WORD}"), items=(kept.id,)), []
    )
    await store.answers.reserve(store.anna, "key", b"request", at=NOON)
    await store.answers.keep(store.anna, "key", f"Keeps {WORD}".encode(), None, at=NOON)
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
