"""What a served Recollect takes over a long time: `python -m bench soak --minutes 60`. Never: a test, a fault, how fast anything is.

People chat at a low steady rate, with an LLM, an extraction model and a Postgres on this machine, and memories are formed of what
they say. Meanwhile the memory of the proxy, its worker and Postgres is sampled, and how many exchanges wait to be formed.
"""

import argparse
import asyncio
import math
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
import uvloop
from tests.recollect.postgres.servers import postmaster
from tests.running_proxy import User

from bench.chaos.counting import kept, settled
from bench.chaos.database import rows
from bench.chaos.load import Load
from bench.chaos.system import Plan, System
from bench.chaos.world import World
from bench.speed.arithmetic import percentile
from bench.speed.watching import family, shared_once

_RESULTS = Path(__file__).parents[1] / "results" / "soak.md"
_PEOPLE, _TURNS_OF_A_CHAT = 40, 5
_SAMPLE_SECONDS = 5.0
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened meanwhile: what grows behind it is told as growth."""

_WAITING = """
    SELECT count(*) AS waits, coalesce(extract(epoch FROM now() - min(said_at)), 0) AS oldest
    FROM recollect.exchanges WHERE state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen at a time.

    Attributes:
        at: Seconds since the load began.
        proxy: MiB of the proxy's process, with what it shares with others divided by how many share it.
        worker: The same of its worker's.
        postgres: The same of all processes of Postgres together.
        waits: How many exchanges wait to be formed.
        oldest: Since how many seconds the oldest of them waits.
    """

    at: float
    proxy: float
    worker: float
    postgres: float
    waits: int
    oldest: float


async def soak(folder: Path, *, minutes: float, rate: float, seed: int) -> str:
    """Chat for some minutes, and return what was seen as Markdown."""
    system = System(folder, World(random.Random(seed)))
    async with AsyncExitStack() as closing:
        await system.start(Plan(), closing)
        load = Load(system.world, system.ports, random.Random(seed))
        samples: list[Sample] = []
        prober = User("prober")
        await load.until_remembered(prober)
        began = time.monotonic()
        sampling = asyncio.create_task(_sample(system, samples, began))
        probing = asyncio.create_task(load.keep_probing(prober))
        await _chat(load, began + minutes * 60, rate)
        load.is_over = True
        await probing
        sampling.cancel()
        with suppress(asyncio.CancelledError):
            await sampling
        is_settled, ended = await settled(system), time.monotonic()
        there = await kept(system)
        answered = {each.mark for each in load.asked if each.is_whole}
        lines = [
            *table(samples, load, began),
            "",
            (
                f"{len(load.asked):,} chats, {len(answered):,} answered byte for byte; {len(answered - there.logged.keys())} not in the log, "
                f"{len(answered - there.formed.keys())} without a memory when nothing waited any more "
                f"({f'{ended - began - minutes * 60:.0f} s after the last' if is_settled else 'which did not come'})."
            ),
        ]
        return "\n".join(lines)


async def _chat(load: Load, until: float, rate: float) -> None:
    """Have one person after the other say something, so many a second, however long answers take."""
    saying: set[asyncio.Task[object]] = set()
    said = 0
    while time.monotonic() < until:
        turn, person = divmod(said, _PEOPLE)
        name = f"talker-{person}-{person:04x}"
        chat = f"chat-{turn // _TURNS_OF_A_CHAT}-of-{name}"
        words = load.say(User(name), chat, f"number {turn} of {name}", is_streamed=bool(turn % 2))
        task = asyncio.create_task(words)
        saying.add(task)
        task.add_done_callback(saying.discard)
        said += 1
        await asyncio.sleep(load.chance.expovariate(rate))
    await asyncio.gather(*saying)


async def _sample(system: System, samples: list[Sample], began: float) -> None:
    while True:
        [row] = await rows(system.dsn, _WAITING)
        assert system.database is not None
        proxy, worker = system.proxies[0].pid, system.proxies[0].worker
        if proxy is not None and worker is not None:
            taken = (shared_once([proxy]), shared_once([worker]))
            postgres = shared_once(family(postmaster(system.database.folder)))
            at = time.monotonic() - began
            samples.append(Sample(at, *taken, postgres, row["waits"], float(row["oldest"])))
        await asyncio.sleep(_SAMPLE_SECONDS)


def table(samples: Sequence[Sample], load: Load, began: float) -> Iterator[str]:
    """Yield the lines of a table by tenths of the time, and what memory grew by behind the first third."""
    end = samples[-1].at
    yield "| minutes | proxy | worker | Postgres | exchanges that wait, most | the oldest waits, most | chats: p50 / p95 |"
    yield "|---|---|---|---|---|---|---|"
    for tenth in range(10):
        first, last = end * tenth / 10, end * (tenth + 1) / 10
        part = [each for each in samples if first <= each.at <= last]
        took = [each.seconds * 1000 for each in load.asked if first <= each.began - began <= last] or [
            math.nan
        ]
        yield (
            f"| {first / 60:.1f} to {last / 60:.1f} | {_middle(part, _proxy)} | {_middle(part, _worker)} "
            f"| {_middle(part, _postgres)} | {max((each.waits for each in part), default=0)} | {max((each.oldest for each in part), default=0):.1f} s "
            f"| {median(took):.0f} / {percentile(took, 0.95):.0f} ms |"
        )
    late = [each for each in samples if each.at >= end * _WARM_SHARE]
    grown = ", ".join(
        f"{name} {np.polyfit([each.at / 3600 for each in late], [read(each) for each in late], 1)[0]:+.1f}"
        for name, read in (("proxy", _proxy), ("worker", _worker), ("Postgres", _postgres))
    )
    yield f"\nBehind the first third memory grows by (line of least squares, MiB an hour): {grown}."


def _middle(part: Sequence[Sample], read: Callable[[Sample], float]) -> str:
    return f"{median(map(read, part)):.1f}" if part else ""


def _proxy(sample: Sample) -> float:
    return sample.proxy


def _worker(sample: Sample) -> float:
    return sample.worker


def _postgres(sample: Sample) -> float:
    return sample.postgres


def main() -> None:
    """Run it, print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=1.0, help="chats a second")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--output", type=Path, default=_RESULTS, help="the file that takes the table")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="soak-") as folder:
        Path(folder).chmod(0o711)
        told = uvloop.run(soak(Path(folder), minutes=given.minutes, rate=given.rate, seed=given.seed))
    text = (
        f"# What a served Recollect takes over a long time\n\n`python -m bench soak --minutes {given.minutes:g} --rate {given.rate:g}`, "
        f"{datetime.now(UTC):%Y-%m-%d}: {_PEOPLE} people chat, and one asks each second for what they told. Memory in MiB (PSS: what several "
        f"processes share is divided among them), the median of each tenth. {os.cpu_count()} cores, load {before:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after, which is this run's and that of other work.\n\n{told}\n"
    )
    given.output.write_text(text, "utf-8")
    print(text)
