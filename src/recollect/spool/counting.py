"""Counts what waits in a segment: which lines, whose, and how many exchanges. Never: where the lines are kept."""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from recollect.model import LogEntry
from recollect.spool.beside import beside
from recollect.spool.records import decode
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
        written: The numbers, from 0, of lines that are written behind one that is not.
        users: How many entries of each user are not.
        exchanges: How many entries of each exchange are not.
    """

    segment: Segment
    done: int = 0
    written: set[int] = field(default_factory=set)
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

    def is_written(self, number: int) -> bool:
        """Return whether the line of that number, from 0, is written, or can't be read."""
        return number < self.done or number in self.written

    def note_written(self, number: int) -> None:
        """Note that a line is written: whatever becomes of the file, it is not written or counted again."""
        self.written.add(number)
        while self.done in self.written:
            self.written.remove(self.done)
            self.done += 1

    async def drop_written(self, is_erased: Callable[[LogEntry], bool] = lambda _: False) -> int:
        """Keep in the segment only what waits and is not erased, at once or not at all; return how many entries were erased.

        Raises:
            OSError: The disk refuses.
        """
        gone: list[LogEntry] = []
        numbers, size = itertools.count(), self.segment.size

        def waits(line: bytes) -> bool:
            if self.is_written(next(numbers)):
                return False
            entry = decode(line)
            if entry is None or not is_erased(entry):
                return True
            gone.append(entry)
            return False

        try:
            await beside(self.segment.keep, waits)
        finally:
            if (
                self.segment.size != size
            ):  # the lines are others now, even where the folder could not be synced
                self.done, self.written = 0, set()
                for entry in gone:
                    self.discount(entry)
        return len(gone)


def _take(counter: Counter[Any], key: object) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
