"""The result of a statement that an agent asks to keep, and the short profile that an agent gets first."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.model.memory import Memory
from recollect.model.words import Reason


class Fate(StrEnum):
    """The result for a statement that an agent asks to keep."""

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
    """A statement of an agent with its result.

    Attributes:
        memory: The memory that says it, new or known before; None if it is held back or not kept.
        reason: The reason it is held back or not kept; None if it is a memory.
        masked: Whether a secret in it was masked.
    """

    fate: Fate
    memory: Memory | None = None
    reason: Reason | None = None
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's memory in short.

    Attributes:
        statements: The statements for every chat, by worth.
        count: How many statements there are.
    """

    statements: tuple[Memory, ...]
    count: int
