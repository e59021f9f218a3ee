"""Waits until memories of an exchange are formed. Never: forms them."""

import asyncio
from collections.abc import Awaitable, Callable

from recollect.model import Outcome, Progress

_FIRST_SECONDS, _LONGEST_SECONDS, _GROWTH = 0.5, 5.0, 1.3
_UNLOGGED_SECONDS = 5.0
"""How long the log may lack the exchange: its answer may have ended a moment ago."""


async def await_outcome(look: Callable[[], Awaitable[Outcome | None]], seconds: float) -> Outcome | None:
    """Look again and again, less often with time, until memories of an exchange are formed or never will be.

    Args:
        look: Returns the outcome of the exchange; None if the log lacks it.
        seconds: How long to wait at most.

    Returns:
        The last outcome.
    """
    waited, pause = 0.0, _FIRST_SECONDS
    while True:
        outcome = await look()
        is_over = waited >= _UNLOGGED_SECONDS if outcome is None else outcome.progress is not Progress.PENDING
        if is_over or waited >= seconds:
            return outcome
        await asyncio.sleep(min(pause, seconds - waited))
        waited, pause = waited + pause, min(pause * _GROWTH, _LONGEST_SECONDS)
