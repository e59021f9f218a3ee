"""The one engine of a process whose host reloads its plug-ins. Never: the host."""

import asyncio
from dataclasses import dataclass

import structlog

from recollect.assembly.host_engine import live_engine
from recollect.engine.live.live_engine import LiveEngine
from recollect.runtime.failures import raised_at
from recollect.settings import EngineSettings

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
