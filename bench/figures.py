"""Figures of samples: percentiles, shares, and the interval of a share. Pure."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

_Z_95 = 1.959964


def percentiles(values: Sequence[float], *percents: int) -> dict[str, float]:
    """Return percentiles by name, as ``{"p50": ...}``, interpolated linearly (Hyndman and Fan, 1996, type 7); none of no values."""
    return {f"p{each}": float(np.percentile(values, each)) for each in percents} if values else {}


def percent(part: float, whole: float = 1.0, decimals: int = 0) -> str:
    """Return a part of a whole in percent; "-" of nothing."""
    return f"{100 * part / whole:.{decimals}f} %" if whole else "-"


def number(value: float | None, decimals: int = 1) -> str:
    """Return a figure for a table; "-" for None."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def wilson(successes: int, trials: int) -> tuple[float, float] | None:
    """Return the 95 % score interval of a share (Wilson, 1927); None where nothing was tried."""
    if not trials:
        return None
    share, squared = successes / trials, _Z_95**2
    centre = share + squared / (2 * trials)
    margin = _Z_95 * sqrt(share * (1 - share) / trials + squared / (4 * trials**2))
    scale = 1 + squared / trials
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)
