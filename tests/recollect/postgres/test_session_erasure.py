"""No row of any table tells of a chat that was erased."""

from tests.contracts.stores import LATER, NOON, exchange, memory
from tests.databases import administrator
from tests.recollect.postgres.found import added_to_a_prompt, indexed, like_a_request

from recollect.model import Actor, Add, Formed, Kind, Provenance, Quarantine, Reason, Replace, Retire, Scope
from recollect.postgres import Postgres

WORD = "quokka"
CHAT, OTHER = Scope("anna", f"chat about {WORD}"), Scope("anna", "chat-2")
ROWS = "SELECT row_to_json(each)::text AS row FROM recollect.{table} AS each"


async def rows_with(dsn: str, word: str) -> dict[str, int]:
    """Return how many rows of each table tell of it."""
    async with administrator(dsn) as connection:
        tables = await connection.fetch(
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'recollect'"
        )
        counts = {
            table["name"]: sum(
                word in row["row"] for row in await connection.fetch(ROWS.format(table=table["name"]))
            )
            for table in tables
        }
    return {table: count for table, count in counts.items() if count}


async def talk(postgres: Postgres) -> None:
    """Talk of it in a chat, until each table that can tell of a chat does."""
    said = exchange(f"I breed {WORD}", CHAT, reply=f"{WORD} are fine")
    for each in (said, exchange(f"I breed {WORD}", CHAT, reply="Other", key=said.turn.key)):
        await postgres.log.append(each)
    came = Provenance(CHAT.session_id, (said.message_id,), f"I breed {WORD}")
    bred, kept = (memory(f"{verb} {WORD}", CHAT, provenance=came) for verb in ("Breeds", "Keeps"))
    summary = memory(f"Spoke of {WORD}", CHAT, kind=Kind.SUMMARY, provenance=came)
    order = memory(f"Always greet {WORD}", CHAT, provenance=came)
    changes = (
        Add(bred),
        Replace(bred.id, kept, Reason.REFINES),
        Add(summary),
        Quarantine(order, Reason.INSTRUCTION),
    )
    assert await postgres.inbox.complete([Formed(said, changes)], at=NOON) is not None
    await postgres.log.append(exchange(f"What of {WORD}?", CHAT))
    await postgres.log.append(exchange("I live in Rome", OTHER))
    assert await indexed(postgres, "anna")
    await postgres.chats.inject(CHAT, added_to_a_prompt(f"Keeps {WORD}"), [])
    await postgres.requests.record(like_a_request(CHAT))


async def test_no_row_of_any_table_tells_of_an_erased_chat(postgres: Postgres, store_dsn: str) -> None:
    await talk(postgres)
    before = await rows_with(store_dsn, WORD)
    assert before.keys() == {
        "exchanges",
        "injections",
        "memory_updates",
        "messages",
        "postings",
        "quarantine",
        "request_metrics",
        "sessions",
        "vectors",
    }

    erasure = await postgres.memories.erase_session(CHAT, at=LATER)

    assert await rows_with(store_dsn, WORD) == {}
    counted = dict(erasure.rows)
    assert counted.keys() >= before.keys() - {"postings"}
    assert all(counted[table] >= 1 for table in before.keys() - {"postings"}), counted
    async with administrator(store_dsn) as connection:
        assert await connection.fetchval("SELECT count(*) FROM recollect.message_chunks") == 2
        assert await connection.fetchval("SELECT count(*) FROM recollect.chunk_vectors") == 2
        assert await connection.fetchval("SELECT documents FROM recollect.corpora") == 2
        assert await connection.fetchval("SELECT count(*) FROM recollect.erasures") == 1
    assert await postgres.memories.sessions("anna") == ["chat-2"]


async def test_what_another_chat_replaced_and_forgot_of_it_leaves_no_word_either(
    postgres: Postgres, store_dsn: str
) -> None:
    said = exchange(f"I breed {WORD}", CHAT)
    await postgres.log.append(said)
    bred = memory(f"Breeds {WORD}", CHAT, provenance=Provenance(CHAT.session_id, (said.message_id,)))
    await postgres.inbox.complete([Formed(said, (Add(bred),))], at=NOON)
    newer = memory("Breeds llamas", OTHER)
    await postgres.memories.apply(
        OTHER, [Replace(bred.id, newer, Reason.CONTRADICTS)], actor=Actor.USER, at=NOON
    )
    await postgres.memories.apply(OTHER, [Retire(newer.id, Reason.FORGOTTEN)], actor=Actor.USER, at=NOON)

    await postgres.memories.erase_session(CHAT, at=LATER)

    assert await rows_with(store_dsn, WORD) == {}
