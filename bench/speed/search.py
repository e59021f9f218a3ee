"""What a search costs in the store: `python -m bench search`. Never: a test.

A real embedded Postgres with several users, whose rows lie in the tables as they were said: by turns. One of them
searches, each time for something else. The words are drawn as those of a language are (Zipf), the vectors at random:
the search is exact, so what they mean costs nothing.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID

from pgvector.asyncpg import register_vector
from tests.databases import administrator
from uuid_utils.compat import uuid7

from bench.speed.arithmetic import percentile
from bench.speed.language import DIMENSIONS, Language
from recollect.model import (
    Actor,
    Add,
    Exchange,
    IndexedChunk,
    IndexedMessage,
    Kind,
    Lexicon,
    Memory,
    Scope,
    Source,
    Turn,
)
from recollect.postgres import Postgres, open_postgres, start_embedded
from recollect.postgres.postings import add_postings, number_documents
from recollect.postgres.sql import SQL
from recollect.postgres.waiting_postings import Document
from recollect.retrieval.terms import score_terms

_MODEL = "local/embedder-small-384"
_OWN_TERMS, _CONTEXT_TERMS, _QUERY_TERMS = 60, 25, 8
_NAMED = 100
_AT_ONCE, _POSTED_AT_ONCE = 1_000, 50
_LIMIT = 100
_NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
_TABLES = (
    "vectors",
    "users_vectors",
    "messages",
    "exchanges",
    "message_chunks",
    "chunk_vectors",
    "waiting_documents",
    "posting_pages",
    "document_lengths",
)


@dataclass(frozen=True)
class Sizes:
    """How much each user has said, how many they are, and how often one searches."""

    users: int
    memories: int
    chunks: int
    searches: int


async def _remember(store: Postgres, user_id: str, language: Language, count: int) -> None:
    scope = Scope(user_id, "chat")
    changes = [
        Add(
            Memory(
                uuid7(),
                user_id,
                Kind.FACT,
                Source.EXTRACTED,
                " ".join(language.words(12)),
                0.5,
                _NOW,
                _NOW,
                embedding=language.vector(),
                embedding_model=_MODEL,
            )
        )
        for _ in range(count)
    ]
    await store.memories.apply(scope, changes, actor=Actor.IMPORT, at=_NOW)


async def _say_at_once(dsn: str, users: Sequence[str], language: Language, numbers: range) -> None:
    """Write what the users say by turns into the log and its chunks: a message and a chunk for each number."""
    rows: dict[str, list[tuple[object, ...]]] = {
        name: [] for name in ("insert_message", "insert_exchange", "insert_chunk", "insert_chunk_vector")
    }
    for number in numbers:
        for user_id in users:
            for name, row in _said(user_id, number, language):
                rows[name].append(row)
    async with administrator(dsn) as connection:
        await connection.execute("SET search_path = recollect, public")
        await register_vector(connection)
        for name, each in rows.items():
            await connection.executemany(SQL[name], each)
        await connection.execute("UPDATE messages SET indexed = true WHERE NOT indexed")
        await connection.execute("VACUUM ANALYZE")


def _said(user_id: str, number: int, language: Language) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the rows of one message of the user, or of the reply, each with the statement that writes it."""
    message_id, exchange_id, session_id = uuid7(), uuid7(), f"chat {number // 20}"
    said = " ".join(language.words(_OWN_TERMS))
    role, alternate, marked, hidden, code = ("user", "assistant")[number % 2], False, False, False, False
    begun, told = (user_id, message_id, session_id, number, role, None), (said, 80, alternate, _NOW)
    yield "insert_message", (*begun, *told, exchange_id, marked, hidden)
    if role == "user":
        sent = (session_id, str(exchange_id), number, message_id, uuid7(), "model", True, _NOW)
        yield "insert_exchange", (user_id, exchange_id, *sent, 0, "a", None, "formed", "", "", "")
    lengths = (_OWN_TERMS + _CONTEXT_TERMS, _OWN_TERMS)
    place = (user_id, number, message_id, 0, 0, len(said), code, None)
    yield "insert_chunk", (*place, *lengths, True, _MODEL, False, [])
    yield "insert_chunk_vector", (user_id, number, 0, language.vector(), _MODEL)


async def _fill(store: Postgres, dsn: str, sizes: Sizes, language: Language) -> None:
    """Let the users speak by turns, a thousand messages at once, and remember some of it."""
    users = [f"user-{number}@example.org" for number in range(sizes.users)]
    for begin in range(0, sizes.chunks, _AT_ONCE):
        numbers = range(begin, min(begin + _AT_ONCE, sizes.chunks))
        for user_id in users:
            async with store.database.changing(user_id) as connection:
                numbered = await number_documents(
                    connection, user_id, [_OWN_TERMS + _CONTEXT_TERMS] * len(numbers)
                )
                for part in range(0, len(numbered), _POSTED_AT_ONCE):
                    posted = [
                        _document(number, language) for number in numbered[part : part + _POSTED_AT_ONCE]
                    ]
                    await add_postings(connection, user_id, posted)
            await store.index.tidy(user_id, busy=True)
        await _say_at_once(dsn, users, language, numbers)
    for _ in range(sizes.memories // 20):
        for user_id in users:
            await _remember(store, user_id, language, 20)
            await store.index.tidy(user_id)


def _document(number: int, language: Language) -> Document:
    own, context = language.terms(_OWN_TERMS), language.terms(_CONTEXT_TERMS)
    return Document(number, own, context, _OWN_TERMS + _CONTEXT_TERMS, _OWN_TERMS)


async def _indexing(store: Postgres, user_id: str, language: Language, count: int) -> list[float]:
    """Index messages one by one, as it is done; return what each took, in milliseconds."""
    taken = []
    for number in range(count // 2):
        said, reply = (" ".join(language.words(_OWN_TERMS)) for _ in range(2))
        turn = Turn(Scope(user_id, f"new chat {number // 20}"), said, str(uuid7()), _NOW, "model")
        exchange = Exchange(uuid7(), turn, reply, uuid7(), uuid7())
        await store.log.append(exchange)
        for message_id in (exchange.message_id, exchange.reply_id):
            message = _indexed(message_id, language)
            taken.append(await _timed(partial(store.index.index, user_id, message)))
        await store.index.tidy(user_id)
    return taken


def _indexed(message_id: UUID, language: Language) -> IndexedMessage:
    own, context, vectors = (
        language.terms(_OWN_TERMS),
        language.terms(_CONTEXT_TERMS),
        (language.vector(),),
    )
    chunk = IndexedChunk(0, 200, code=False, language=None, terms=own, context=context, vectors=vectors)
    return IndexedMessage(message_id, (chunk,), language.terms(_CONTEXT_TERMS), _MODEL)


async def _timed(call: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await call()
    return (time.perf_counter() - began) * 1000


class Search:
    """The searches of one user, and what each part of them took, in milliseconds."""

    def __init__(self, store: Postgres, user_id: str, language: Language) -> None:
        self._store, self._language = store, language
        self._scope = Scope(user_id, "chat 0")
        self.taken: dict[str, list[float]] = {}

    async def once(self) -> None:
        """Search for something never searched for before."""
        vector, terms = self._language.vector(), list(self._language.terms(_QUERY_TERMS))
        memories, user_id = self._store.memories, self._scope.user_id
        found: list[Lexicon] = []

        async def look_up() -> None:
            found.append(await memories.lexicon(user_id, terms))

        self._note("lexicon, the call", await _timed(look_up))
        began = time.perf_counter()
        documents = score_terms(found[0], terms, {}).best(_NAMED)
        self._note("BM25 in the engine", (time.perf_counter() - began) * 1000)
        search: tuple[object, ...] = (
            vector,
            _MODEL,
            DIMENSIONS,
            documents,
            _LIMIT,
            True,
            False,
            None,
            "",
            None,
            True,
            [],
        )
        self._note("search, in the database", await self._in_database("search", search))
        nearest = (vector, _MODEL, DIMENSIONS, 10)
        self._note("nearest_memories, in the database", await self._in_database("nearest_memories", nearest))
        self._note(
            "search, the call",
            await _timed(
                lambda: memories.search(
                    self._scope, vector, _MODEL, documents=documents, limit=_LIMIT, log=True
                )
            ),
        )

    async def _in_database(self, name: str, arguments: Sequence[object]) -> float:
        """Return the execution time that the database itself tells."""
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF, FORMAT JSON) {SQL[name]}"
        async with self._store.database.for_user(self._scope.user_id) as connection:
            told = await connection.fetchval(explain, self._scope.user_id, *arguments)
        return float(json.loads(told)[0]["Execution Time"])

    def _note(self, what: str, milliseconds: float) -> None:
        self.taken.setdefault(what, []).append(milliseconds)


async def _sizes_on_disk(dsn: str, messages: int) -> None:
    print("| table | MB per 1,000 messages |\n|---|---|")
    async with administrator(dsn) as connection:
        for table in _TABLES:
            size = await connection.fetchval(
                "SELECT pg_total_relation_size($1::regclass)", f"recollect.{table}"
            )
            print(f"| {table} | {size / messages * 1000 / 1e6:.2f} |")


def _print(taken: Mapping[str, Sequence[float]]) -> None:
    print("| what | p50 ms | p95 ms |\n|---|---|---|")
    for what, milliseconds in taken.items():
        middle, late = percentile(milliseconds, 0.5), percentile(milliseconds, 0.95)
        print(f"| {what} | {middle:.2f} | {late:.2f} |", flush=True)


async def measure(sizes: Sizes, folder: Path) -> None:
    """Fill a store in the folder, search it, and print what that took."""
    language = Language()
    server = start_embedded(folder)
    try:
        store = await open_postgres(server.dsn)
        await _fill(store, server.dsn, sizes, language)
        async with administrator(server.dsn) as connection:
            await connection.execute("VACUUM ANALYZE")
        await _sizes_on_disk(server.dsn, sizes.chunks * sizes.users)
        search = Search(store, "user-0@example.org", language)
        for _ in range(10):
            await search.once()  # what is read for the first time is read from the disk
        search.taken.clear()
        for _ in range(sizes.searches):
            await search.once()
        print(f"\n{sizes}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        indexing = await _indexing(store, "user-0@example.org", language, sizes.searches)
        _print(search.taken | {"indexing a message": indexing})
        await store.aclose()
    finally:
        server.stop()


def main() -> None:
    """Print the figures as Markdown tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--users", type=int, default=4, help="who speak by turns")
    arguments.add_argument("--memories", type=int, default=1_000, help="of each user")
    arguments.add_argument("--chunks", type=int, default=10_000, help="of each user's log")
    arguments.add_argument("--searches", type=int, default=200)
    given = arguments.parse_args()
    sizes = Sizes(given.users, given.memories, given.chunks, given.searches)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o711)  # as root the database runs as another account, which has to get in
        asyncio.run(measure(sizes, Path(folder)))
