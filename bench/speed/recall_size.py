"""Measures a recall as one person's memory grows: its time, the database pages it touches, and the memory of its snapshot.

    python -m bench recall-size [--large]

For each size an embedded Postgres holds as many statements and as many messages of one person, made up. Every question is
new and asked in a new chat by ``Engine.prepare``, so its time includes the embedding. A recall is warm if the person's
snapshot is in memory, and cold if it was dropped just before. Processor time is that of this process, without Postgres. Pages
are those of 8 kB that Postgres read from its buffers or the disk, of tables and indexes; a page that is read twice counts twice.
"""

import asyncio
import time
from collections.abc import Iterable
from itertools import islice
from statistics import median

from tests.servers.databases import administrator

from bench.engines import hear, open_bench
from bench.figures import number, percentiles
from bench.report import options_of, progress, publish, table
from bench.servers import postgres
from bench.speed.made_up import NOW, Filler
from bench.speed.prompts import Questions, statements
from recollect.engine import Engine
from recollect.index import SnapshotCache

_SIZES, _LARGE = (100, 1_000, 10_000), 100_000
PERSON = "anna"
_WARM_UP, _ASKS = 10, 60
_TURNS = 25
"""The exchanges of a chat."""
_FLUSHED_SECONDS = 11.0
"""Postgres counts the pages of a connection that became idle after ten seconds."""

_PAGES = """
SELECT sum(
    coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
    + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0) + coalesce(tidx_blks_read, 0) + coalesce(tidx_blks_hit, 0)
)::bigint
FROM pg_statio_user_tables
"""


async def _pages(dsn: str) -> int:
    """Return the pages that were read so far."""
    await asyncio.sleep(_FLUSHED_SECONDS)
    async with administrator(dsn) as connection:
        return int(await connection.fetchval(_PAGES))


async def _ask(engine: Engine, texts: Iterable[str], *, dropped_from: SnapshotCache | None) -> list[float]:
    """Ask each question in a new chat, and return the milliseconds that each took."""
    took: list[float] = []
    for text in texts:
        heard = hear([{"role": "user", "content": text}], person=PERSON, chat=text, at=NOW)
        if heard.turn is None:
            raise RuntimeError(text)
        if dropped_from is not None:
            await dropped_from.get(PERSON)  # with the log, which else would be read meanwhile
            dropped_from.forget(PERSON)
        began = time.perf_counter()
        await engine.prepare(heard.turn)
        took.append((time.perf_counter() - began) * 1000)
    return took


async def measure(size: int, dsn: str) -> list[str]:
    """Fill a database, and return its row of the table."""
    async with open_bench(database_url=dsn, embedder_cache_size=1) as bench:
        filler = Filler(bench)
        await filler.keep(PERSON, list(statements(size)))
        said = enumerate(statements(size // 2))
        await filler.log(
            PERSON, ((f"before {n // _TURNS}", f"My plan: {text}", f"Noted: {text}") for n, text in said)
        )
        async with administrator(dsn) as connection:
            await connection.execute("VACUUM ANALYZE")
        snapshots = bench.backends.store.snapshots
        asking = map(bytes.decode, Questions())
        await _ask(bench.engine, islice(asking, _WARM_UP), dropped_from=None)
        cells = [f"{size:,}"]
        for dropped_from in (None, snapshots):
            before, began = await _pages(dsn), time.process_time()
            took = await _ask(bench.engine, islice(asking, _ASKS), dropped_from=dropped_from)
            processor = (time.process_time() - began) * 1000 / _ASKS
            pages = (await _pages(dsn) - before) / _ASKS
            times = f"{median(took):.1f} / {percentiles(took, 95)['p95']:.1f}"
            cells += [times, number(processor), number(pages, 0)]
        snapshot = await snapshots.get(PERSON)
        return [*cells, number(snapshots.nbytes / 1e6), "no" if snapshot.passages is None else "yes"]


_HEADS = (
    *("statements, and messages", "warm: p50 / p95 ms", "processor ms", "pages", "cold: p50 / p95 ms"),
    *("processor ms", "pages", "snapshot, MB", "holds the log"),
)


def main() -> None:
    """Print the costs of a recall at each size."""
    parser = options_of(__doc__)
    parser.add_argument("--large", action="store_true", help=f"also measure {_LARGE:,}")
    options = parser.parse_args()
    rows = []
    for size in (*_SIZES, _LARGE) if options.large else _SIZES:
        with postgres() as dsn:
            rows.append(asyncio.run(measure(size, dsn)))
        progress(" | ".join(rows[-1]))
    publish(options, "A recall as memories grow", table(_HEADS, rows), rows)
