"""Decides whose turn it is to use a connection of a pool: reads before writes, and those who hold few before those who hold many.

A chat waits for its reads; most writes come after its answer. They get at most six of ten connections, and those of one person
three: one works, and the others hold a connection while they wait for its lock.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_OF_ONE = 0.5
"""The share of the connections that one person holds at most: of ten as many as one recall uses at once."""

_FOR_WRITES, _WRITES_OF_ONE = 0.6, 0.3


@dataclass(eq=False, slots=True)
class _Waiting:
    """Someone who waits for a connection.

    Attributes:
        user_id: For whom.
        is_write: Whether something is written.
        turn: Done once it is their turn.
    """

    user_id: str
    is_write: bool
    turn: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Lending:
    """Lets in as many as there are connections.

    Args:
        size: The number of connections.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._most_of_one = max(1, round(size * _OF_ONE))
        self._writes_left = max(1, round(size * _FOR_WRITES))
        self._held: Counter[str] = Counter()
        self._most_writes_of_one = max(1, round(size * _WRITES_OF_ONE))
        self._writing: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def turn(self, user_id: str, *, is_write: bool) -> AsyncIterator[None]:
        """Wait until it is the turn of a person's read or write, and keep the turn during the body."""
        waiting = _Waiting(user_id, is_write)
        self._waiting.append(waiting)
        self._let_in()
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:  # it was let in, in the same moment
                self._leave(waiting)
            raise
        try:
            yield
        finally:
            self._leave(waiting)

    def _leave(self, waiting: _Waiting) -> None:
        self._left += 1
        self._held[waiting.user_id] -= 1
        if not self._held[waiting.user_id]:
            del self._held[waiting.user_id]
        if waiting.is_write:
            self._writes_left += 1
            self._writing[waiting.user_id] -= 1
            if not self._writing[waiting.user_id]:
                del self._writing[waiting.user_id]
        self._let_in()

    def _let_in(self) -> None:
        """Let in whoever comes next, as long as there is a connection for them."""
        while self._left and (those := [each for each in self._waiting if self._may_enter(each)]):
            # Of equals the first that came: `min` keeps the order.
            chosen = min(those, key=lambda each: (each.is_write, self._held[each.user_id]))
            self._waiting.remove(chosen)
            self._left -= 1
            self._held[chosen.user_id] += 1
            if chosen.is_write:
                self._writes_left -= 1
                self._writing[chosen.user_id] += 1
            chosen.turn.set_result(None)

    def _may_enter(self, waiting: _Waiting) -> bool:
        if waiting.turn.done() or self._held[waiting.user_id] >= self._most_of_one:
            return False
        is_below = self._writing[waiting.user_id] < self._most_writes_of_one
        return not waiting.is_write or (self._writes_left > 0 and is_below)
