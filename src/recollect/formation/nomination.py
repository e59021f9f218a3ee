"""Chooses which pairs of statements a second model is asked about. Pure. Never: the model, what it says.

Cosine only nominates: what is near by meaning may be the same, the opposite, or another thing.
"""

from collections.abc import Sequence
from uuid import UUID

from recollect.formation.difference.likeness import same_letter
from recollect.formation.difference.vetoes import Statement
from recollect.formation.weighing import Weighed
from recollect.model import STATEMENTS, Judging, Memory, Relation
from recollect.normalization import content_hash

MOST_OF_ONE = 2
"""About so many pairs of one candidate a second model is asked."""

MOST = 10
"""About so many pairs it is asked in one call."""


def nominate(
    weighed: Sequence[Weighed],
    shown: Sequence[Memory],
    nearby: Sequence[Memory],
    *,
    corrects: frozenset[int],
    threshold: float,
    judging: Judging = Judging.UNSEEN,
) -> list[tuple[int, Memory]]:
    """Return the pairs, each the index of a candidate and a memory, that a second model is asked about.

    They are near by meaning, and the first model had not seen the memory, or took it for unrelated in a turn
    that corrects something. What letters decide is not asked.

    Args:
        weighed: The candidates that are believed.
        shown: The memories that the first model was shown.
        nearby: Others near to the candidates.
        corrects: Turns in which the person corrects something.
        threshold: The least cosine of a pair.
        judging: Which pairs are asked about at all.
    """
    if judging is Judging.OFF:
        return []
    seen = {memory.id for memory in shown}
    statements = {memory.id: memory for memory in [*shown, *nearby] if memory.kind in STATEMENTS}
    hashes = {content_hash(memory.content) for memory in statements.values()}
    pairs: list[tuple[float, int, Memory]] = []
    for index, each in enumerate(weighed):
        candidate = each.believed.candidate
        if content_hash(candidate.content) in hashes:
            continue
        is_doubted = judging is Judging.NEAR or each.believed.turn in corrects
        may_ask_of_seen = is_doubted and candidate.relation is Relation.NEW
        near = [
            (cosine, memory)
            for id_, cosine in each.near.items()
            if (memory := statements.get(id_))
            and cosine >= threshold
            and (may_ask_of_seen or id_ not in seen)
        ]
        best = sorted(near, key=_nearest)[:MOST_OF_ONE]
        said = Statement(candidate.content)
        if best and not any(same_letter(said, Statement(memory.content)) for memory in statements.values()):
            pairs += [(cosine, index, memory) for cosine, memory in best]
    return [
        (index, memory) for _, index, memory in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:MOST]
    ]


def _nearest(pair: tuple[float, Memory]) -> tuple[float, UUID]:
    return -pair[0], pair[1].id
