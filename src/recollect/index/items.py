"""The memories or passages of a snapshot, of which a recall looks at a few dozen. Pure."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Self, TypeVar, overload

from recollect.model import Memory, Passage

T = TypeVar("T", Memory, Passage)


class Items(Sequence[T], Generic[T]):
    """Memories or passages, each made of its row when it is first looked at: to make ten thousand takes 50 ms."""

    __slots__ = ("_held", "_make", "_rows")

    def __init__(
        self, held: list[Any], make: Callable[[Any], T] | None = None, rows: Sequence[int] | None = None
    ) -> None:
        """Hold items, or rows of which ``make`` makes them; with ``rows`` only these are among them, in their order."""
        self._held = held
        self._make: Callable[[Any], T] | None = make
        self._rows: Sequence[int] = range(len(held)) if rows is None else rows

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Self: ...

    def __getitem__(self, place: int | slice) -> T | Self:
        """Return the item at a place."""
        if isinstance(place, slice):
            return type(self)(self._held, self._make, self._rows[place])
        row = self._rows[place]
        item: T = self._held[row]
        if self._make is not None and not isinstance(item, Memory | Passage):
            self._held[row] = item = self._make(item)  # another thread may do the same meanwhile
        return item

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._rows)

    def among(self, places: Sequence[int]) -> Self:
        """Return the items at some ascending places, which are made once for both."""
        if len(places) == len(self):
            return self
        return type(self)(self._held, self._make, array("q", [self._rows[place] for place in places]))

    def taken(self, places: Iterable[int]) -> Self:
        """Return the items at some places, without the others."""
        return type(self)([self._held[self._rows[place]] for place in places], self._make)

    def joined(self, others: Self) -> Self:
        """Return these and, behind them, the others; all items here are made alike."""
        held: list[Any] = [self._held[row] for row in self._rows]
        return type(self)([*held, *(others._held[row] for row in others._rows)], others._make or self._make)
