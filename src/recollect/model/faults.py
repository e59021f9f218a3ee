"""The faults that a memory may have, and the finding of one."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.model.memory import Memory
from recollect.model.words import Reason


class Fault(StrEnum):
    """The kinds of faults of a memory."""

    DUPLICATE = "duplicate"
    """Another memory of the same user says it."""
    CONTRADICTION = "contradiction"
    """A newer memory of the same user says otherwise."""
    JUNK = "junk"
    """It says nothing about anybody."""
    SECRET = "secret"  # noqa: S105 -- the name of a fault
    """It holds a key, a password or the like."""
    ORDER = "order"
    """It orders the assistant to act for another party, and the person has not approved it."""
    NO_SOURCE = "no-source"
    """The log lacks the words it claims to rest on."""
    WRONG_DATE = "wrong-date"
    """One of its dates can't be right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that was found.

    Attributes:
        reason: The reason formation would have refused it.
        other: The memory that says the same, or otherwise.
        corrected: The memory as it should be; None if it should go, or another one speaks against it.
        decided_by: The rule or the model's answer that found it; no word of a memory.
    """

    fault: Fault
    memory: Memory
    reason: Reason
    other: Memory | None = None
    corrected: Memory | None = None
    decided_by: str = "rule"
