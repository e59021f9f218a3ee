"""One thing a user says, from its beginning to its answer's end. Never: where it is written; raises into a chat."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from recollect.engine.exchanges import begun, ended, failed, refused
from recollect.model import Became, Exchange, LogEntry, Recollection

_PATIENCE_SECONDS = 0.5
"""What a chat waits for its turn to be kept: a disk that hangs, or megabytes that are looked through for secrets, may take
longer. The log and the spool are given up sooner."""

_START_SECONDS = 10.0
"""What it waits besides where this process has only just started, and is not ready to write anything."""


class Pace:
    """How far the writing of what is said has come, and who waits for it.

    Attributes:
        ready: This process is ready to write what is said.
        noted: The turn is in the journal, or never will be: what follows it may be noted behind it.
        kept: The turn outlives this process.
        over: So does how its answer ended: the turn needs no writing by itself any more.
        needed: Somebody waits for the turn to be kept.
    """

    def __init__(self) -> None:
        self.ready, self.noted = asyncio.Event(), asyncio.Event()
        self.kept, self.over, self.needed = asyncio.Event(), asyncio.Event(), asyncio.Event()


class WriteSoon(Protocol):
    """Writes a step of an exchange in the background, as ``LiveEngine.write_soon`` does."""

    def __call__(
        self,
        entry: LogEntry,
        behind: asyncio.Task[Became] | None = None,
        pace: "Pace | None" = None,
    ) -> asyncio.Task[Became]:
        """Return what tells what became of the step, once it will outlive this process."""
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
        self._pace = Pace()
        self._begun = write_soon(begun(exchange), None, self._pace)

    async def durable(self) -> None:
        """Return when the turn will outlive this process, as far as that can be within what a chat may wait for it."""
        self._pace.needed.set()
        await self._is(self._pace.ready, _START_SECONDS)
        await self._is(self._pace.kept, _PATIENCE_SECONDS)

    async def _is(self, event: asyncio.Event, seconds: float) -> None:
        """Return once it happened, or never will, or so much time has passed."""
        if event.is_set() or self._begun.done():
            return
        happening = asyncio.create_task(event.wait())
        try:
            await asyncio.wait({happening, self._begun}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            happening.cancel()

    def end(self, reply: str, *, recollections: Sequence[Recollection]) -> asyncio.Task[Became]:
        """Note in the background how its answer ended; never raises, never waits.

        Args:
            reply: What of the answer went by; "" if the user left before its first word.
            recollections: What of the user's memories went into the prompt.

        Returns:
            What tells what became of it, once it will outlive this process.
        """
        self.is_over = True
        return self._write_soon(ended(self._exchange, reply, recollections), self._begun, self._pace)

    def fail(self) -> None:
        """Note in the background that the model failed to answer it; never raises, never waits."""
        self.is_over = True
        self._write_soon(failed(self._exchange), self._begun, self._pace)

    def withdraw(self) -> None:
        """Note in the background that whoever asked was refused, and nothing is kept of it; never raises, never waits."""
        self.is_over = True
        self._write_soon(refused(self._exchange), self._begun, self._pace)
