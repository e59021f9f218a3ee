"""Puts together the engine as a host has it, with the spool that its data folder holds. Never: opens either."""

from functools import partial

from recollect.assembly.lifecycle import open_engine
from recollect.engine import system_clock
from recollect.engine.live_engine import LiveEngine
from recollect.ports import Clock
from recollect.settings import EngineSettings
from recollect.spool import Spool

_SPOOL_BYTES = 256 * 1024 * 1024
"""What is said may take while the store is away: some hundred thousand messages, days of a busy household."""


def live_engine(
    settings: EngineSettings, *, upstream: str | None = None, clock: Clock = system_clock
) -> LiveEngine:
    """Return an engine that is still to be opened.

    Args:
        settings: What it is made of.
        upstream: Base URL of the chat's own LLM, which extracts where no other is named.
        clock: Tells the engine the time.
    """
    folder = None if settings.in_memory else settings.data_dir / "spool"
    spool = Spool(folder, limit=_SPOOL_BYTES)
    opening = partial(open_engine, settings, upstream=upstream, clock=clock, spool=spool)
    return LiveEngine(
        opening,
        spool=spool,
        keeps=settings.record,
        patience=settings.recall_deadline_ms / 1000,
        masks=not settings.log_secrets,
    )
