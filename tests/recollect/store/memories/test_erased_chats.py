"""No row of any table tells of a chat that was erased."""

from dataclasses import replace

from tests.recollect.store.keeping import a_statement, added_to_a_prompt, apply, indexed, like_a_request
from tests.servers.databases import administrator
from tests.support.notes import note_block, note_request
from tests.support.stores import LATER, NOON, Store

from recollect.model import (
    Actor,
    Add,
    Flags,
    Formed,
    Kind,
    Provenance,
    Quarantine,
    Reason,
    Replace,
    Retire,
    Scope,
)

WORD = "quokka"
CHAT, OTHER = Scope("anna", f"chat about {WORD}"), Scope("anna", "chat-2")
ROWS = "SELECT row_to_json(each)::text AS row FROM recollect.{table} AS each"


async def rows_with(dsn: str, word: str) -> dict[str, int]:
    """Return how many rows of each table tell of it, also in bytes."""
    async with administrator(dsn) as connection:
        tables = await connection.fetch(
            "SELECT relname AS name FROM pg_class WHERE relnamespace = 'recollect'::regnamespace "
            "AND relkind IN ('r', 'p') AND NOT relispartition"
        )
        counts = {
            table["name"]: sum(
                word in row["row"] or word.encode().hex() in row["row"]
                for row in await connection.fetch(ROWS.format(table=table["name"]))
            )
            for table in tables
        }
    return {table: count for table, count in counts.items() if count}


async def talk(store: Store) -> None:
    """Talk of it in a chat, until each table that can tell of a chat does."""
    said = store.exchange(f"I breed {WORD}", CHAT, reply=f"{WORD} are fine")
    for each in (said, store.exchange(f"I breed {WORD}", CHAT, reply="Other", key=said.turn.key)):
        await store.log.append(each)
    came = Provenance(CHAT.session_id, (said.message_id,), f"I breed {WORD}")
    bred, kept = (store.memory(f"{verb} {WORD}", CHAT, provenance=came) for verb in ("Breeds", "Keeps"))
    summary = store.memory(f"Spoke of {WORD}", CHAT, kind=Kind.SUMMARY, provenance=came)
    order = store.memory(f"Always greet {WORD}", CHAT, provenance=came)
    changes = (
        Add(bred),
        Replace(bred.id, kept, Reason.REFINES),
        Add(summary),
        Quarantine(order, Reason.INSTRUCTION),
    )
    assert await store.inbox.complete([Formed(said, changes)], at=NOON) is not None
    await store.flags.change_flags("anna", Flags(profile=True), ("profile",), at=NOON)
    entry = replace(a_statement(kept.content), own_words=False)
    assert await store.profiles.propose("anna", {entry.id: (kept.id, entry.field)}, at=NOON) == 1
    await store.profiles.change("anna", entry)
    await store.log.append(store.exchange(f"What of {WORD}?", CHAT))
    await store.log.append(store.exchange("I live in Rome", OTHER))
    assert await indexed(store.index, "anna")
    await note_block(store.log, CHAT, added_to_a_prompt(f"Keeps {WORD}"), [])
    await note_request(store.log, like_a_request(CHAT))


async def test_no_row_of_any_table_tells_of_an_erased_chat(own_store: Store, own_dsn: str) -> None:
    await talk(own_store)
    before = await rows_with(own_dsn, WORD)
    assert before.keys() == {
        *("exchanges", "injections", "memory_updates", "messages", "profile_entries", "message_chunks"),
        *("quarantine", "request_metrics", "sessions", "vectors"),
    }

    erasure = await own_store.memories.erase_session(CHAT, at=LATER)

    assert await rows_with(own_dsn, WORD) == {}
    counted = dict(erasure.rows)
    assert counted.keys() >= before.keys() - {"profile_entries"}
    assert all(counted[table] >= 1 for table in before.keys() - {"profile_entries"}), counted
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
