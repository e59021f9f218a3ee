"""Chooses what stands in every chat: the statements that matter whatever is asked. Pure. Never: await, a score's making.

Nobody knows what a chat comes to, so these are taken by what they are and not by what is asked: how a person wishes to be
answered, what is dangerous to them, who they are. Of a person of whom little is known they are all there is.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.model import Kind, Memory, Recollection
from recollect.retrieval.selection import Selecting, Surroundings, select

_HOW_TO_ANSWER = frozenset({Kind.PREFERENCE, Kind.INSIGHT})
_BONUS = 0.15
"""What these kinds gain: how somebody wishes to be answered holds in every chat."""

_FRESHNESS = 0.05
_HALF_LIFE_DAYS = 180
"""What a statement gains on its first day, and after how long half of that."""

_ALL = Selecting(limit=1_000_000, cliff=0.0, of_one_source=1_000_000)
"""Nothing is left out for its rank."""


def worth(memory: Memory, now: datetime) -> float:
    """Return how much a statement deserves to stand in every chat, about 0 to 1."""
    bonus = _BONUS if memory.kind in _HOW_TO_ANSWER else 0.0
    days = max(0, (now - memory.observed_at).days)
    freshness: float = 0.5 ** (days / _HALF_LIFE_DAYS)
    return memory.importance + bonus + _FRESHNESS * freshness


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
        cost = count(f"- {memory.content}\n")
        if cost <= left:
            left -= cost
            chosen.append(memory)
    return tuple(chosen)


def in_order(memories: Sequence[Memory], now: datetime) -> list[Memory]:
    """Return what is not over, what is worth most first."""
    return sorted(
        (each for each in memories if not is_over(each, now)),
        key=lambda each: (
            each.standing is not None,
            -worth(each, now),
            -each.observed_at.timestamp(),
            -each.id.int,
        ),
    )


def is_over(memory: Memory, now: datetime) -> bool:
    """Tell whether a statement holds no longer, or was due on a day that has passed."""
    if memory.holds_until is not None and memory.holds_until < now:
        return True
    due = memory.event_at if memory.kind is Kind.TODO else None
    return due is not None and due.date() < now.date()


def standing_part(
    memories: Sequence[Memory],
    chosen: Sequence[Recollection],
    around: Surroundings,
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
