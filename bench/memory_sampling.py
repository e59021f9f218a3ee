"""Samples the memory of a served proxy, its worker and its Postgres, and fits its growth. Never: what they do meanwhile."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from bench.report import table
from bench.servers import worker_of
from bench.watching import family, of_files, shared_once

WHO = ("proxy", "worker", "Postgres")
_EVERY_SECONDS = 2.0
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened during this share of the time: only later growth counts."""


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB at a time; memory that processes share is divided among them (PSS).

    Attributes:
        at: Seconds since the sampling began.
        of: Of the proxy, its worker, and Postgres.
        files: The pages of files, as programs and models, in the first two: Linux takes them back where it needs room.
    """

    at: float
    of: tuple[float, float, float]
    files: tuple[float, float] = (0.0, 0.0)


def memory_now(proxy: int, began: float, postgres: int | None = None) -> Memory | None:
    """Return what they take now; None while there is no worker. Without ``postgres`` it is the proxy's own."""
    worker = worker_of(proxy)
    if worker is None:
        return None
    others = family(postgres or proxy)
    taken = [
        shared_once([proxy]),
        shared_once([worker]),
        shared_once([each for each in others if each not in {proxy, worker}]),
    ]
    return Memory(
        time.monotonic() - began, (taken[0], taken[1], taken[2]), (of_files([proxy]), of_files([worker]))
    )


async def keep_sampling(proxy: int, samples: list[Memory]) -> None:
    """Sample until cancelled."""
    began = time.monotonic()
    while True:
        if (seen := await asyncio.to_thread(memory_now, proxy, began)) is not None:
            samples.append(seen)
        await asyncio.sleep(_EVERY_SECONDS)


def growth(at: Sequence[float], values: Sequence[float]) -> float:
    """Return the growth in MiB an hour: a line of least squares through all but the first third of the time (seconds)."""
    late = [number for number, each in enumerate(at) if each >= at[-1] * _WARM_SHARE]
    return float(np.polyfit([at[each] / 3600 for each in late], [values[each] for each in late], 1)[0])


def memory_table(phases: Sequence[tuple[str, Sequence[Memory]]]) -> str:
    """Return the median, the most and the last of each phase, as a Markdown table."""
    rows = [
        (name, *(_cell([each.of[who] for each in samples]) for who in range(len(WHO))))
        for name, samples in phases
    ]
    return table(("memory, MiB: median, most, last", *WHO), rows)


def _cell(values: Sequence[float]) -> str:
    return f"{median(values):.0f}, {max(values):.0f}, {values[-1]:.0f}" if values else ""
