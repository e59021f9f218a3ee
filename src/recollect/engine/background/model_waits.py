"""Decides why and until when exchanges wait, mostly because no model can be asked; wakes them, and awaits their outcome."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, time, timedelta
from typing import TypeAlias

from recollect.backends import Backends
from recollect.engine.kept_credentials import CREDENTIAL_SECONDS
from recollect.engine.policy import Policy
from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorTimeoutError,
    ExtractorUnusableError,
    HeldFullError,
    InvalidExtractionError,
)
from recollect.formation import begins_with_command
from recollect.model import Awaits, Exchange, Outcome, Pending, Progress, Strategy, Wait

RETRY_DELAYS = (timedelta(seconds=1), timedelta(seconds=5), timedelta(seconds=30))
"""How long a failed exchange waits before its second, third, ... try. The last delay repeats."""

OWN_FAULT_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
)
"""The delays before an exchange that failed for a reason of its own is tried again. After the last one, no try costs
tokens."""

MODEL_DELAY = timedelta(hours=1)
"""When to ask again for a model that a server does not have: it may have been installed there."""

LIST_DELAY = timedelta(hours=1)
"""When to look again whether a full list of waiting memories has room. A person's decision is noticed at once."""


_FIRST_SECONDS, _LONGEST_SECONDS, _GROWTH = 0.5, 5.0, 1.3
_UNLOGGED_SECONDS = 5.0
"""How long the log may lack the exchange: its answer may have ended a moment ago."""

PutOff: TypeAlias = ExtractorError | HeldFullError
"""The errors that make exchanges wait."""

_LEAST = timedelta(seconds=1)

_IN_PART = "The model's answer broke off, also when asked again: what was whole is kept."


def wait_for_model(
    error: PutOff,
    pending: Pending,
    *,
    at: datetime,
    asked: str,
    is_last: bool,
    keyed_at: datetime | None = None,
) -> Wait | None:
    """Return the wait of an exchange after ``error``; None if it is to be tried again at once.

    ``asked`` is the model that was to be asked, and ``keyed_at`` the time of the exchange that brought the last key.
    """
    if isinstance(error, HeldFullError):
        return Wait(Awaits.APPROVAL, str(error), at + LIST_DELAY)
    reason, until = _reason_and_end(error, pending, at, keyed_at)
    counts = isinstance(error, InvalidExtractionError | ExtractorTimeoutError)
    if reason is None:
        if not is_last:
            return None
        reason, counts = Awaits.OUTAGE, True
        until = at + OWN_FAULT_DELAYS[min(pending.waits, len(OWN_FAULT_DELAYS) - 1)]
    return Wait(reason, f"{type(error).__name__}: {error}", until, asked, counts)


def _reason_and_end(
    error: ExtractorError, pending: Pending, at: datetime, keyed_at: datetime | None
) -> tuple[Awaits | None, datetime | None]:
    """Return why an error makes an exchange wait, and until when; None, None if the error decides neither."""
    match error:
        case ExtractorPausedError():
            return Awaits.OUTAGE, max(error.until, at + _LEAST)  # the pause may be over meanwhile
        case BudgetSpentError():
            return Awaits.BUDGET, _next_day(at)
        case CredentialGoneError():
            return Awaits.KEY, _next_look_for_key(keyed_at, at)
        case ExtractorUnusableError():
            return Awaits.MODEL, at + MODEL_DELAY
        case InvalidExtractionError() | ExtractorTimeoutError():
            return Awaits.UNREADABLE, _next_try(pending, at)
        case _:
            return None, None


def _next_look_for_key(keyed_at: datetime | None, at: datetime) -> datetime | None:
    """Return when to try again without a key, because another process may have it; None if no process can have it any more."""
    if keyed_at is None:
        return None
    age = abs(at - keyed_at)  # the clock of the process that has it may be ahead
    # No process keeps a key for longer, so that later only a new request can bring one.
    return at + max(age / 8, _LEAST) if age < timedelta(seconds=CREDENTIAL_SECONDS) else None


def wait_for_rest(pending: Pending, *, at: datetime, asked: str) -> Wait:
    """Return the wait of an exchange if only a part of the model's answer could be read."""
    return Wait(Awaits.UNREADABLE, _IN_PART, _next_try(pending, at), asked, counts=True)


def _next_try(pending: Pending, at: datetime) -> datetime | None:
    """Return when to ask again after an unreadable answer; None if it was tried often enough."""
    return at + OWN_FAULT_DELAYS[pending.waits] if pending.waits < len(OWN_FAULT_DELAYS) else None


async def expect_room(backends: Backends, exchanges: Sequence[Exchange]) -> None:
    """Raise HeldFullError if the list of memories held back is full, unless one of the exchanges is a command."""
    user_id = exchanges[-1].turn.scope.user_id
    if await backends.store.memories.is_held_full(user_id):
        # A command is done at once, also where nothing more can be held back.
        commands = await asyncio.to_thread(lambda: any(map(begins_with_command, exchanges)))
        if not commands:
            raise HeldFullError


async def wake_all(backends: Backends, policy: Policy, *, everything: bool = False) -> list[str]:
    """Make exchanges pending that wait for a model, or that no model has read; return the users who have one that waits.

    With formation off for everybody there are none. ``everything`` includes those that this very model answered unreadably.
    """
    strategy = policy.under(await backends.store.flags.flags(None)).strategy
    if strategy not in {Strategy.EXTRACT, Strategy.BOTH}:
        return []
    asked = policy.asked(policy.extraction_model)
    return await backends.store.inbox.wake_all(asked=asked, everything=everything)


def _next_day(at: datetime) -> datetime:
    """Return when the next day begins in the time zone of ``at``, as budgets count days: UTC."""
    return datetime.combine(at.date() + timedelta(days=1), time(), at.tzinfo)


async def await_outcome(look: Callable[[], Awaitable[Outcome | None]], seconds: float) -> Outcome | None:
    """Wait until an exchange is formed, or never will be, and return its last outcome.

    It looks less often with time, and waits ``seconds`` at most. ``look`` returns None if the log lacks the exchange.
    """
    waited, pause = 0.0, _FIRST_SECONDS
    while True:
        outcome = await look()
        is_over = waited >= _UNLOGGED_SECONDS if outcome is None else outcome.progress is not Progress.PENDING
        if is_over or waited >= seconds:
            return outcome
        await asyncio.sleep(min(pause, seconds - waited))
        waited, pause = waited + pause, min(pause * _GROWTH, _LONGEST_SECONDS)
