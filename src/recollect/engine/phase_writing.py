"""Writes a phase of an exchange: its secrets masked, then into the journal at once, then into the log. Never: an engine."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from recollect.engine.saying import Pace
from recollect.engine.without_secrets import entry_without_secrets, masking_is_ready
from recollect.engine.writing import Writing
from recollect.errors import StoreError
from recollect.failures import place
from recollect.model import Became, LogEntry, Phase, Turn
from recollect.text.normalization import storable_id, storable_user

_SOON_SECONDS = 0.5
"""For how long a turn that its answer does not end is in the journal alone."""

log = structlog.get_logger(__name__)


async def write_phase(
    writing: Callable[[], Writing],
    entry: LogEntry,
    behind: asyncio.Task[Became] | None,
    pace: Pace,
    *,
    masks: bool,
) -> Became:
    """Return what became of the phase in the log, once it will outlive this process; never raises.

    Args:
        writing: Returns what writes now.
        entry: Which phase.
        behind: The writing of the phase before it.
        pace: Who waits for what of it.
        masks: Whether its secrets are masked before.
    """
    try:
        await writing().ready()
        if masks:
            await masking_is_ready()
        pace.ready.set()
        if masks:
            entry = await entry_without_secrets(entry)
        return await _write(writing(), entry, behind, pace)
    except Exception as error:  # noqa: BLE001 -- a bug must not take what is said without a word
        log.error("remember_failed", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- no text
        writing().lose(entry, "it can't be written")
        return None
    finally:
        pace.noted.set()


async def _write(
    writing: Writing, entry: LogEntry, behind: asyncio.Task[Became] | None, pace: Pace
) -> Became:
    begins = entry.phase is Phase.BEGUN
    if behind is not None:
        await pace.noted.wait()  # whoever finds the journal reads the turn before its end
    async with writing.noting(entry) as noted:
        pace.noted.set()
        if noted.is_kept and begins:
            pace.kept.set()
        elif noted.is_kept and entry.phase is Phase.ENDED:
            pace.over.set()  # where the model failed the turn is written by itself
        if behind is not None and not behind.done():
            await asyncio.wait({behind})
        if begins and noted.is_kept and await _is_over_soon(pace):
            return None  # what ended it is written, and this with it
        return await writing.write(entry, needed=pace.needed, line=noted.line)


async def _is_over_soon(pace: Pace) -> bool:
    """Return whether a turn's answer ends within a moment; one statement then writes both, and none beside the first byte."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_SOON_SECONDS):
            await pace.over.wait()
    return pace.over.is_set()


def is_storable(turn: Turn) -> bool:
    """Return whether a log can hold whose turn it is, and which; no patience would mend that."""
    try:
        storable_user(turn.scope.user_id)
        storable_id(turn.scope.session_id)
        storable_id(turn.key)
    except StoreError as error:
        log.error("exchange_lost", reason=str(error))  # noqa: TRY400 -- the message says it all
        return False
    return True
