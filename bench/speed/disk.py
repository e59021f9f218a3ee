"""Measures the disk that messages take.

    python -m bench disk --data CONVERSATIONS... [--messages N]

Labelled conversations (bench/README.md) are said into an embedded Postgres, as a chat says them: appended to the log, indexed word
by word, each part with an embedding of the shipped size, which is drawn at random. Each conversation is one person's. SQL then
copies these people until there are as many messages as wanted, and each table and index is measured.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np
from tests.servers.databases import administrator
from uuid_utils.compat import uuid7

from bench.figures import number
from bench.report import options_of, publish, table
from bench.servers import postgres
from recollect.indexing import index_user
from recollect.model import Actor, Add, EmbeddingScope, Exchange, Kind, Memory, Scope, Source, Turn, Vector
from recollect.ports import Embedder
from recollect.store import Postgres, open_postgres

_NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
_MODEL = "local/embedder-small-384"
_DIMENSIONS = 384
_MESSAGES_A_STATEMENT = 10
"""Messages for each statement, as an extraction model keeps them of these conversations."""

_SAID = """
SELECT count(*) AS messages, count(DISTINCT user_id) AS people, sum(length(content)) AS characters FROM recollect.messages
"""
_PARTS = """
SELECT c.relname AS name, i.relname AS index, pg_relation_size(i.oid) AS bytes
FROM pg_class AS c
JOIN pg_index AS x ON x.indrelid = c.oid
JOIN pg_class AS i ON i.oid = x.indexrelid
WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'r'
UNION ALL
SELECT c.relname, NULL, pg_table_size(c.oid)
FROM pg_class AS c
WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'r'
ORDER BY 1, 2 NULLS FIRST
"""
_OF_USERS = """
SELECT t.table_name, t.column_name, (
    SELECT string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position)
    FROM information_schema.columns AS c
    WHERE c.table_schema = 'recollect' AND c.table_name = t.table_name AND c.column_name NOT IN ('user_id', 'owner')
        AND c.is_generated = 'NEVER'
) AS others, (
    SELECT string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position)
    FROM information_schema.columns AS c
    WHERE c.table_schema = 'recollect' AND c.table_name = t.table_name AND c.column_name IN ('user_id', 'owner')
) AS people
FROM information_schema.columns AS t
WHERE t.table_schema = 'recollect' AND t.column_name = CASE WHEN t.table_name = 'vectors' THEN 'owner' ELSE 'user_id' END
    AND t.table_name NOT LIKE 'request_metrics%'
    AND t.table_name <> 'users'  -- triggers make its rows
"""


class Drawn:
    """Implements ``Embedder``: gives each text a vector at random, the same ones in each run."""

    name = _MODEL

    def __init__(self) -> None:
        self._numbers = np.random.default_rng(7)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector for each text."""
        return [self.vector() for _ in texts]

    def vector(self) -> Vector:
        """Return a unit vector."""
        drawn = self._numbers.normal(size=_DIMENSIONS).astype(np.float32)
        unit: Vector = drawn / np.linalg.norm(drawn)
        return unit


def conversations(files: Iterable[Path], each_file: int, most: int) -> Iterator[list[tuple[str, str]]]:
    """Yield from each file some conversations, each as its first messages: the session, and the text."""
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in islice(lines, each_file):
                turns = json.loads(line)["turns"][:most]
                yield [(str(turn["session"]), turn["text"]) for turn in turns if turn["text"].strip()]


async def say(store: Postgres, user_id: str, told: Sequence[tuple[str, str]], embedder: Drawn) -> None:
    """Say a conversation as a person's, index it, and keep a statement of every tenth message."""
    for (session, text), (_, reply) in zip(told[::2], told[1::2], strict=False):
        turn = Turn(Scope(user_id, session), text, str(uuid7()), _NOW, "model")
        await store.log.append(Exchange(uuid7(), turn, reply, uuid7(), uuid7()))
    scope = Scope(user_id, "statements")
    kept = [_statement(user_id, text, embedder) for _, text in told[::_MESSAGES_A_STATEMENT]]
    await store.memories.apply(scope, [Add(each) for each in kept], actor=Actor.FORMATION, at=_NOW)
    while await index_user(
        user_id,
        index=store.index,
        embedder=cast("Embedder", embedder),
        log_embedder=cast("Embedder", embedder),
        embedded=EmbeddingScope.ALL,
    ):
        pass


def _statement(user_id: str, text: str, embedder: Drawn) -> Memory:
    about = " ".join(text.split()[:12]) + f" ({uuid7()})"
    return Memory(
        uuid7(),
        user_id,
        Kind.FACT,
        Source.EXTRACTED,
        about,
        0.5,
        _NOW,
        _NOW,
        embedding=embedder.vector(),
        embedding_model=_MODEL,
    )


async def copy_people(dsn: str, people: Sequence[str], messages: int) -> None:
    """Copy what people have for others, until there are as many messages."""
    async with administrator(dsn) as connection:
        await connection.execute("SET search_path = recollect, public")
        there = await connection.fetchval("SELECT count(*) FROM messages")
        tables = await connection.fetch(_OF_USERS)
        for number in range(1, max(1, round(messages / there))):
            for table in tables:
                named = ", ".join(filter(None, [table["people"], table["others"]]))
                copied = ", ".join(f"$1 || {each}" for each in table["people"].split(", "))
                await connection.execute(
                    f"INSERT INTO {table['table_name']} ({named}) SELECT {copied}, {table['others']} "
                    f"FROM {table['table_name']} WHERE {table['column_name']} = ANY ($2::text[])",
                    f"{number:08x}-",
                    people,
                )
        await connection.execute("VACUUM ANALYZE")


async def measure_tables(dsn: str) -> str:
    """Return the sizes of the tables and indexes as Markdown, the largest first."""
    async with administrator(dsn) as connection:
        [row] = await connection.fetch(_SAID)
        parts = await connection.fetch(_PARTS)
    total = sum(each["bytes"] for each in parts)
    rows = [
        (f"{part['name']}: {part['index']}" if part["index"] else f"**{part['name']}**", part["bytes"])
        for part in sorted(parts, key=lambda each: -int(each["bytes"]))
        if part["bytes"] >= total / 1000
    ]
    characters = number(row["characters"] / row["messages"], 0)
    about = f"{row['messages']:,} messages of {row['people']} people, {characters} characters each"
    cells = [
        (name, number(size / 1e6), number(size / row["messages"], 0))
        for name, size in [*rows, ("everything", total)]
    ]
    return f"{about}\n\n{table(('table or index', 'MB', 'bytes a message'), cells)}"


async def measure(dsn: str, conversations_of: Iterable[list[tuple[str, str]]], messages: int) -> str:
    """Fill a store, and return its size, first as written, then with the copied people."""
    store = await open_postgres(dsn)
    embedder = Drawn()
    # As long as an OpenWebUI's user id.
    people = {str(uuid7()): each for each in conversations_of}
    for user_id, each in people.items():
        await say(store, user_id, each, embedder)
    await store.aclose()
    written = await measure_tables(dsn)
    await copy_people(dsn, list(people), messages)
    return f"{written}\n\n{await measure_tables(dsn)}"


def main() -> None:
    """Print the tables."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="labelled conversations, JSON lines"
    )
    parser.add_argument("--each-file", type=int, default=2, help="conversations taken from each file")
    parser.add_argument("--most", type=int, default=1_000, help="messages of a conversation")
    parser.add_argument("--messages", type=int, default=100_000, help="how many there are in the end")
    given = parser.parse_args()
    with postgres() as dsn:
        read = conversations(given.data, given.each_file, given.most)
        publish(given, "What messages take on the disk", asyncio.run(measure(dsn, read, given.messages)))
