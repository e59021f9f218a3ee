"""Measures a recall as one person's memory grows: its time, the database pages it touches, and the memory of its snapshot.

    python -m bench recall-size [--large] [--asks 60]

For each size an embedded Postgres holds as many statements and as many messages of one person, made up. Every question is
new and asked in a new chat by ``Engine.prepare``, so its time includes the embedding. A recall is warm if the person's
snapshot is in memory, and cold if it was dropped just before. Processor time is that of this process, without Postgres. Pages
are those of 8 kB that Postgres read from its buffers or the disk, of tables and indexes; a page that is read twice counts twice.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from tests.databases import administrator

from bench.recall.asking import hear_question
from bench.recall.clock import ReplayClock
from bench.recall.dataset import Question
from bench.recall.opening import unhurried
from bench.speed.arithmetic import percentile
from bench.speed.recall_latency import NOW, PERSON, fill, questions
from recollect.assembly import make_policy, open_backends
from recollect.engine import Engine
from recollect.index import SnapshotCache
from recollect.logs import configure_logging
from recollect.store import start_embedded
from recollect_proxy.serving.ephemeral_server import temporary
from recollect_proxy.settings.proxy_settings import ProxySettings

_NO_UPSTREAM = "http://127.0.0.1:9/v1"
_SIZES, _LARGE = (100, 1_000, 10_000), 100_000
_WARM_UP = 10
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


async def _ask(engine: Engine, texts: Sequence[str], *, dropped_from: SnapshotCache | None) -> list[float]:
    """Ask each question in a new chat, and return the milliseconds that each took."""
    took: list[float] = []
    for text in texts:
        heard = hear_question(Question(text, text, "", evidence=()), user_id=PERSON, at=NOW)
        if heard.turn is None:
            raise RuntimeError(text)
        if dropped_from is not None:
            dropped_from.forget(PERSON)
        began = time.perf_counter()
        await engine.prepare(heard.turn)
        took.append((time.perf_counter() - began) * 1000)
    return took


async def measure(size: int, *, asks: int, folder: Path) -> str:
    """Fill a store in a folder, and return its row of the table."""
    server = start_embedded(folder)
    try:
        given = ProxySettings(upstream=_NO_UPSTREAM)
        changes: dict[str, Any] = {
            "user_cap": 0,
            "session_cap": 0,
            "embedder_cache_size": 1,
            **unhurried(given),
        }
        own = temporary(given, **changes, database_url=server.dsn, data_dir=folder / "data")
        clock = ReplayClock()
        clock.move_to(NOW)
        async with open_backends(own) as backends:
            await fill(backends, make_policy(own), clock, size, messages=size)
            async with administrator(server.dsn) as connection:
                await connection.execute("VACUUM ANALYZE")
            engine, snapshots = Engine(backends, make_policy(own), clock=clock), backends.snapshots
            await _ask(engine, questions(0, _WARM_UP), dropped_from=None)
            cells = [f"{size:,}"]
            for number, dropped_from in ((1, None), (2, snapshots)):
                before, began = await _pages(server.dsn), time.process_time()
                took = await _ask(engine, questions(number, asks), dropped_from=dropped_from)
                processor = (time.process_time() - began) * 1000 / asks
                pages = (await _pages(server.dsn) - before) / asks
                times = f"{median(took):.1f} / {percentile(took, 0.95):.1f}"
                cells += [times, f"{processor:.1f}", f"{pages:,.0f}"]
            snapshot = await snapshots.get(PERSON)
            held = "yes" if snapshot.passages is not None else "no"
            return f"| {' | '.join([*cells, f'{snapshots.nbytes / 1e6:.1f}', held])} |"
    finally:
        server.stop()


def header() -> Iterator[str]:
    """Yield the first lines of the table."""
    names = (
        "statements, and messages",
        "warm: p50 / p95 ms",
        "processor ms",
        "pages",
        "cold: p50 / p95 ms",
        "processor ms",
        "pages",
        "snapshot, MB",
        "holds the log",
    )
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"


def main() -> None:
    """Print what a recall takes at each size, as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--large", action="store_true", help=f"also measure {_LARGE:,}")
    parser.add_argument("--asks", type=int, default=60, help="questions of each kind")
    options = parser.parse_args()
    configure_logging("error")
    print("\n".join(header()), flush=True)
    for size in (*_SIZES, _LARGE) if options.large else _SIZES:
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            Path(folder).chmod(0o711)  # as root the database runs as another account, which has to get in
            print(asyncio.run(measure(size, asks=options.asks, folder=Path(folder))), flush=True)
