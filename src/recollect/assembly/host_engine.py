"""Makes the engine of a host, with the spool in its data folder; the host opens it. Never: what a setting means to a model."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module

from recollect.engine import Engine, system_clock
from recollect.engine.live import LiveEngine
from recollect.ports import Clock
from recollect.settings import EngineSettings
from recollect.spool import Spool

_SPOOL_BYTES = 256 * 1024 * 1024
"""How large the spool may grow while the store is unavailable: some hundred thousand messages."""


def live_engine(
    settings: EngineSettings, *, upstream: str | None = None, clock: Clock = system_clock
) -> LiveEngine:
    """Return an engine that is not opened yet.

    Args:
        settings: What it is made of.
        upstream: Base URL of the chat's own LLM, which extracts where no other is named.
        clock: Tells the engine the time.
    """
    folder = None if settings.in_memory else settings.data_dir / "spool"
    spool = Spool(folder, limit=_SPOOL_BYTES)
    goes_on = asyncio.Event()
    opening = partial(_open, settings, upstream=upstream, clock=clock, spool=spool, goes_on=goes_on)
    return LiveEngine(
        opening,
        goes_on=goes_on,
        spool=spool,
        keeps=settings.record,
        patience=settings.recall_deadline_ms / 1000,
        masks=not settings.log_secrets,
    )


@asynccontextmanager
async def _open(
    settings: EngineSettings, *, upstream: str | None, clock: Clock, spool: Spool, goes_on: asyncio.Event
) -> AsyncIterator[Engine]:
    """Open an engine; the database and the models are imported now, off the event loop."""
    lifecycle = await asyncio.to_thread(import_module, "recollect.assembly.lifecycle")
    given = {"upstream": upstream, "clock": clock, "spool": spool, "goes_on": goes_on}
    async with lifecycle.open_engine(settings, **given) as engine:
        yield engine
