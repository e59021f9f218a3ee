"""Samples the memory of a served proxy, its worker and its Postgres, and fits its growth. Never: the load."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.servers import worker_of
from bench.watching import family, of_files, shared_once

WHO = ("proxy", "worker", "Postgres")
_WARM_SHARE = 1 / 3
"""Caches fill and connections are opened during this share of the time: only later growth counts."""


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB at a time; memory that processes share is divided among them (PSS).

    Attributes:
        at: Seconds since the sampling began.
        of: The memory of the proxy, its worker, and Postgres.
        files: Pages of files (programs, models) in the first two; Linux reclaims them.
    """

    at: float
    of: tuple[float, float, float]
    files: tuple[float, float] = (0.0, 0.0)


def memory_now(proxy: int, postgres: int, began: float) -> Memory | None:
    """Return their memory now; None while there is no worker."""
    worker = worker_of(proxy)
    if worker is None:
        return None
    taken = shared_once([proxy]), shared_once([worker]), shared_once(family(postgres))
    return Memory(time.monotonic() - began, taken, (of_files([proxy]), of_files([worker])))


def growth(at: Sequence[float], values: Sequence[float]) -> float:
    """Return the growth in MiB an hour: a line of least squares through all but the first third of the time (seconds)."""
    late = [number for number, each in enumerate(at) if each >= at[-1] * _WARM_SHARE]
    return float(np.polyfit([at[each] / 3600 for each in late], [values[each] for each in late], 1)[0])
