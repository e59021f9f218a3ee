"""Measures how fast N workers form a backlog, and how late a memory is under a steady load.

One proxy, Postgres, N `recollect worker` and a slow extraction model run on one machine, so workers beyond its cores only show
the cost of waiting for the model.
"""

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

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

_WORKERS, _ROUNDS, _USERS = (1, 2, 3), 2, 60
_TURNS = 4
"""The messages of each user in the backlog."""
_MODEL_SECONDS, _CHATS_A_SECOND = 1.0, 2.0
_STEADY_USERS = 1_000
"""The number of the first user of the steady load."""

_FORMED = "SELECT count(*) FROM recollect.exchanges WHERE state = 'formed'"
_UNFORMED = "SELECT count(*) FROM recollect.exchanges WHERE state <> 'formed'"
_LAGS = f"""
SELECT extract(epoch FROM formed_at - said_at)::float FROM recollect.exchanges
WHERE state = 'formed' AND split_part(user_id, '-', 2)::int >= {_STEADY_USERS}
"""
_LOOK_SECONDS = 0.1
_MIDDLE = (0.1, 0.9)
"""The share of the backlog between whose ends its rate is taken: without the workers' start and the last stragglers."""

_PATIENCE_SECONDS = 300.0
_AT_ONCE = 8
"""Chats asked at the same time while the backlog is made."""


class Figures(NamedTuple):
    """The figures of a number of workers.

    Attributes:
        rate: Exchanges formed in a second.
        cpu: Seconds of processor time of the workers, for each exchange.
        lag_p50: Seconds from a message to its memory, in the median.
        lag_p95: The same at the 95th percentile.
        unformed: Exchanges of which nothing was formed in the end.
    """

    rate: float
    cpu: float
    lag_p50: float
    lag_p95: float
    unformed: int


async def measure(workers: int, folder: Path) -> Figures:
    """Form a backlog by so many workers, then let people chat at a steady rate."""
    world = World(random.Random(workers))
    answer_at_once = world.extraction

    def answer_late(request: Received) -> Answer:
        return (_MODEL_SECONDS, *answer_at_once(request))

    world.extraction = answer_late
    system = System(folder, world)
    async with AsyncExitStack() as closing:
        await system.start(Plan(workers=workers), closing)
        for worker in system.workers:
            await worker.stop()
        load = Load(world, system.ports, random.Random(workers))
        free = asyncio.Semaphore(_AT_ONCE)
        await asyncio.gather(*(_talk(load, free, user) for user in range(_USERS)))
        for worker in system.workers:
            await worker.start()
        (since, first, used), (until, last, used_then) = [
            await _formed(system, _USERS * _TURNS * share) for share in _MIDDLE
        ]
        rate, cpu = (last - first) / (until - since), (used_then - used) / (last - first)
        await settled(system)
        saying = []
        for user in range(_USERS * _TURNS // 2):
            saying.append(asyncio.create_task(_say(load, _STEADY_USERS + user, 0)))
            await asyncio.sleep(1 / _CHATS_A_SECOND)
        await asyncio.gather(*saying)
        await settled(system)
        lags = [each[0] for each in await rows(system.dsn, _LAGS)]
        [[left]] = await rows(system.dsn, _UNFORMED)
    middle, late = percentiles(lags, 50, 95).values()
    return Figures(rate, cpu, middle, late, left)


async def _talk(load: Load, free: asyncio.Semaphore, user: int) -> None:
    for turn in range(_TURNS):
        async with free:
            await _say(load, user, turn)


async def _say(load: Load, user: int, turn: int) -> None:
    name = f"talker-{user}-{user:04x}"
    told = await load.say(User(name), f"chat-of-{name}", f"number {turn} of {name}", is_streamed=True)
    if not told.is_whole:
        raise RuntimeError("a chat failed")


async def _formed(system: System, count: float) -> tuple[float, int, float]:
    """Wait until so many exchanges are formed; return the time, how many are, and the processor time of the workers."""
    async with asyncio.timeout(_PATIENCE_SECONDS):
        while True:
            [[formed]] = await rows(system.dsn, _FORMED)
            if formed >= count:
                processes = [each for worker in system.workers for each in family(worker.pid or 0)]
                return time.monotonic(), formed, cpu_seconds(processes)
            await asyncio.sleep(_LOOK_SECONDS)


def told(found: Sequence[tuple[int, Figures]]) -> str:
    """Return the table: medians over the rounds, a row for each number of workers."""
    cells = []
    for workers in sorted({each for each, _ in found}):
        of_it = zip(*(figures for each, figures in found if each == workers), strict=True)
        rate, cpu, middle, late, left = map(median, of_it)
        cells.append(
            (workers, number(rate), number(cpu * 1000, 0), number(middle), number(late), f"{left:g}")
        )
    heads = (
        *("workers", "formed a second", "processor ms for each", "lag p50 at a steady load, s", "p95, s"),
        "unformed",
    )
    return table(heads, cells)


def main() -> None:
    """Measure one, two and three workers by turns, and print a table."""
    options = options_of(__doc__).parse_args()
    found: list[tuple[int, Figures]] = []
    for number_of_round in range(_ROUNDS):
        for workers in _WORKERS if number_of_round % 2 == 0 else _WORKERS[::-1]:
            with work_folder() as folder:
                found.append((workers, uvloop.run(measure(workers, folder))))
    publish(options, "What workers form", told(found), found)
