"""Decides which person uses a connection of a pool next: reads before writes, and people who hold few before those who hold many.

A chat waits for its reads; most writes come after its answer.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_OF_ONE = 0.5
"""The share of the connections that one person holds at most: of ten as many as one recall uses at once."""

# Of several writes of one person one works, and the others hold a connection while they wait for its lock.
_FOR_WRITES, _WRITES_OF_ONE = 0.6, 0.3

# Reads without pause would keep it waiting for good.
_WAITS_BEHIND_READS = 0.5
"""Seconds for which a write lets reads go first."""


@dataclass(eq=False, slots=True)
class _Turn:
    """A turn at a connection.

    Attributes:
        user_id: The person.
        is_write: Whether something is written.
        since: When the wait for it began.
        come: Done once it has come.
    """

    user_id: str
    is_write: bool
    since: float
    come: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Lending:
    """Lets in as many as there are connections; ``clock`` tells seconds that never go back."""

    def __init__(self, size: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = size
        self._clock = clock
        self._most_of_one = max(1, round(size * _OF_ONE))
        self._most_writes = max(1, round(size * _FOR_WRITES))
        self._most_writes_of_one = max(1, round(size * _WRITES_OF_ONE))
        self._waiting: list[_Turn] = []
        self._held: list[_Turn] = []

    @asynccontextmanager
    async def turn(
        self, user_id: str, *, is_write: bool, seconds: float | None = None
    ) -> AsyncIterator[None]:
        """Wait until it is the turn of a person's read or write, and keep the turn during the body.

        Raises:
            TimeoutError: It did not come within ``seconds``.
        """
        turn = _Turn(user_id, is_write, self._clock())
        self._waiting.append(turn)
        self._let_in()
        try:
            if not turn.come.done():  # mostly no request waits
                async with asyncio.timeout(seconds):
                    await turn.come
            yield
        finally:  # a wait that is cancelled may have ended in the same moment
            (self._held if turn in self._held else self._waiting).remove(turn)
            self._let_in()

    def _let_in(self) -> None:
        """Let in the next ones, as long as there is a connection for them."""
        while (turn := self._next()) is not None:
            self._waiting.remove(turn)
            self._held.append(turn)
            turn.come.set_result(None)

    def _next(self) -> _Turn | None:
        if not self._waiting or len(self._held) >= self._size:
            return None
        of_people = Counter(each.user_id for each in self._held)
        writing = Counter(each.user_id for each in self._held if each.is_write)
        may_write = writing.total() < self._most_writes
        may_enter = (
            each
            for each in self._waiting
            if not each.come.done()
            and of_people[each.user_id] < self._most_of_one
            and (not each.is_write or (may_write and writing[each.user_id] < self._most_writes_of_one))
        )
        patient_since = self._clock() - _WAITS_BEHIND_READS
        # Of equals the first that came: `min` keeps the order. So a write that is out of patience enters before each read that came later.
        return min(
            may_enter,
            key=lambda each: (each.is_write and each.since > patient_since, of_people[each.user_id]),
            default=None,
        )
