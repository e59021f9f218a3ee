"""Samples the memory of a served proxy, its worker and its Postgres, and tells how it went. Never: what they do meanwhile."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from bench.speed.watching import family, shared_once

WHO = ("proxy", "worker", "Postgres")
_EVERY_SECONDS = 2.0
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened meanwhile: what grows behind it is growth."""


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB at a time, with what is shared divided among those who share it (PSS).

    Attributes:
        at: Seconds since the sampling began.
        of: Of the proxy, its worker, and all other processes that it started.
    """

    at: float
    of: tuple[float, float, float]


def memory_now(proxy: int, began: float) -> Memory | None:
    """Return what they take now; None while there is no worker."""
    members = family(proxy)
    worker = next((each for each in members if _is_worker(each)), None)
    if worker is None:
        return None
    others = [each for each in members if each not in {proxy, worker}]
    taken = shared_once([proxy]), shared_once([worker]), shared_once(others)
    return Memory(time.monotonic() - began, taken)


async def keep_sampling(proxy: int, samples: list[Memory]) -> None:
    """Sample until cancelled."""
    began = time.monotonic()
    while True:
        if (seen := await asyncio.to_thread(memory_now, proxy, began)) is not None:
            samples.append(seen)
        await asyncio.sleep(_EVERY_SECONDS)


def _is_worker(process: int) -> bool:
    try:
        return b"recollect.worker" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def growth(samples: Sequence[Memory]) -> tuple[float, ...]:
    """Return what each grew by in MiB an hour: a line of least squares through all but the first third."""
    late = [each for each in samples if each.at >= samples[-1].at * _WARM_SHARE]
    hours = [each.at / 3600 for each in late]
    return tuple(float(np.polyfit(hours, [each.of[who] for each in late], 1)[0]) for who in range(len(WHO)))


def table(phases: Sequence[tuple[str, Sequence[Memory]]]) -> Iterator[str]:
    """Yield the lines of a table: the median and the most of each phase, and the last."""
    yield "| memory, MiB: median, most, last | " + " | ".join(WHO) + " |"
    yield "|---|---|---|---|"
    for name, samples in phases:
        cells = [_cell([each.of[who] for each in samples]) for who in range(len(WHO))]
        yield f"| {name} | {' | '.join(cells)} |"


def _cell(values: Sequence[float]) -> str:
    return f"{median(values):.0f}, {max(values):.0f}, {values[-1]:.0f}" if values else ""
