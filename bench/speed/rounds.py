"""A round of one system: every load once, and what of it is kept. Never: how figures of rounds are summed up."""

import asyncio
import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bench.figures import percentiles
from bench.servers import Server
from bench.speed.client import Target
from bench.speed.loads import Answered, burst, closed_loop, in_pairs, open_loop, streams
from bench.speed.prompts import NOW, SIZES, WHOLE, paced
from bench.speed.systems import System
from bench.watching import cpu_seconds, machine_seconds, reading

STREAMS = 100
TOKENS_A_SECOND = 30
CONNECTIONS = 32
LOADS = (25, 50, 75)  # percent of a system's own ceiling
_SMALL = "2 KB"


@dataclass(frozen=True)
class Lengths:
    """How long each part of a round is.

    Attributes:
        pairs: Pairs of single requests, of each size, at most.
        pair_seconds: After how many seconds of one size it is enough.
        window: Seconds the streams are watched.
        closed: Seconds of the closed loop.
        opened: Seconds of the open loop, at each rate.
    """

    rounds: int
    pairs: int
    pair_seconds: float
    window: float
    closed: float
    opened: float
    bursts: int


FULL = Lengths(rounds=7, pairs=150, pair_seconds=4.0, window=2.5, closed=1.5, opened=1.2, bursts=2)
QUICK = Lengths(rounds=2, pairs=80, pair_seconds=2.5, window=1.5, closed=1.0, opened=0.7, bursts=1)
_STAGGER_SECONDS = 3.0
_SETTLE_TRIES = 80
_RESTING_SECONDS = 0.02  # of a tenth of a second; the kernel counts in hundredths


def with_rounds(lengths: Lengths, rounds: int | None) -> Lengths:
    """Return the lengths with another number of rounds, if one is given."""
    return lengths if rounds is None else replace(lengths, rounds=rounds)


def models(lengths: Lengths) -> tuple[str, ...]:
    """Return every model that is asked for."""
    return (WHOLE, NOW, _paced(lengths))


def _tokens(lengths: Lengths) -> int:
    return round((_STAGGER_SECONDS + 0.4 + lengths.window) * TOKENS_A_SECOND)


def _paced(lengths: Lengths) -> str:
    return paced(_tokens(lengths), TOKENS_A_SECOND)


async def warm_up(system: System, questions: Iterator[bytes], *, seconds: float) -> None:
    """Let a system answer before it is measured."""
    for model in (WHOLE, NOW):
        target = system.target(model, SIZES[_SMALL], questions)
        await closed_loop(target, connections=4, seconds=seconds / 2)
    await settle(system)


async def settle(system: System) -> None:
    """Wait until a system rests, so that no load is charged for the previous one."""
    own = system.processes()
    for _ in range(_SETTLE_TRIES):
        before = cpu_seconds(own)
        await asyncio.sleep(0.1)
        if cpu_seconds(own) - before <= _RESTING_SECONDS:
            return


async def measure(
    system: System, direct: System, mock: Server, lengths: Lengths, questions: Iterator[bytes]
) -> dict[str, Any]:
    """Run every load on one system; return its samples."""
    gc.collect()
    small = partial(system.target, size=SIZES[_SMALL], questions=questions)
    used = partial(_used, [*system.processes(), mock.process.pid, os.getpid()])
    before = used()
    await warm_up(system, questions, seconds=0.4)
    found: dict[str, Any] = {"first_byte": await _first_byte(system, direct, lengths, questions)}
    found["streams"] = await _streams(system, mock, lengths, questions)
    await settle(system)
    ceiling = await closed_loop(small(WHOLE), connections=CONNECTIONS, seconds=lengths.closed)
    found["closed_loop"] = _told(ceiling)
    await settle(system)
    found["burst"] = _told(*[await _burst(system, small(NOW)) for _ in range(lengths.bursts)])
    found["open_loop"] = {}
    for load in LOADS:
        rate = max(1.0, len(ceiling.latencies) / ceiling.seconds * load / 100)
        found["open_loop"][str(load)] = _told(
            await open_loop(small(WHOLE), rate=rate, seconds=lengths.opened)
        )
        await settle(system)
    after = used()
    spent = {name: after[name] - before[name] for name in after}
    found["steal_share"] = spent["steal"] / spent["all"]
    found["foreign_share"] = max(0.0, spent["busy"] - spent["ours"]) / spent["all"]
    return found


def _used(processes: list[int]) -> dict[str, float]:
    return {**machine_seconds(), "ours": cpu_seconds(processes)}


async def _burst(system: System, target: Target) -> Answered:
    seen = await burst(target, count=STREAMS)
    await settle(system)
    return seen


async def _first_byte(
    system: System, direct: System, lengths: Lengths, questions: Iterator[bytes]
) -> dict[str, Any]:
    found = {}
    for name, size in SIZES.items():
        seen = await in_pairs(
            system.target(NOW, size, questions),
            direct.target(NOW, size, questions),
            pairs=lengths.pairs,
            warm_up=5,
            seconds=lengths.pair_seconds,
        )
        found[name] = {
            "own_ms": [round(each, 4) for each in seen.own],
            "direct_ms": [round(each, 4) for each in seen.base],
            "with_memories": seen.with_memories,
        }
    return found


async def _streams(
    system: System, mock: Server, lengths: Lengths, questions: Iterator[bytes]
) -> dict[str, Any]:
    own = system.processes()
    load = [mock.process.pid, os.getpid()]
    loads: list[dict[str, float]] = []

    def both() -> dict[str, float]:
        loads.append(reading(load))
        return reading(own)

    seen = await streams(
        system.target(_paced(lengths), SIZES[_SMALL], questions),
        count=STREAMS,
        tokens=_tokens(lengths),
        stagger=_STAGGER_SECONDS,
        window=lengths.window,
        reading=both,
    )
    used = seen.after["cpu_seconds"] - seen.before["cpu_seconds"]
    return {
        "delay_ms": percentiles(seen.delays, 50, 95, 99),
        "events": len(seen.delays),
        "events_due": round(STREAMS * TOKENS_A_SECOND * lengths.window),
        "complete": seen.complete,
        "cpu_share": used / (seen.after["at"] - seen.before["at"]),
        "cpu_seconds_per_1000_tokens": used / len(seen.delays) * 1000 if seen.delays else None,
        "load_cpu_share": (loads[1]["cpu_seconds"] - loads[0]["cpu_seconds"])
        / (loads[1]["at"] - loads[0]["at"]),
        "with_memories": seen.with_memories,
    }


def _told(*seen: Answered) -> dict[str, Any]:
    latencies = [each for one in seen for each in one.latencies]
    late = [each for one in seen for each in one.late]
    seconds = sum(one.seconds for one in seen)
    return {
        "answered": len(latencies),
        "rate": len(latencies) / seconds if seconds else None,
        "latency_ms": percentiles(latencies, 50, 95, 99),
        "late_ms": percentiles(late, 50, 99),
        "failed": sum(one.failed for one in seen),
        "with_memories": sum(one.with_memories for one in seen),
    }
