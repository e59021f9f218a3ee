"""Orders statements independently of any question: by importance, use, kind and age. Pure."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model import Kind, Memory, Use

_HOW_TO_ANSWER = frozenset({Kind.PREFERENCE, Kind.INSIGHT, Kind.PROFILE})
_BONUS = 0.15
"""The bonus of these kinds: wishes how to be answered, and the person's own profile, hold in every chat."""

_IN_EVERY_CHAT = 1.0
"""Added to statements that shape every answer, or concern health: wishes how to be answered push no diagnosis out."""

_FRESHNESS = 0.05
"""Added to a new statement; it halves every ``_HALF_LIFE_DAYS``."""

_HALF_LIFE_DAYS = 180


def worth(memory: Memory, now: datetime) -> float:
    """Return how valuable a statement is in any chat, about 0 to 2."""
    bonus = _BONUS if memory.kind in _HOW_TO_ANSWER and not _is_a_lesson_of_a_topic(memory) else 0.0
    if memory.is_for_every_chat:
        bonus += _IN_EVERY_CHAT
    days = max(0, (now - memory.observed_at).days)
    freshness: float = 0.5 ** (days / _HALF_LIFE_DAYS)
    return memory.importance + bonus + _FRESHNESS * freshness


def _is_a_lesson_of_a_topic(memory: Memory) -> bool:
    """Return whether it is an insight that only some requests need, as its hints say."""
    return memory.kind is Kind.INSIGHT and memory.hints is not None and memory.hints.use is Use.TOPIC


def in_order(memories: Sequence[Memory], now: datetime) -> list[Memory]:
    """Return the statements that have not ended: undoubted ones first, then by worth, then newest first."""
    return sorted(
        (each for each in memories if not is_over(each, now)),
        key=lambda each: (
            each.doubt is not None,
            -worth(each, now),
            -each.observed_at.timestamp(),
            -each.id.int,
        ),
    )


def is_over(memory: Memory, now: datetime) -> bool:
    """Return whether a statement has ended: it held until a time before ``now``, or is a todo due before today."""
    if memory.holds_until is not None and memory.holds_until < now:
        return True
    due = memory.event_at if memory.kind is Kind.TODO else None
    return due is not None and due.date() < now.date()
