"""Makes the engine of a host, with the spool in its data folder; the host opens it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import structlog

from recollect.engine import Engine, system_clock
from recollect.engine.live.live_engine import LiveEngine
from recollect.errors import raised_at
from recollect.ports import Clock
from recollect.settings.engine_settings import EngineSettings
from recollect.spool import Spool
from recollect.store.embedded_database import EmbeddedServer, start_embedded


def live_engine(
    settings: EngineSettings, *, upstream: str | None = None, clock: Clock = system_clock
) -> LiveEngine:
    """Return an engine that is not opened yet."""
    folder = None if settings.in_memory else settings.data_dir / "spool"
    spool = Spool(folder)
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
    """Open an engine; the database and the models are imported now, off the event loop, while the embedded server starts."""
    starting = _starting(settings)
    given = {"upstream": upstream, "clock": clock, "spool": spool, "goes_on": goes_on, "server": starting}
    try:
        lifecycle = await asyncio.to_thread(import_module, "recollect.assembly.lifecycle")
        async with lifecycle.open_engine(settings, **given) as engine:
            yield engine
    finally:
        if starting is not None:
            starting.add_done_callback(_stop)


def _starting(settings: EngineSettings) -> "asyncio.Task[EmbeddedServer] | None":
    """Begin to start the embedded server, where there is one whose folder is known before all else."""
    if settings.database_url is not None or settings.in_memory:
        return None
    return asyncio.create_task(asyncio.to_thread(start_embedded, settings.data_dir))


def _stop(starting: "asyncio.Task[EmbeddedServer]") -> None:
    """Stop a server that was never used; do nothing for one that was."""
    if not starting.cancelled() and starting.exception() is None:
        starting.result().stop()


log = structlog.get_logger(__name__)


@dataclass
class _Shared:
    settings: EngineSettings
    loop: asyncio.AbstractEventLoop
    engine: LiveEngine


_shared: list[_Shared] = []
_closing: set[asyncio.Task[None]] = set()


async def shared_engine(settings: EngineSettings) -> LiveEngine:
    """Return this process's engine for ``settings``, opening it in the background on first use.

    For a host that reloads its plug-ins and tells them nothing of its end: the engine outlives the
    plug-in's module, gives way to another when the settings change, and its database ends with the process.
    """
    loop = asyncio.get_running_loop()
    for shared in _shared:
        if shared.loop is loop and shared.settings == settings:
            return shared.engine
    # Nothing is awaited from here on, so that calls at the same time find this one.
    outdated = [shared.engine for shared in _shared if shared.loop is loop]
    live = live_engine(settings)
    _shared[:] = [_Shared(settings, loop, live)]
    live.open()
    for engine in outdated:
        closing = asyncio.create_task(engine.give_way(live))
        _closing.add(closing)
        closing.add_done_callback(_closed)
    return live


def running_engine() -> LiveEngine | None:
    """Return the engine that ``shared_engine`` returned last on this loop; None: there was no call yet."""
    loop = asyncio.get_running_loop()
    return next((shared.engine for shared in _shared if shared.loop is loop), None)


def _closed(closing: asyncio.Task[None]) -> None:
    """Log why an engine could not be closed; nothing awaits that task."""
    _closing.discard(closing)
    if not closing.cancelled() and (error := closing.exception()) is not None:
        log.error("engine_close_failed", error=type(error).__name__, raised_at=raised_at(error))
