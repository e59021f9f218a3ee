"""Keeps a little of each person for some time, in this process's memory: bounded for each person and for all. Never: a store; raises."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import TTLCache

_Value = TypeVar("_Value")


class RecentOfPeople(Generic[_Value]):
    """Values of people under keys; the oldest go first, and a person's all at once.

    Args:
        seconds: How long a value is kept.
        each: Bytes that one person's values may take.
        everybody: Bytes that all values may take.
        size: Returns about how many bytes a value takes, its key included.
    """

    def __init__(self, *, seconds: float, each: int, everybody: int, size: Callable[[_Value], int]) -> None:
        self._seconds, self._each, self._everybody, self._size = seconds, each, everybody, size
        self._people: OrderedDict[str, TTLCache[Hashable, _Value]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self.bytes = 0

    def get(self, user_id: str, key: Hashable) -> _Value | None:
        """Return a person's value; None if there is none (any more)."""
        values = self._people.get(user_id)
        return None if values is None else values.get(key)

    def keep(self, user_id: str, key: Hashable, value: _Value) -> None:
        """Keep a value of a person's; one larger than the bound is not kept."""
        values = self._people.get(user_id)
        if values is None:
            values = TTLCache(self._each, self._seconds, getsizeof=self._size)
        values.pop(key, None)
        if self._size(value) <= self._each:
            values[key] = value
        self.forget(user_id)
        self._people[user_id] = values  # the last: who was heard longest ago goes first
        self._sizes[user_id] = int(values.currsize)
        self.bytes += self._sizes[user_id]
        self._make_room()

    def forget(self, user_id: str) -> None:
        """Forget all of a person."""
        if self._people.pop(user_id, None) is not None:
            self.bytes -= self._sizes.pop(user_id)

    def _make_room(self) -> None:
        while self._people:
            longest_ago, values = next(iter(self._people.items()))
            if self.bytes <= self._everybody and values.currsize:
                return
            self.forget(longest_ago)
