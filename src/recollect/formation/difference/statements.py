"""A statement as it is compared, and what only one of two has. Pure. Never: how they are compared."""

from dataclasses import dataclass
from datetime import datetime

from recollect.model import Candidate, Memory


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared.

    Attributes:
        content: What it says.
        evidence: The words it rests on.
        event_at: When it happened or will happen, if known.
        said_at: When it was said.
    """

    content: str
    evidence: str = ""
    event_at: datetime | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """What only one of two statements has."""

    new: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.new or self.known)

    @property
    def are_both(self) -> bool:
        """Whether each has something that the other lacks."""
        return bool(self.new and self.known)


def of_candidate(candidate: Candidate, at: datetime) -> Statement:
    """Return what is compared of a candidate that was said at a time."""
    return Statement(candidate.content, candidate.evidence, candidate.event_at, at)


def of_memory(memory: Memory) -> Statement:
    """Return what is compared of a memory."""
    return Statement(memory.content, memory.provenance.evidence or "", memory.event_at, memory.observed_at)
