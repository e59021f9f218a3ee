import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from pgvector.asyncpg import register_vector
from tests.servers.databases import administrator, new_database

from recollect.store import open_postgres
from recollect.store.sql import SQL, of_everything

MEMORIES, DIMENSIONS = 1000, 32  # of each of 50 users
SEED = """
SET search_path = recollect, public;
SET session_replication_role = replica;  -- no trigger raises versions for fifty people by turns
CREATE TEMPORARY TABLE said AS
SELECT 'user ' || person AS user_id, number, lpad(to_hex(number * 1000 + person), 32, '0')::uuid AS id
FROM generate_series(1, 1000) AS n (number), generate_series(1, 50) AS p (person)
ORDER BY number, person;
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, observed_at, message_ids, created_at
)
SELECT user_id, id, 'fact', 'extracted', now(), 'memory ' || number, sha256(number::text::bytea),
    (SELECT array_agg(sin(number * place)) FROM generate_series(1, 32) AS d (place))::real[]::halfvec,
    'm', 0.5, 1, now(), '{}', now()
FROM said;
INSERT INTO users_vectors (user_id, vector_id, owner, content_hash, linked_at, changed)
SELECT user_id, said.id, owner, content_hash, now(), number
FROM said JOIN vectors ON owner = user_id AND vectors.id = said.id;
INSERT INTO messages (
    user_id, id, session_id, turn_index, role, content, tokens, alternate, created_at, exchange_id, indexed
)
SELECT user_id, id, 'chat ' || number % 10, number, 'user', 'text', 1, false, now(), id, number <= 990 FROM said;
INSERT INTO exchanges
SELECT user_id, id, 'chat ' || number % 10, number::text, number, id, id, 'm', false, now(), 'formed', 0, now()
FROM said;
INSERT INTO message_chunks (
    user_id, document, message_id, part, begins, ends, code, terms, counts, length, embeddable, embedding_model, changed
)
SELECT user_id, number, id, 0, 0, 4, false, 'text', '\x0101', 9, true, 'm', number FROM said;
INSERT INTO chunk_vectors
SELECT user_id, number, 0,
    (SELECT array_agg(cos(number * place)) FROM generate_series(1, 32) AS d (place))::real[]::halfvec, 'm'
FROM said;
INSERT INTO users (user_id, statements_version, log_version) SELECT 'user ' || person, 1000, 1000 FROM generate_series(1, 5000) AS p (person);
INSERT INTO sessions
SELECT 'user ' || person, 'chat ' || number, now(), now(), 2000, CASE WHEN number = 3 THEN 900 ELSE 2000 END
FROM generate_series(0, 9) AS n (number), generate_series(1, 50) AS p (person);
INSERT INTO memory_updates (user_id, id, at, action, actor, reason, memory_id, session_id, exchange_id)
SELECT user_id, id, now() + interval '1 minute', 'add', 'formation',
    CASE WHEN number IN (3, 13) THEN 'asked' ELSE 'new' END, id, 'chat ' || number % 10, id
FROM said;
INSERT INTO user_settings SELECT 'user ' || person, '{}', now() FROM generate_series(1, 5000) AS p (person);
INSERT INTO user_settings VALUES ('*', '{}', now());
INSERT INTO vectors (
    owner, id, kind, source, valid_from, content, content_hash, "values", embedding_model, importance,
    confidence, observed_at, message_ids, created_at
)
SELECT '*', lpad('c' || to_hex(number), 32, '0')::uuid, 'fact',
    CASE WHEN number <= 300 THEN 'global' ELSE 'extracted' END, now(), 'common ' || number,
    sha256(('common ' || number)::bytea),
    (SELECT array_agg(sin(number * place)) FROM generate_series(1, 32) AS d (place))::real[]::halfvec,
    'm', 0.5, 1, now(), '{}', now()
FROM generate_series(1, 3000) AS n (number);
INSERT INTO not_helpful
SELECT user_id, id, id, 'chat ' || number % 10, id, now(),
    (SELECT array_agg(cos(number * place)) FROM generate_series(1, 32) AS d (place))::real[]::halfvec, 'm'
FROM said
WHERE number % 50 = 0;
SET session_replication_role = origin;
INSERT INTO pgqueuer (priority, created, updated, heartbeat, execute_after, status, entrypoint, payload)
SELECT 0, now(), now(), now(), now(), CASE WHEN number % 10 = 0 THEN 'picked' ELSE 'queued' END::pgqueuer_status, 'form',
    convert_to('user ' || person, 'UTF8')
FROM generate_series(1, 20) AS n (number), generate_series(1, 500) AS p (person)
ORDER BY number, person;
INSERT INTO injections
SELECT user_id, 'chat ' || number % 10, number::text, 'beside', 'block', ARRAY[id], 1, now() FROM said;
ANALYZE;
"""
READ = """
SELECT relname, seq_tup_read, coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE schemaname = 'recollect'
"""
LATER, LAST = datetime.now(UTC) + timedelta(1), "ffffffff-ffff-ffff-ffff-ffffffffffff"
VECTOR = [0.1] * DIMENSIONS
COMMON, EXCHANGE = 300, "00000000-0000-0000-0000-000000001f47"


@pytest.fixture(scope="module")
async def seeded_dsn(database_server: str, template_database: str) -> AsyncIterator[str]:
    async with new_database(database_server, template_database) as dsn:
        yield dsn


@pytest.fixture(scope="module")
async def seeded(seeded_dsn: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    async with administrator(seeded_dsn) as connection:
        await connection.execute(SEED)
        await register_vector(connection)
        yield connection


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


async def explained(
    connection: "asyncpg.Connection[asyncpg.Record]", name: str, mode: str, *arguments: object
) -> list[dict[str, Any]]:
    """Run the query, or that text, as its first argument's user by a custom or a generic plan; return what its nodes did."""
    text = SQL.get(name, name).removesuffix(";")
    async with connection.transaction():
        await connection.execute(SQL["as_user"], arguments[0], "recollect_user")
        await connection.execute(f"SET LOCAL plan_cache_mode = {mode}")
        # Only a prepared statement has a generic plan: with bound arguments EXPLAIN plans for their values.
        prepared = await connection.prepare(text)
        literals = [
            await connection.fetchval(f"SELECT quote_nullable($1::{each.schema}.{each.name}::text)", argument)
            for each, argument in zip(prepared.get_parameters(), arguments, strict=True)
        ]
        executed = f"EXECUTE {prepared.get_name()}({', '.join(literals)})" if literals else text
        shown = await connection.fetchval(f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT JSON) {executed}")
    return list(nodes(json.loads(shown)[0]["Plan"]))


def scanned(plan: list[dict[str, Any]], *, each: int, together: int) -> None:
    """Assert that every table is read by an index, and how many rows at most are: of one table, and of all."""
    rows = 0
    for node in plan:
        if "Relation Name" not in node or not node["Actual Loops"]:  # which is not run
            continue
        assert node["Node Type"] != "Seq Scan", node
        dropped = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        read = (node["Actual Rows"] + dropped) * node["Actual Loops"]
        assert read <= each, node
        rows += read
    assert rows <= together


MODES = pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])


@MODES
async def test_the_nearest_are_the_users(seeded: "asyncpg.Connection[asyncpg.Record]", mode: str) -> None:
    plan = await explained(seeded, "nearest_memories", mode, "user 7", VECTOR, "m", DIMENSIONS, 10)

    scans = [node for node in plan if "Relation Name" in node]
    assert {node["Relation Name"] for node in scans} == {"vectors", "users_vectors"}
    for scan in scans:
        assert scan["Node Type"] != "Seq Scan", scan
        read = scan["Actual Rows"] * scan["Actual Loops"] + scan.get("Rows Removed by Filter", 0)
        assert read <= MEMORIES, scan
    indexes = {node["Index Name"] for node in plan if "Index Name" in node}
    assert indexes <= {
        *("vectors_pkey", "vectors_changed", "users_vectors_pkey", "users_vectors_user_id_content_hash_key"),
        "users_vectors_shared",
    }
    assert any(name.startswith("users_vectors") for name in indexes)


@MODES
@pytest.mark.parametrize(
    ("name", "arguments", "each", "together"),
    [
        (
            "snapshot_memories",
            (-1, 200),
            MEMORIES,
            4 * MEMORIES + 2 * COMMON,
        ),  # links: with those for everybody once
        ("snapshot_memories", (990, 200), MEMORIES, 4 * 10),
        ("snapshot_passages", (-1,), MEMORIES, 3 * MEMORIES),
        ("snapshot_passages", (990,), MEMORIES, 3 * 10),
        ("nearest_passages", (VECTOR, "m", DIMENSIONS, 20), MEMORIES, MEMORIES + 3 * 20),
        # Of each of ten chats the first three messages and the last 24; with a period,
        # which may begin before the year 1, all of each.
        ("passages_of_chats", (["chat 3"], [], []), 10 * 27, 4 * 10 * 27),
        ("passages_of_chats", ([], [-62135640000.0], [1e11]), 10 * 100, 20 * 100),
        ("blocks_of_chat", ("chat 3", 20), 100, 401),  # those of the chat
        ("unindexed_messages", (5,), 10, 41),
        ("document_before", ("chat 3", 900), 1, 5),
        ("chunks_said_with", (["t"], LATER, 40), MEMORIES, 4 * MEMORIES + 1),
        ("hide_messages", ([EXCHANGE],), 1, 3),
        ("confirming_messages", (EXCHANGE, [EXCHANGE]), 1, 3),
        ("todos_opened_by", (EXCHANGE,), 1, 1),
        ("note_change", ([EXCHANGE], datetime(2026, 3, 15, tzinfo=UTC)), 1, 3),
        # Of the one chat that is not summarized to its end, and when each chat was last one.
        ("chat_to_summarize", (5, 100, [], timedelta(30)), 10, 50),
        ("exchanges_to_summarize", ("chat 3", 900, 20, 4000), 10, 30),
        ("unembedded_memories", ("m", 32), MEMORIES, MEMORIES),
        ("unembedded_memories", ("another", 32), 32, 96),
    ],
)
async def test_of_one_user_no_more_is_read_than_is_asked_for(
    seeded: "asyncpg.Connection[asyncpg.Record]",
    mode: str,
    name: str,
    arguments: tuple[object, ...],
    each: int,
    together: int,
) -> None:
    plan = await explained(seeded, name, mode, "user 7", *arguments)
    scanned([node for node in plan if node["Node Type"] != "ModifyTable"], each=each, together=together)


@MODES
@pytest.mark.parametrize(
    ("name", "arguments"), [("snapshot_memories", (-1, 200)), ("snapshot_passages", (-1,))]
)
async def test_what_is_read_whole_is_not_looked_up_one_by_one(
    seeded: "asyncpg.Connection[asyncpg.Record]", mode: str, name: str, arguments: tuple[object, ...]
) -> None:
    plan = await explained(seeded, of_everything(name), mode, "user 7", *arguments)

    scanned(plan, each=MEMORIES, together=4 * MEMORIES + 2 * COMMON)
    linked = [node for node in plan if node.get("Relation Name") in {"users_vectors", "messages"}]
    assert max(node["Actual Loops"] for node in linked) <= COMMON


SORTED = {"memories_said_last"}
"""Of these a generic plan sorts all memories of the person: some milliseconds for 10,000, off the chat's path."""


@MODES
@pytest.mark.parametrize(
    ("name", "arguments", "most"),
    [
        ("page_of_memories", ("user 7", LAST, 21), 21),
        ("one_memory", ("user 7", "00000000-0000-0000-0000-000000001f47"), 1),
        ("messages_before", ("user 7", "chat 3", 900, 6), 6),
        ("pending_exchanges", ("user 7", 10), 0),
        ("memory_with_content", ("user 7", b"\0" * 32), 0),
        ("memories_said_last", ("user 7", LATER, LAST, ["fact"], 51, None, [], []), 51),
        ("memories_said_last", ("user 7", LATER, LAST, ["fact"], 51, None, ["memory"], []), 51),
        ("memories_to_review", ("user 7", ["fact", "todo"], LATER, 0.4, 51, LATER), 51),
    ],
)
async def test_no_other_query_of_the_page_reads_more_than_it_returns(
    seeded: "asyncpg.Connection[asyncpg.Record]",
    mode: str,
    name: str,
    arguments: tuple[object, ...],
    most: int,
) -> None:
    if mode == "force_generic_plan" and name in SORTED:
        most = MEMORIES
    for node in await explained(seeded, name, mode, *arguments):
        assert node["Node Type"] != "Seq Scan", node
        if "Relation Name" in node:
            assert node["Actual Rows"] * node["Actual Loops"] <= most, node
            assert node.get("Rows Removed by Filter", 0) <= most, node


@pytest.mark.parametrize("exchanges", [0, 20])
@pytest.mark.parametrize("turn", [(None, None, None), ("another", "key", datetime(2026, 3, 15, tzinfo=UTC))])
async def test_the_state_of_a_chat_is_read_alone(
    seeded: "asyncpg.Connection[asyncpg.Record]", exchanges: int, turn: tuple[object, ...]
) -> None:
    await seeded.execute("SELECT pg_stat_force_next_flush()")  # what was read before counts no more
    async with seeded.transaction():
        await seeded.fetch(
            SQL["recall_state"], "user 7", "recollect_user", "chat 3", exchanges, "hello", *turn
        )
        rows = {name: read for name, *read in await seeded.fetch(READ) if any(read)}

    assert not any(sequential for sequential, _ in rows.values()), rows
    # The chat has a hundred turns; of some tables each is looked up twice.
    assert max(by_index for _, by_index in rows.values()) <= 201, rows


@pytest.mark.usefixtures("seeded")
async def test_the_seeded_database_is_one_that_opens(seeded_dsn: str) -> None:
    store = await open_postgres(seeded_dsn)

    assert len((await store.memories.page("user 7", limit=5)).memories) == 5
    await store.aclose()


@MODES
async def test_waiting_jobs_are_indexed(seeded: "asyncpg.Connection[asyncpg.Record]", mode: str) -> None:
    async with seeded.transaction():
        await seeded.execute(f"SET LOCAL plan_cache_mode = {mode}")
        shown = await seeded.fetchval(
            f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT JSON) {SQL['take_over_jobs'].removesuffix(';')}",
            "form",
            b"user 7",
        )

    plan = list(nodes(json.loads(shown)[0]["Plan"]))
    scanned([node for node in plan if node["Node Type"] != "ModifyTable"], each=18, together=18)
    assert "pgqueuer_waiting_of_users" in {node.get("Index Name") for node in plan}
