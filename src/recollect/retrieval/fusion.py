"""PROVISIONAL: replaced by the study's."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    dense: float = 0.6
    lexical: float = 0.3
    identifiers: float = 0.1
    role: float = 0.15
    date: float = 0.2
    session: float = 0.2


@dataclass(frozen=True, slots=True)
class Signals:
    cosine: Floats
    first_cosine: Floats
    coverage: Floats
    identifiers: Floats
    role: Floats
    date: Floats
    session: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fused:
    scores: Floats
    parts: dict[str, Floats]


def fuse(signals: Signals, weights: Weights) -> Fused:
    dense = np.nan_to_num((signals.cosine + signals.first_cosine) / 2)
    parts = {
        "dense": weights.dense * dense,
        "lexical": weights.lexical * signals.coverage,
        "identifiers": weights.identifiers * signals.identifiers,
        "role": weights.role * signals.role,
        "date": weights.date * signals.date,
    }
    total = sum(parts.values())
    session = np.zeros(len(total))
    for known in np.unique(signals.session):
        of = signals.session == known
        session[of] = np.sort(total[of])[-3:].mean()
    parts["session"] = weights.session * session
    return Fused(total + parts["session"], parts)
