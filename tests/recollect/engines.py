"""An engine over a store, with stand-ins for its models."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from tests.scripted.models import WordEmbedder
from tests.support.recollections import NOON
from tests.support.stores import Store
from tests.support.watched_stores import Outage, Through, breakable, with_parts

from recollect.engine import Backends, Engine, Policy
from recollect.errors import StoreUnavailableError
from recollect.model import LogEntry, Logged, Phase, Strategy
from recollect.ports import Cache, Embedder, Extractor, Hinter, Judge, Summarizer
from recollect.recall import Reach
from recollect.store.postgres import Postgres

QUICK = Policy(strategy=Strategy.QA_TURN, stands=False)
"""Forms without a model, and recalls what is asked for alone: what stands in every chat has tests of its own."""

PATIENT = replace(QUICK, deadline=30.0, reach=Reach(embedding_seconds=30.0, log_embedding_seconds=30.0))
"""The same, where nothing is late, however busy the machine."""


def engine_over(
    store: Postgres,
    policy: Policy = QUICK,
    *,
    embedder: Embedder | None = None,
    log_embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    judge: Judge | None = None,
    summarizer: Summarizer | None = None,
    hinter: Hinter | None = None,
    cache: Cache | None = None,
) -> Engine:
    """Return an engine over ``store``; it is always noon."""
    embedder = embedder or WordEmbedder()
    backends = Backends(
        store,
        embedder=embedder,
        log_embedder=log_embedder or embedder,
        extractor=extractor,
        judge=judge,
        summarizer=summarizer,
        hinter=hinter,
        caches=[cache] if cache else [],
    )
    return Engine(backends, policy, clock=lambda: NOON)


class CountedCache:
    """A cache that counts how often it was cleared; until then it holds an entry."""

    cleared = 0

    @property
    def entries(self) -> int:
        """How many texts it holds."""
        return 1 if self.cleared == 0 else 0

    def clear(self) -> None:
        """Count."""
        self.cleared += 1


# -- What opens an engine over a store as it is told to: late, not at all, or with a store that goes away.


class Opener:
    """Opens an engine over a store once it is ``allowed``: it raises the ``failures`` first, one an opening.

    When it ``leaves``, closing takes its store away; ``outage`` is why that does not answer.
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
    """A log that counts the exchanges that it kept, be they new or not."""

    kept = 0

    async def write_phase(self, entry: LogEntry, *, records: bool | None = None) -> Logged:
        logged: Logged = await self._part.write_phase(entry, records=records)
        self.kept += entry.phase is Phase.ENDED
        return logged
