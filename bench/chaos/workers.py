"""Measures how fast N workers form a backlog, and how late a memory is under a steady load.

    python -m bench workers [--workers 1,2,3] [--rounds 2]

One proxy, Postgres, N `recollect worker` and a slow extraction model run on one machine, so workers beyond its cores only show
the cost of waiting for the model.
Never: a fault.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import uvloop
from tests.scripted.answers import Answer
from tests.servers.running_proxy import User
from tests.support.received import Received

from bench.chaos.counting import settled
from bench.chaos.database import rows
from bench.chaos.load import Load
from bench.chaos.system import Plan, System
from bench.chaos.world import World
from bench.figures import number, percentiles
from bench.report import options_of, publish, table
from bench.servers import work_folder
from bench.watching import cpu_seconds, family

_STATES = "SELECT id, said_at, state FROM recollect.exchanges"
_LOOK_SECONDS = 0.1
_MIDDLE = (0.1, 0.9)
"""The share of the backlog between whose ends its rate is taken: without the workers' start and the last stragglers."""

_PATIENCE_SECONDS = 300.0
_AT_ONCE = 8
"""Chats asked at the same time while the backlog is made."""


@dataclass(frozen=True)
class Figures:
    """The figures of a number of workers.

    Attributes:
        rate: Exchanges formed in a second.
        cpu: Seconds of processor time of the workers, for each exchange.
        lag_p50: Seconds from a message to its memory, in the median.
        lag_p95: The same at the 95th percentile.
        unformed: Exchanges of which nothing was formed in the end.
    """

    workers: int
    rate: float
    cpu: float
    lag_p50: float
    lag_p95: float
    unformed: int


async def measure(
    workers: int, folder: Path, *, users: int, turns: int, model_seconds: float, asked_rate: float
) -> Figures:
    """Form a backlog by so many workers, then let people chat at a steady rate."""
    world = World(random.Random(workers))
    answer_at_once = world.extraction

    def answer_late(request: Received) -> Answer:
        return (model_seconds, *answer_at_once(request))

    world.extraction = answer_late
    system = System(folder, world)
    async with AsyncExitStack() as closing:
        await system.start(Plan(workers=workers), closing)
        for worker in system.workers:
            await worker.stop()
        load = Load(world, system.ports, random.Random(workers))
        await _fill(load, users, turns)
        for worker in system.workers:
            await worker.start()
        rate, cpu = await _drained(system, users * turns)
        lags = await _steadily(system, load, asked_rate, seconds=users * turns / asked_rate / 2)
        await settled(system)
        left = sum(row["state"] != "formed" for row in await rows(system.dsn, _STATES))
    middle, late = percentiles(lags, 50, 95).values()
    return Figures(workers, rate, cpu, middle, late, left)


async def _fill(load: Load, users: int, turns: int) -> None:
    """Have everybody say so much while no worker runs."""
    free = asyncio.Semaphore(_AT_ONCE)

    async def talk(number: int) -> None:
        for turn in range(turns):
            async with free:
                await _say(load, number, turn)

    await asyncio.gather(*map(talk, range(users)))


async def _say(load: Load, number: int, turn: int) -> None:
    name = f"talker-{number}-{number:04x}"
    told = await load.say(
        User(name), f"chat-{turn // 5}-of-{name}", f"number {turn} of {name}", is_streamed=True
    )
    if not told.is_whole:
        raise RuntimeError(f"a chat failed: {told.status}")


async def _drained(system: System, count: int) -> tuple[float, float]:
    """Wait until the backlog is formed; return the exchanges formed in a second, and the workers' seconds for each."""
    begin, end = (share * count for share in _MIDDLE)
    seen: list[tuple[float, int, float]] = []
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while not seen or seen[-1][1] < end:
            formed = sum(row["state"] == "formed" for row in await rows(system.dsn, _STATES))
            if formed >= begin:
                seen.append((time.monotonic(), formed, cpu_seconds(_processes(system))))
            await asyncio.sleep(_LOOK_SECONDS)
    (since, first, used), (until, last, used_then) = seen[0], seen[-1]
    formed = max(1, last - first)
    return formed / max(until - since, _LOOK_SECONDS), (used_then - used) / formed


def _processes(system: System) -> list[int]:
    return [each for worker in system.workers if worker.pid is not None for each in family(worker.pid)]


async def _steadily(system: System, load: Load, rate: float, *, seconds: float) -> list[float]:
    """Chat at a steady rate, each time as another person; return the delay of each formation in seconds."""
    await settled(system)
    before = {row["id"] for row in await rows(system.dsn, _STATES)}
    saying: list[asyncio.Task[None]] = []
    late: dict[object, float] = {}
    began = time.monotonic()

    async def look() -> None:
        for row in await rows(system.dsn, _STATES):
            if row["id"] not in before and row["id"] not in late and row["state"] == "formed":
                late[row["id"]] = time.time() - row["said_at"].timestamp()

    while len(late) < len(saying) or not saying:
        now = time.monotonic() - began
        while now < seconds and len(saying) <= now * rate:
            saying.append(asyncio.create_task(_say(load, 1000 + len(saying), 0)))
        await look()
        if now > seconds + _PATIENCE_SECONDS:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    await asyncio.gather(*saying)
    return list(late.values())


def told(found: Sequence[Figures]) -> str:
    """Return the table: medians over the rounds, a row for each number of workers."""
    rows_of = []
    for workers in sorted({each.workers for each in found}):
        of_it = [each for each in found if each.workers == workers]
        rate, cpu, middle, late = (
            statistics.median(getattr(each, name) for each in of_it)
            for name in ("rate", "cpu", "lag_p50", "lag_p95")
        )
        left = sum(each.unformed for each in of_it)
        rows_of.append((workers, number(rate), number(cpu * 1000, 0), number(middle), number(late), left))
    heads = (
        *("workers", "formed a second", "processor ms for each", "lag p50 at a steady load, s", "p95, s"),
        "unformed",
    )
    return table(heads, rows_of)


def main() -> None:
    """Measure one, two and three workers by turns, and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--workers", default="1,2,3", help="how many, with commas (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="of each (default: %(default)s)")
    parser.add_argument("--users", type=int, default=60, help="who wait (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=4, help="of each user (default: %(default)s)")
    parser.add_argument(
        "--model-seconds", type=float, default=1.0, help="of an extraction (default: %(default)s)"
    )
    parser.add_argument(
        "--rate", type=float, default=2.0, help="chats a second of the steady load (default: %(default)s)"
    )
    options = parser.parse_args()
    sizes = {"users": options.users, "turns": options.turns}
    speeds = {"model_seconds": options.model_seconds, "asked_rate": options.rate}
    found: list[Figures] = []
    for round_number in range(options.rounds):
        counts = [int(each) for each in options.workers.split(",")]
        for workers in counts if round_number % 2 == 0 else counts[::-1]:
            with work_folder() as folder:
                found.append(uvloop.run(measure(workers, folder, **sizes, **speeds)))
    publish(options, "What workers form", told(found), found)
