"""Decides whether a turn asks for anything remembered at all. Pure. Never: await."""

import math
from dataclasses import dataclass

import numpy as np

from recollect.retrieval.candidate_signals import Signals
from recollect.retrieval.query import Query


@dataclass(frozen=True, slots=True)
class Gate:
    """PROVISIONAL."""

    cosine: float | None = None
    threshold: float = 0.5

    def opens(self, score: float | None) -> bool:
        return score is not None and score >= self.threshold


def gate_score(query: Query, signals: Signals, cosine_gate: float, gate: Gate) -> float:
    best = float(np.nanmax(signals.cosine)) if signals.cosine is not None else 0.0
    line = cosine_gate if gate.cosine is None else gate.cosine
    share = float(signals.known("coverage").max())
    return 1 / (1 + math.exp(-10 * max(best - line, share - 0.5)))
