"""A round of one system: every load once, and its figures."""

import asyncio
import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bench.figures import percentiles
from bench.servers import Server
from bench.speed.loads import burst, closed_loop, in_pairs, streams
from bench.speed.prompts import NOW, SIZES, WHOLE, paced
from bench.speed.report import Round
from bench.speed.systems import System
from bench.watching import cpu_seconds, machine_seconds, reading

STREAMS = 100
TOKENS_A_SECOND = 30
CONNECTIONS = 32
_STAGGER_SECONDS = 3.0
_SETTLE_TRIES = 80
_RESTING_SECONDS = 0.02  # of a tenth of a second; the kernel counts in hundredths


@dataclass(frozen=True)
class Lengths:
    """How long each part of a round is.

    Attributes:
        pairs: Pairs of single requests, of each size, at most.
        pair_seconds: After how many seconds of one size it is enough.
        window: Seconds the streams are watched.
        closed: Seconds of the closed loop.
    """

    rounds: int
    pairs: int
    pair_seconds: float
    window: float
    closed: float
    bursts: int

    @property
    def tokens(self) -> int:
        """The tokens of each stream."""
        return round((_STAGGER_SECONDS + 0.4 + self.window) * TOKENS_A_SECOND)

    @property
    def paced(self) -> str:
        """The model that answers by these streams."""
        return paced(self.tokens, TOKENS_A_SECOND)


FULL = Lengths(rounds=7, pairs=150, pair_seconds=4.0, window=2.5, closed=1.5, bursts=2)
QUICK = Lengths(rounds=2, pairs=80, pair_seconds=2.5, window=1.5, closed=1.0, bursts=1)


async def warm_up(system: System, questions: Iterator[bytes], *, seconds: float) -> None:
    """Let a system answer before it is measured."""
    for model in (WHOLE, NOW):
        target = system.requests(model, SIZES["2 KB"], questions)
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
) -> Round:
    """Run every load on one system; return its figures."""
    gc.collect()
    small = partial(system.requests, size=SIZES["2 KB"], questions=questions)
    used = partial(_used, [*system.processes(), mock.process.pid, os.getpid()])
    before = used()
    await warm_up(system, questions, seconds=0.4)
    found: Round = {}
    for name, size in SIZES.items():
        seen = await in_pairs(
            system.requests(NOW, size, questions),
            direct.requests(NOW, size, questions),
            pairs=lengths.pairs,
            warm_up=5,
            seconds=lengths.pair_seconds,
        )
        found |= _spread(f"added.{name}", seen.added) | {f"{name}.with_memories": seen.with_memories}
    found["added.larger.p50"] = found["added.200 KB.p50"] - found["added.2 KB.p50"]
    found |= await _streams(system, mock, lengths, questions)
    await settle(system)
    ceiling = await closed_loop(small(WHOLE), connections=CONNECTIONS, seconds=lengths.closed)
    found["rate"] = len(ceiling.latencies) / ceiling.seconds
    await settle(system)
    bursts = []
    for _ in range(lengths.bursts):
        bursts.append(await burst(small(NOW), count=STREAMS))
        await settle(system)
    found |= _spread("burst", [each for one in bursts for each in one.latencies])
    found["burst.with_memories"] = sum(each.with_memories for each in bursts)
    found["failed"] = ceiling.failed + sum(each.failed for each in bursts)
    after = used()
    spent = {name: after[name] - before[name] for name in after}
    found["steal_share"] = spent["steal"] / spent["all"]
    found["foreign_share"] = max(0.0, spent["busy"] - spent["ours"]) / spent["all"]
    return found


def _used(processes: list[int]) -> dict[str, float]:
    return {**machine_seconds(), "ours": cpu_seconds(processes)}


def _spread(name: str, values: Sequence[float]) -> Round:
    return {f"{name}.{key}": value for key, value in percentiles(values, 50, 95, 99).items()}


async def _streams(system: System, mock: Server, lengths: Lengths, questions: Iterator[bytes]) -> Round:
    own, load = system.processes(), [mock.process.pid, os.getpid()]
    seen = await streams(
        system.requests(lengths.paced, SIZES["2 KB"], questions),
        count=STREAMS,
        tokens=lengths.tokens,
        stagger=_STAGGER_SECONDS,
        window=lengths.window,
        reading=lambda: (reading(own), reading(load)),
    )
    (own_before, load_before), (own_after, load_after) = seen.before, seen.after
    used = own_after.cpu_seconds - own_before.cpu_seconds
    found = _spread("streams", seen.delays)
    if seen.delays:
        found["streams.cpu_seconds_per_1000_tokens"] = used / len(seen.delays) * 1000
    return found | {
        "streams.delivered": len(seen.delays) / round(STREAMS * TOKENS_A_SECOND * lengths.window),
        "streams.complete": seen.complete,
        "streams.cpu_share": used / (own_after.at - own_before.at),
        "streams.load_cpu_share": (load_after.cpu_seconds - load_before.cpu_seconds)
        / (load_after.at - load_before.at),
        "streams.with_memories": seen.with_memories,
    }
