"""Counts what waits in a segment: whose, and how many exchanges. Never: a file."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from recollect.model import LogEntry
from recollect.spool.segments import Segment


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits.

    Attributes:
        exchanges: How many exchanges.
        bytes: How many bytes of the disk, or of memory, they take.
        on_disk: Whether it outlives the process.
    """

    exchanges: int
    bytes: int
    on_disk: bool


@dataclass
class Counted:
    """A segment, and what in it is still to be written.

    Attributes:
        segment: The segment.
        done: How many of its lines, from the first, are written.
        users: How many entries of each user are not.
        exchanges: How many entries of each exchange are not.
    """

    segment: Segment
    done: int = 0
    users: Counter[str] = field(default_factory=Counter)
    exchanges: Counter[UUID] = field(default_factory=Counter)

    def count(self, entry: LogEntry) -> None:
        """Count one that waits."""
        self.users[entry.exchange.turn.scope.user_id] += 1
        self.exchanges[entry.exchange.id] += 1

    def discount(self, entry: LogEntry) -> None:
        """Count one as written, or gone."""
        _take(self.users, entry.exchange.turn.scope.user_id)
        _take(self.exchanges, entry.exchange.id)


@dataclass
class Held:
    """What could not be written of a segment.

    Attributes:
        users: Whose entries those are: their later ones wait, too.
        lines: Which lines.
    """

    users: set[str] = field(default_factory=set)
    lines: set[bytes] = field(default_factory=set)


def _take(counter: Counter[Any], key: object) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
