"""Finds pairs of statements that may say the same in other words: the person is asked, and nothing is merged. Pure.

Statements of one kind are compared by their embeddings with their topics. Among the labelled people's statements that nothing
replaced, 15 of the 17 pairs above the bar of 0.75 are right, of 19 repetitions; the bar was chosen on them. No bar merges
safely: before they are replaced, contradictions are as near as repetitions, and a repetition may add a fact.
"""

import numpy as np

from recollect.index import KIND_CODES, Memories
from recollect.model import COMMONS, Memory

NEAR = 0.75
"""The least cosine of two statements that may be one."""

_MOST = 1_000
"""The statements that are compared: the newest."""
_MOST_PAIRS = 200
"""The pairs that are returned: a person who answers five a day is not shown more."""


def told_twice(memories: Memories, model: str) -> list[tuple[Memory, Memory]]:
    """Return pairs of the person's own statements that may be one, by the embedder ``model``; nearest first, the older one in front.

    Only statements with hints are compared: without topics the cosine says less.
    """
    rows, matrix = memories.vectors.first_pieces(model)
    judged = set(memories.judged.tolist())
    kept = [
        place
        for place, row in enumerate(rows.tolist())
        if row in judged and memories.items[row].hints is not None and memories.items[row].doubt is None
    ]
    kept = sorted(kept, key=lambda place: int(rows[place]))[-_MOST:]
    if len(kept) < 2:  # noqa: PLR2004 -- a pair
        return []
    items, vectors = [memories.items[int(rows[place])] for place in kept], matrix[kept]
    kinds = np.array([KIND_CODES[each.kind] for each in items])
    own = np.array([each.owner != COMMONS for each in items])
    is_pair = (kinds == kinds[:, None]) & own & own[:, None]
    near = np.where(is_pair, np.triu(vectors @ vectors.T, 1), 0.0)
    found = np.argwhere(near >= NEAR)
    order = np.argsort(-near[found[:, 0], found[:, 1]], kind="stable")[:_MOST_PAIRS]
    pairs = [(items[one], items[other]) for one, other in found[order].tolist()]
    return [(one, other) if one.observed_at <= other.observed_at else (other, one) for one, other in pairs]
