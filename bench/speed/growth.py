"""What recall takes as memories grow: `python -m bench growth` (`make bench-growth`). Never: a test, what is recalled.

A real embedded Postgres, filled by SQL (`growth_store`). One series has one person's statements and messages grow, the other
everybody else's. For each size a search's queries are explained with their buffers, as the store sends them; then they are sent, and the
processor time of their server process read; then whole recalls are timed (`Engine.prepare`: embedding, words, search, ranking, block).
The nearest statements alone are sought three ways: all measured, by sketches, and, with `--hnsw`, by an HNSW index with iterative scan.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.recall.opening import unhurried
from bench.speed.arithmetic import percentile
from bench.speed.growth_nearest import compare_nearest
from bench.speed.growth_report import write_results
from bench.speed.growth_store import EMBEDDED, Embedded, Filling, Person, filling, question_words
from bench.speed.recall_latency import questions, statements
from recollect.assembly import make_policy, open_backends
from recollect.chat.turn_detection import detect_turn
from recollect.engine import Engine
from recollect.logs import configure_logging
from recollect.ports import Backends
from recollect.postgres import Postgres, open_postgres, start_embedded
from recollect.postgres.pool import Connection
from recollect.postgres.searching import (
    SKETCHED_FROM,
    Query,
    Sought,
    chunks_by_sketches,
    memories_by_sketches,
    whole,
)
from recollect.postgres.sql import SQL
from recollect.retrieval.terms import score_terms
from recollect.text.lexical import document_terms
from recollect_proxy.ephemeral_server import temporary
from recollect_proxy.settings import ProxySettings

_NOBODY = "http://127.0.0.1:9/v1"
_ASKER = "0190c0de-1111-7aaa-8bbb-0123456789ab"
_MEASURED = 1_000
_OTHERS = {10_000: (9, 1_000), 100_000: (909, 99), 1_000_000: (9_999, 99)}
"""How many others there are beside one with 1,000 statements, and how many statements, and messages, each has."""
_MOST_INDEXED = 100_000
"""An HNSW index over more takes hours on two cores."""
_NAMED, _LIMIT, _WARM, _WORDS = 100, 100, 5, 6
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Figures:
    """What recall took of a person among others, times in milliseconds.

    Attributes:
        pages: Pages that one search reads, found in memory or not: the median.
        processor: What the server's process took for one search.
        load: The machine's load meanwhile (one minute).
    """

    people: int
    total: int
    statements: int
    messages: int
    database_p50: float
    database_p95: float
    words_p50: float
    words_p95: float
    processor: float
    pages: float
    recall_p50: float
    recall_p95: float
    load: float


class Asking:
    """Asks as one person, something else each time."""

    def __init__(self, store: Postgres, backends: Backends, settings: ProxySettings, asks: int) -> None:
        self._store, self._backends, self._asks = store, backends, asks
        self._engine = Engine(backends, make_policy(settings))
        drawn = np.random.default_rng(7)
        self._texts = [
            f"{text} {' '.join(question_words(drawn, _WORDS))}" for text in questions(1, asks + _WARM)
        ]
        self._number = 0

    async def figures(self, person: Person, people: Sequence[Person]) -> Figures:
        """Return what recall takes of this person."""
        searches = [await self._queries(person.user_id, text) for text in self._texts]
        explained = [await self._explained(person.user_id, each) for each in searches]
        database, words, pages = zip(*explained[_WARM:], strict=True)
        processor = await self._cpu_milliseconds(person.user_id, searches)
        recalls = [await self._recall(person.user_id, text) for text in self._texts][_WARM:]
        return Figures(
            people=len(people),
            total=sum(each.statements for each in people),
            statements=person.statements,
            messages=person.messages,
            database_p50=percentile(database, 0.5),
            database_p95=percentile(database, 0.95),
            words_p50=percentile(words, 0.5),
            words_p95=percentile(words, 0.95),
            processor=processor,
            pages=percentile(pages, 0.5),
            recall_p50=percentile(recalls, 0.5),
            recall_p95=percentile(recalls, 0.95),
            load=os.getloadavg()[0],
        )

    async def _queries(self, user_id: str, text: str) -> Sequence[Query]:
        """Return the queries that a question's search sends, and at last `lexicon`, as the engine does."""
        [first] = await self._backends.embedder.embed([text])
        second = self._backends.second_embedder
        [other] = await second.embed([text]) if second is not None else [None]
        terms = list(document_terms(text))
        lexicon = await self._store.memories.lexicon(user_id, terms)
        documents = list(score_terms(lexicon, terms, {}).best(_NAMED))
        name = "" if second is None else second.name
        sought = Sought(
            first, self._backends.embedder.name, other, name, documents, _LIMIT, log=True, verbatim=False
        )
        words: Query = ("lexicon", (terms,))
        async with self._store.database.for_user(user_id) as connection:
            if await connection.fetchval(SQL["count_documents"], user_id) < SKETCHED_FROM:
                return whole(sought, measured=True), words
            nearest = memories_by_sketches(sought), chunks_by_sketches(sought)
            memories, chunks = [
                [row[0] for row in await connection.fetch(SQL[name], user_id, *given)]
                for name, given in nearest
            ]
        return *nearest, whole(sought, measured=False, memories=memories, chunks=chunks), words

    async def _explained(self, user_id: str, queries: Sequence[Query]) -> tuple[float, float, float]:
        """Return what the database says that a search took, one query behind the other, `lexicon` took, and how many pages were read."""
        async with self._store.database.for_user(user_id) as connection:
            await _plan_as_the_store(connection, queries)
            told = [
                json.loads(
                    await connection.fetchval(
                        f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {SQL[name]}", user_id, *given
                    )
                )[0]
                for name, given in queries
            ]
        pages = sum(each["Plan"]["Shared Hit Blocks"] + each["Plan"]["Shared Read Blocks"] for each in told)
        return sum(each["Execution Time"] for each in told[:-1]), told[-1]["Execution Time"], pages

    async def _cpu_milliseconds(self, user_id: str, searches: Sequence[Sequence[Query]]) -> float:
        """Return the processor time that a server process takes for one search, in milliseconds."""
        async with self._store.database.for_user(user_id) as connection:
            pid = await connection.fetchval("SELECT pg_backend_pid()")
            await _plan_as_the_store(connection, searches[0])
            for number, queries in enumerate([*searches[:_WARM], *searches]):
                if number == _WARM:
                    before = _cpu_milliseconds_of(pid)
                for name, given in queries[:-1]:
                    await connection.fetch(SQL[name], user_id, *given)
            return (_cpu_milliseconds_of(pid) - before) / len(searches)

    async def _recall(self, user_id: str, text: str) -> float:
        """Return how long a whole recall takes, in a new chat."""
        self._number += 1
        body = msgspec.json.encode(
            {"model": "m", "messages": [{"role": "user", "content": text + f" {self._number}"}]}
        )
        heard = detect_turn(
            body,
            user_id=user_id,
            session_id=f"new chat {self._number}",
            message_id=None,
            at=datetime.now(UTC),
        )
        if heard.turn is None:
            raise RuntimeError(text)
        began = time.perf_counter()
        await self._engine.prepare(heard.turn)
        return (time.perf_counter() - began) * 1000


async def _plan_as_the_store(connection: Connection, queries: Sequence[Query]) -> None:
    """Have queries by sketches planned for their arguments."""
    if any("sketches" in name for name, _ in queries):
        await connection.execute(SQL["plan_for_sketches"])


def _cpu_milliseconds_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / _TICKS


async def _embedded(backends: Backends) -> Embedded:
    texts = statements(EMBEDDED)
    second = backends.second_embedder or backends.embedder
    first = await backends.embedder.embed(texts)
    return Embedded(texts, first, await second.embed(texts), backends.embedder.name, second.name)


@asynccontextmanager
async def _opened(folder: Path, asks: int) -> AsyncIterator[tuple[str, Filling, Asking]]:
    """Start an empty store, and lend what fills it and what asks."""
    server = start_embedded(folder, durable=False)
    try:
        given = ProxySettings(upstream=_NOBODY)
        own = temporary(
            given,
            data_dir=folder / "data",
            database_url=server.dsn,
            user_cap=0,
            session_cap=0,
            embedder_cache_size=1,
            **unhurried(given),
        )
        store = await open_postgres(server.dsn)
        async with open_backends(own) as backends, filling(server.dsn, await _embedded(backends)) as fill:
            yield server.dsn, fill, Asking(store, backends, own, asks)
        await store.aclose()
    finally:
        server.stop()


async def measure(
    sizes: Sequence[int], totals: Sequence[int], asks: int, folder: Path, output: Path, *, hnsw: bool
) -> None:
    """Measure each size and each total with a store in the folder, and write what was measured as soon as it is."""
    results: dict[str, Any] = {"alone": [], "among": [], "nearest": [], "cores": os.cpu_count(), "asks": asks}
    async with _opened(folder, asks) as (dsn, fill, asking):
        for size in sizes:
            person = Person(_ASKER, size, size)
            await fill.fill([person])
            results["alone"].append(asdict(await asking.figures(person, [person])))
            results["nearest"].append(await compare_nearest(dsn, _ASKER, size, asks, hnsw=hnsw))
            write_results(results, output)
        for total in totals:
            person = Person(_ASKER, _MEASURED, _MEASURED)
            count, each = _OTHERS.get(total, (0, 0))
            others = [
                Person(f"{number:08x}-2222-7aaa-8bbb-0123456789ab", each, each, asks=False)
                for number in range(count)
            ]
            await fill.fill([person, *others])
            results["among"].append(asdict(await asking.figures(person, [person, *others])))
            if _MEASURED < total <= _MOST_INDEXED:
                results["nearest"].append(await compare_nearest(dsn, _ASKER, _MEASURED, asks, hnsw=hnsw))
            write_results(results, output)


def main() -> None:
    """Measure, and write `growth.json`, `growth.md` and `growth.svg`."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--sizes", default="100,1000,10000,100000", help="statements, and as many messages, of one person"
    )
    parser.add_argument(
        "--totals",
        default="1000,10000,100000,1000000",
        help=f"statements of all: 1000, {', '.join(map(str, _OTHERS))}",
    )
    parser.add_argument("--asks", type=int, default=40, help="questions for each")
    parser.add_argument("--hnsw", action="store_true", help="also build HNSW indexes and search by them")
    parser.add_argument(
        "--output", type=Path, default=Path("bench/results"), help="the folder of the results"
    )
    given = parser.parse_args()
    sizes, totals = ([int(each) for each in told.split(",") if each] for told in (given.sizes, given.totals))
    if unknown := set(totals) - {_MEASURED, *_OTHERS}:
        parser.error(f"--totals knows no {min(unknown)}")
    configure_logging("error")
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o711)  # as root the database runs as another account, which has to get in
        asyncio.run(measure(sizes, totals, given.asks, Path(folder), given.output, hnsw=given.hnsw))
