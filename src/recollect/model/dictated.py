"""What became of a statement that an agent wanted kept, and what an agent is told of a person at first."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.model.memory import Memory
from recollect.model.words import Reason


class Fate(StrEnum):
    """What became of a statement that an agent wanted kept."""

    KEPT = "kept"
    """It is a memory now."""
    KNOWN = "known"
    """It was one before: nothing is changed."""
    HELD = "held"
    """It waits for the person's approval."""
    REJECTED = "rejected"
    """It is not kept."""


@dataclass(frozen=True, slots=True)
class Dictated:
    """What became of a statement.

    Attributes:
        memory: The memory that says it: new, or known before; None where it is held back or not kept.
        reason: Why it is held back or not kept; None where it is a memory.
        masked: Whether a secret in it was masked.
    """

    fate: Fate
    memory: Memory | None = None
    reason: Reason | None = None
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a person, in short.

    Attributes:
        statements: Those that stand in every chat, what is worth most first.
        count: How many statements there are.
    """

    statements: tuple[Memory, ...]
    count: int
