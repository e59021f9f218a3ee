"""What a served Recollect takes over a long time: `python -m bench soak --minutes 60`. Never: a test, a fault, how fast anything is.

People chat at a low steady rate, in several languages, shortly and at length, half of them by streams, with an LLM, an extraction model and
a Postgres on this machine, and memories are formed of what they say; others have theirs written, corrected, taken away and erased by the
memory API. Meanwhile the memory of the proxy, its worker and Postgres is sampled, and how many exchanges wait to be formed. At the end it judges itself.
"""

import argparse
import asyncio
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
import uvloop
from tests.recollect.store.embedded.servers import postmaster
from tests.running_proxy import User

from bench.chaos.counting import kept, settled
from bench.chaos.database import rows
from bench.chaos.load import Load
from bench.chaos.mixed import Writers, said
from bench.chaos.system import Plan, System
from bench.chaos.world import World
from bench.speed.arithmetic import percentile
from bench.speed.watching import family, of_files, shared_once

_RESULTS = Path(__file__).parents[1] / "results" / "soak.md"
_PEOPLE, _TURNS_OF_A_CHAT = 40, 5
_SAMPLE_SECONDS = 5.0
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened meanwhile: what grows behind it is told as growth."""

_WRITER_PAUSE_SECONDS = 1.0
_MOST_GROWTH = {"proxy": 20.0, "worker": 20.0, "Postgres": 150.0}
"""MiB an hour that pass for flat. Postgres fills its buffers, 128 MiB, as it writes."""

_TELLING_MINUTES = 30.0
_STEADY_SECONDS = 2.0

_WAITING = """
    SELECT count(*) AS waits, coalesce(extract(epoch FROM now() - min(said_at)), 0) AS oldest
    FROM recollect.exchanges WHERE state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen at a time.

    Attributes:
        at: Seconds since the load began.
        proxy: MiB of the proxy's process, with what it shares with others divided by how many share it, without pages of files.
        worker: The same of its worker's.
        postgres: The same of all processes of Postgres together, with them.
        files: MiB of pages of files in both: programs, and of the model what its texts' words needed so far.
        waits: How many exchanges wait to be formed.
        oldest: Since how many seconds the oldest of them waits.
    """

    at: float
    proxy: float
    worker: float
    postgres: float
    files: float
    waits: int
    oldest: float


@dataclass(frozen=True, slots=True)
class End:
    """What became of what was said.

    Attributes:
        chats: How many were asked.
        answered: How many of them came byte for byte as the LLM sent them.
        unlogged: Answered ones that the log lacks.
        unformed: Answered short ones of which no memory was formed.
        settled_seconds: From the last chat until nothing waited; None: never.
        wrong: What the memory API did not do as it was told.
    """

    chats: int
    answered: int
    unlogged: int
    unformed: int
    settled_seconds: float | None
    wrong: tuple[str, ...]


async def soak(folder: Path, *, minutes: float, rate: float, seed: int) -> tuple[str, bool]:
    """Chat for some minutes; return what was seen as Markdown, and whether all was as it should be."""
    system = System(folder, World(random.Random(seed)))
    async with AsyncExitStack() as closing:
        await system.start(Plan(), closing)
        load = Load(system.world, system.ports, random.Random(seed))
        samples: list[Sample] = []
        prober = User("prober")
        await load.until_remembered(prober)
        began = time.monotonic()
        writers = Writers(system.ports[0], random.Random(seed))
        beside = [
            asyncio.create_task(_sample(system, samples, began)),
            asyncio.create_task(writers.keep_writing(_WRITER_PAUSE_SECONDS)),
        ]
        probing = asyncio.create_task(load.keep_probing(prober))
        long = await _chat(load, began + minutes * 60, rate)
        load.is_over = True
        await probing
        await _cancelled(beside)
        is_settled, ended = await settled(system), time.monotonic()
        there = await kept(system)
        answered = {each.mark for each in load.asked if each.is_whole}
        end = End(
            chats=len(load.asked),
            answered=len(answered),
            unlogged=len(answered - there.logged.keys()),
            unformed=len(answered - there.formed.keys() - long),
            settled_seconds=ended - began - minutes * 60 if is_settled else None,
            wrong=tuple(writers.wrong),
        )
        judged = [*judgements(samples, end)]
        lines = [
            *table(samples, load, began),
            "",
            *told(end, writers, len(long)),
            "",
            *(line for line, _ in judged),
        ]
        return "\n".join(lines), all(is_right for _, is_right in judged)


async def _cancelled(tasks: Sequence["asyncio.Task[None]"]) -> None:
    for each in tasks:
        each.cancel()
    await asyncio.wait(tasks)


async def _chat(load: Load, until: float, rate: float) -> set[str]:
    """Have one person after the other say something, so many a second, however long answers take; return the marks of long messages."""
    saying: set[asyncio.Task[object]] = set()
    count, long = 0, set()
    while time.monotonic() < until:
        turn, person = divmod(count, _PEOPLE)
        name = f"talker-{person}-{person:04x}"
        chat = f"chat-{turn // _TURNS_OF_A_CHAT}-of-{name}"
        mark = f"number {turn} of {name}"
        words, is_long = said(mark, load.chance)
        if is_long:
            long.add(mark)
        task = asyncio.create_task(load.say(User(name), chat, mark, is_streamed=bool(turn % 2), words=words))
        saying.add(task)
        task.add_done_callback(saying.discard)
        count += 1
        await asyncio.sleep(load.chance.expovariate(rate))
    await asyncio.gather(*saying)
    return long


async def _sample(system: System, samples: list[Sample], began: float) -> None:
    while True:
        [row] = await rows(system.dsn, _WAITING)
        assert system.database is not None
        proxy, worker = system.proxies[0].pid, system.proxies[0].worker
        if proxy is not None and worker is not None:
            of_proxy, of_worker = of_files([proxy]), of_files([worker])
            postgres = shared_once(family(postmaster(system.database.folder)))
            samples.append(
                Sample(
                    at=time.monotonic() - began,
                    proxy=shared_once([proxy]) - of_proxy,
                    worker=shared_once([worker]) - of_worker,
                    postgres=postgres,
                    files=of_proxy + of_worker,
                    waits=row["waits"],
                    oldest=float(row["oldest"]),
                )
            )
        await asyncio.sleep(_SAMPLE_SECONDS)


def table(samples: Sequence[Sample], load: Load, began: float) -> Iterator[str]:
    """Yield the lines of a table by tenths of the time, and what memory grew by behind the first third."""
    end = samples[-1].at
    yield "| minutes | proxy | worker | Postgres | files of both | exchanges that wait, most | the oldest waits, most | chats: p50 / p95 |"
    yield "|---|---|---|---|---|---|---|---|"
    for tenth in range(10):
        first, last = end * tenth / 10, end * (tenth + 1) / 10
        part = [each for each in samples if first <= each.at <= last]
        took = [each.seconds * 1000 for each in load.asked if first <= each.began - began <= last] or [
            math.nan
        ]
        yield (
            f"| {first / 60:.1f} to {last / 60:.1f} | {_middle(part, _proxy)} | {_middle(part, _worker)} "
            f"| {_middle(part, _postgres)} | {_middle(part, _files)} "
            f"| {max((each.waits for each in part), default=0)} | {max((each.oldest for each in part), default=0):.1f} s "
            f"| {median(took):.0f} / {percentile(took, 0.95):.0f} ms |"
        )
    grown = ", ".join(f"{name} {growth:+.1f}" for name, growth in _growths(samples))
    yield f"\nBehind the first third memory grows by (line of least squares, MiB an hour): {grown}."


def _growths(samples: Sequence[Sample]) -> Iterator[tuple[str, float]]:
    """Yield each process with what it grows by behind the first third, in MiB an hour."""
    late = [each for each in samples if each.at >= samples[-1].at * _WARM_SHARE]
    hours = [each.at / 3600 for each in late]
    for name, read in (("proxy", _proxy), ("worker", _worker), ("Postgres", _postgres)):
        yield name, float(np.polyfit(hours, [read(each) for each in late], 1)[0])


def told(end: End, writers: Writers, long: int) -> Iterator[str]:
    """Yield what became of what was said and written."""
    yield (
        f"{end.chats:,} chats, {long:,} of them of up to 20,000 characters; {end.answered:,} answered byte for byte; {end.unlogged} not in the log, "
        f"{end.unformed} short ones without a memory when nothing waited any more "
        f"({'which did not come' if end.settled_seconds is None else f'{end.settled_seconds:.0f} s after the last'}). By the memory API {writers.written:,} memories "
        f"were written, {writers.corrected:,} corrected, {writers.deleted:,} taken away, and {writers.erased:,} people erased."
    )


def judgements(samples: Sequence[Sample], end: End) -> Iterator[tuple[str, bool]]:
    """Yield a line for each promise, and whether it was kept; of memory only where the time was long enough to tell."""
    minutes = samples[-1].at / 60
    for name, growth in _growths(samples):
        most = _MOST_GROWTH[name]
        if minutes < _TELLING_MINUTES:
            yield f"- Memory of {name}: {minutes:.0f} minutes are too short to tell whether it is flat.", True
        else:
            yield _judged(
                f"Memory of {name} grows by {growth:+.1f} MiB an hour (at most {most:.0f})", growth <= most
            )
    third = samples[-1].at / 3
    middle, last = (
        median([each.oldest for each in samples if begin <= each.at <= begin + third] or [0.0])
        for begin in (third, 2 * third)
    )
    is_steady = last <= 1.5 * middle + _STEADY_SECONDS
    yield _judged(
        f"Lag: the oldest waits {middle:.1f} s in the second third, {last:.1f} s in the last (medians)",
        is_steady,
    )
    lost = end.chats - end.answered, end.unlogged, end.unformed
    yield _judged(
        "Nothing lost: {} chats not answered byte for byte, {} not logged, {} not formed".format(*lost),
        not any(lost) and end.settled_seconds is not None,
    )
    yield _judged("; ".join(end.wrong) or "Corrections and erasures are as they were left", not end.wrong)


def _judged(line: str, is_right: bool) -> tuple[str, bool]:  # noqa: FBT001 -- what is judged
    return f"- {line}: {'kept' if is_right else '**not kept**'}.", is_right


def _middle(part: Sequence[Sample], read: Callable[[Sample], float]) -> str:
    return f"{median(map(read, part)):.1f}" if part else ""


def _proxy(sample: Sample) -> float:
    return sample.proxy


def _worker(sample: Sample) -> float:
    return sample.worker


def _postgres(sample: Sample) -> float:
    return sample.postgres


def _files(sample: Sample) -> float:
    return sample.files


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
        found, is_right = uvloop.run(
            soak(Path(folder), minutes=given.minutes, rate=given.rate, seed=given.seed)
        )
    text = (
        f"# What a served Recollect takes over a long time\n\n`python -m bench soak --minutes {given.minutes:g} --rate {given.rate:g}`, "
        f"{datetime.now(UTC):%Y-%m-%d}: {_PEOPLE} people chat in eight languages, a tenth of it at length, half of it streamed; one asks each second for what they told; others' memories are written, corrected and erased by the memory API. Memory in MiB (PSS: what several "
        f"processes share is divided among them; of the proxy and the worker without pages of files, which have a column of their own), the median of each tenth. {os.cpu_count()} cores, load {before:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after, which is this run's and that of other work.\n\n{found}\n"
    )
    given.output.write_text(text, "utf-8")
    print(text)
    sys.exit(0 if is_right else 1)
