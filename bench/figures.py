"""Figures of samples: a percentile, and a share with its interval. Pure. Never: what was sampled."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

_Z_95 = 1.959964


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return a percentile, interpolated linearly; None of no values."""
    return float(np.percentile(values, percent)) if values else None


def share(successes: int, trials: int) -> dict[str, Any]:
    """Return a share with its 95 % interval; null where nothing was tried."""
    return {
        "share": successes / trials if trials else None,
        "interval": wilson(successes, trials),
        "questions": trials,
    }


def wilson(successes: int, trials: int) -> tuple[float, float] | None:
    """Return the 95 % score interval of a share (Wilson, 1927); None where nothing was tried."""
    if not trials:
        return None
    share, squared = successes / trials, _Z_95**2
    centre = share + squared / (2 * trials)
    margin = _Z_95 * sqrt(share * (1 - share) / trials + squared / (4 * trials**2))
    scale = 1 + squared / trials
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)
