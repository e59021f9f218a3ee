"""The features of statements' relevance, apart from their words, as columns. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recollect.model import Kind, Memory, Use

Floats = NDArray[np.float64]

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
"""The number of each kind in ``StatementColumns.kind``."""

USE_CODES = {use: code for code, use in enumerate(Use)}
"""The number of each use in ``StatementColumns.use``; -1: the statement has no hints."""


@dataclass(frozen=True, slots=True, eq=False)
class StatementColumns:
    """Parallel columns of n statements, (n,) each. Times are seconds since 1970 in UTC; NaN if unknown.

    Attributes:
        importance: Their importance, 0 to 1.
        kind: Their kinds, as ``KIND_CODES`` numbers them, int8.
        event: The times of their events.
        holds_from: Since when they hold.
        holds_until: Until when they hold.
        use: When they are needed, as ``USE_CODES`` numbers it, int8; -1 without hints.
    """

    importance: Floats
    kind: NDArray[np.int8]
    event: Floats
    holds_from: Floats
    holds_until: Floats
    use: NDArray[np.int8]

    @classmethod
    def from_statements(cls, statements: Sequence[Memory]) -> Self:
        """Return the columns of statements."""
        return cls(
            np.array([each.importance for each in statements], np.float64),
            np.array([KIND_CODES[each.kind] for each in statements], np.int8),
            _seconds([each.event_at for each in statements]),
            _seconds([each.holds_from for each in statements]),
            _seconds([each.holds_until for each in statements]),
            np.array(
                [-1 if each.hints is None else USE_CODES[each.hints.use] for each in statements], np.int8
            ),
        )

    def joined(self, others: Self) -> Self:
        """Return these columns with those of others below them."""
        pairs = zip(self._columns, others._columns, strict=True)
        return type(self)(*(np.concatenate(pair) for pair in pairs))

    def taken(self, order: NDArray[np.intp]) -> Self:
        """Return the columns of the statements in some rows, in their order."""
        return type(self)(*(each[order] for each in self._columns))

    @property
    def nbytes(self) -> int:
        """The bytes that they take."""
        return sum(each.nbytes for each in self._columns)

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.importance, self.kind, self.event, self.holds_from, self.holds_until, self.use


def _seconds(moments: Sequence[datetime | None]) -> Floats:
    return np.array([np.nan if each is None else utc(each).timestamp() for each in moments], np.float64)


def utc(moment: datetime) -> datetime:
    """Return a moment with a time zone; a naive one is in UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
