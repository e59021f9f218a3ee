"""What opens an engine over a store as it is told to: late, not at all, or with a store that goes away. Never: a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.recollect.engines import PATIENT, engine_over
from tests.support.stores import Store
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.engine import Engine
from recollect.errors import StoreUnavailableError
from recollect.model import LogEntry, Logged, Phase


class Opener:
    """Opens an engine over a store, unless it fails.

    Args:
        failures: What to raise, one an opening; afterwards it succeeds.
        leaves: Closing takes its store away.

    Attributes:
        opened: How often it was opened.
        closed: How often it was closed.
        allowed: Opening waits for it.
        outage: Why its store does not answer.
    """

    def __init__(self, store: Store, *failures: Exception, leaves: bool = False) -> None:
        self.failures = list(failures)
        self.leaves = leaves
        self.opened = 0
        self.closed = 0
        self.allowed = asyncio.Event()
        self.allowed.set()
        self.outage = Outage()
        away = breakable(store, self.outage)
        self._log = _CountedLog(away.log)
        self._store = with_parts(away, log=self._log)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        await self.allowed.wait()
        if self.failures:
            raise self.failures.pop(0)
        self.opened += 1
        try:
            yield engine_over(self._store, PATIENT)
        finally:
            self.closed += 1
            if self.leaves:
                self.outage.failure = StoreUnavailableError()
            await asyncio.sleep(0)

    @property
    def remembered(self) -> int:
        """How many exchanges went into its store through its own engines."""
        return self._log.kept


class StubbornOpener(Opener):
    """Opens even when it is told to stop opening, and takes its time to close."""

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Engine]:
        async with super().__call__() as engine:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            yield engine
            await asyncio.sleep(0.05)


class _CountedLog(Through):
    """A log that counts what it kept, be it new or not.

    Attributes:
        kept: How many exchanges.
    """

    kept = 0

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        logged: Logged = await self._part.write_phase(entry, records=records)
        self.kept += entry.phase is Phase.ENDED
        return logged
