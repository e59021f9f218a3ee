"""One thing a user says, from its beginning to its answer's end. Never: where it is written; raises into a chat."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from recollect.exchanges import begun, ended, withdrawn
from recollect.model import Exchange, LogEntry, Recollection

_PATIENCE_SECONDS = 0.5
"""What a chat waits for its turn to be kept: a disk that hangs, or megabytes that are looked through for secrets, may take
longer. The log and the spool are given up sooner."""


class WriteSoon(Protocol):
    """Writes a step of an exchange in the background, as ``LiveEngine.write_soon`` does."""

    def __call__(
        self,
        entry: LogEntry,
        behind: asyncio.Task[bool] | None = None,
        needed: asyncio.Event | None = None,
    ) -> asyncio.Task[bool]:
        """Return what tells whether the step was new to the log."""
        ...


class Saying:
    """What a user says, from its beginning to its answer's end: it is told once how that was, or never, if nobody knows.

    Attributes:
        turn: The turn.
        is_over: Whether it was told.
    """

    def __init__(self, write_soon: WriteSoon, exchange: Exchange) -> None:
        """Begin to write the turn."""
        self.turn = exchange.turn
        self.is_over = False
        self._write_soon = write_soon
        self._exchange = exchange
        self._needed = asyncio.Event()
        self._begun = write_soon(begun(exchange), None, self._needed)

    async def durable(self) -> None:
        """Return when the turn will outlive this process, as far as that can be within what a chat may wait for it."""
        self._needed.set()
        await asyncio.wait({self._begun}, timeout=_PATIENCE_SECONDS)

    def end(self, reply: str, *, recollections: Sequence[Recollection]) -> asyncio.Task[bool]:
        """Note in the background how its answer ended; never raises, never waits.

        Args:
            reply: What of the answer went by; "" if the user left before its first word.
            recollections: What of the user's memories went into the prompt.

        Returns:
            What tells, once it is done, whether it is a new exchange that is now logged.
        """
        self.is_over = True
        return self._write_soon(ended(self._exchange, reply, recollections), self._begun)

    def withdraw(self) -> None:
        """Note in the background that there is no answer to it, and no exchange; never raises, never waits."""
        self.is_over = True
        self._write_soon(withdrawn(self._exchange), self._begun)
