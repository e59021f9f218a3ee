"""Chooses the standing part: the statements that stand in every chat regardless of the question. Pure.

Nobody knows what a chat will be about, so they are chosen by their kind and importance: how a person wishes to be answered, what
endangers them, who they are. For a person of whom little is known, these are all statements.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.model import Memory, Recollection
from recollect.retrieval.selection import SelectionContext, SelectionLimits, select
from recollect.retrieval.worth import in_order

_ALL = SelectionLimits(limit=1_000_000, cliff=0.0, of_one_source=1_000_000)
"""Nothing is left out for its rank."""


def choose_standing(
    memories: Sequence[Memory], *, budget: int, count: Callable[[str], int], now: datetime
) -> tuple[Memory, ...]:
    """Return what stands in every chat, what is worth most first: greedily, what still fits.

    Nothing that is over stands, and what is in doubt comes behind all that is sure. Of equals the newest comes first.

    Args:
        memories: Statements that were not superseded, in any order.
        budget: Tokens that their lines may take.
        count: Counts the tokens of a text.
        now: What is over is over by then.
    """
    left = budget
    chosen = []
    for memory in in_order(memories, now):
        cost = count(f"\u2022 {memory.content}\n")
        if cost <= left:
            left -= cost
            chosen.append(memory)
    return tuple(chosen)


def standing_part(
    memories: Sequence[Memory],
    chosen: Sequence[Recollection],
    around: SelectionContext,
    *,
    budget: int,
    count: Callable[[str], int],
    now: datetime,
) -> tuple[Recollection, ...]:
    """Return what stands in a chat beside what was recalled for its turn.

    What the prompt says already does not stand there again, nor what was recalled in other words. What was recalled, too,
    bears its score; all else has none.

    Args:
        memories: The user's statements that matter most.
        chosen: What was recalled for the turn.
        around: What else the prompt holds.
        budget: Tokens that the lines may take.
        count: Counts the tokens of a text.
        now: What is over is over by then.
    """
    found = {each.item.id: each.score for each in chosen}
    pool = [
        *chosen,
        *(Recollection(each, 0.0) for each in in_order(memories, now) if each.id not in found),
    ]
    selected, _ = select(pool, replace(around, user_wide=True), _ALL, relevant=True)
    left_out = {each.item.id for each in selected if each.dropped is not None}
    kept = [each for each in memories if each.id not in left_out]
    standing = choose_standing(kept, budget=budget, count=count, now=now)
    return tuple(Recollection(each, found.get(each.id, 0.0), standing=True) for each in standing)
