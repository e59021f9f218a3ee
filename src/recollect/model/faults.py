"""What may be wrong with a memory that is kept, and what is done about it."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.model.memory import Memory
from recollect.model.words import Reason


class Fault(StrEnum):
    """What may be wrong with a memory that is kept."""

    DUPLICATE = "duplicate"
    """Another memory of the same user says it."""
    CONTRADICTION = "contradiction"
    """A newer memory of the same user says otherwise."""
    JUNK = "junk"
    """It says nothing about anybody."""
    SECRET = "secret"  # noqa: S105 -- the name of a fault
    """It holds a key, a password or the like."""
    ORDER = "order"
    """It tells the assistant what to do for somebody else's benefit, and nobody approved it."""
    NO_SOURCE = "no-source"
    """The words it is said to rest on are not there."""
    WRONG_DATE = "wrong-date"
    """One of its dates can't be right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that was found.

    Attributes:
        reason: Why formation would not have kept it so.
        other: The memory that says the same, or otherwise.
        corrected: The memory as it should be; None where it should not be there, or another one speaks against it.
        decided_by: By what it was found: a rule, or an answer of the model; no word of a memory.
    """

    fault: Fault
    memory: Memory
    reason: Reason
    other: Memory | None = None
    corrected: Memory | None = None
    decided_by: str = "rule"
