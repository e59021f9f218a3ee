"""Decides whether a turn asks for anything remembered at all. Pure. Never: await."""

import math
from dataclasses import dataclass

from recollect.retrieval.candidates import Candidates
from recollect.retrieval.query import Query


@dataclass(frozen=True, slots=True)
class Gate:
    """PROVISIONAL."""

    cosine: float | None = None
    threshold: float = 0.5

    def opens(self, score: float | None) -> bool:
        return score is not None and score >= self.threshold


def gate_score(query: Query, candidates: Candidates, cosine_gate: float, gate: Gate) -> float:
    best = max((hit.cosine for hit in candidates.hits if hit.cosine is not None), default=0.0)
    line = cosine_gate if gate.cosine is None else gate.cosine
    covered = max((each.bm25 for each in (candidates.terms.of(hit.document) for hit in candidates.hits)), default=0.0)
    share = covered / (0.5 * candidates.terms.idf_total) if candidates.terms.idf_total else 0.0
    return 1 / (1 + math.exp(-10 * max(best - line, share - 0.5)))
