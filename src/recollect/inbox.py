"""Drains one user's inbox: forms exchange after exchange, in the order they were said.

Never: SQL, which queue calls it, how an exchange is formed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol
from uuid import UUID

import structlog

from recollect.errors import ExtractorError, RecollectError, StoreUnavailableError
from recollect.failures import place
from recollect.formation import Formed, log_decision
from recollect.model import Exchange
from recollect.ports import Clock, Inbox

RETRY_DELAYS = (timedelta(seconds=1), timedelta(seconds=5), timedelta(seconds=30))
"""How long a failed exchange waits before its second, third, ... try; the last one counts on."""

TAKEN_DELAY = timedelta(seconds=20)
"""When to look again at an inbox that another worker drains: its lease has run out by then if it died.

Every exchange has a job of its own, so one user's backlog is as many jobs that come back: seldom,
so that they leave the workers to other users.
"""

STORE_DELAY = timedelta(seconds=5)
"""When to look again after the store could not be reached."""

log = structlog.get_logger(__name__)


class Former(Protocol):
    """Forms one exchange, as ``recollect.formation.form`` does."""

    async def __call__(self, exchange: Exchange, *, fallback: str | None = None) -> Formed:
        """Return what the exchange changes; with ``fallback``, keep it as it is for that reason."""
        ...


async def drain_inbox(
    user_id: str,
    *,
    inbox: Inbox,
    form: Former,
    credential: Callable[[UUID], str | None],
    clock: Clock,
    tries: int = 3,
    delays: Sequence[timedelta] = RETRY_DELAYS,
    log_text: bool = False,
) -> timedelta | None:
    """Form everything in the user's inbox, and return after how long to call again, or None.

    An exchange that fails blocks the later ones until it is formed, given up or held: a statement
    must not be replaced by an older one. A store that can't be reached is nobody's failed try.

    Args:
        user_id: Whose inbox.
        inbox: What is to be formed, and where the outcome is written.
        form: Forms an exchange.
        credential: Finds the request's own credential by the exchange's id, while it is at hand.
        clock: Tells the time.
        tries: How often an exchange is tried. Then, if extraction is what fails, it is kept as a
            ``qa_turn``; if something else does, it is held as failed.
        delays: How long to wait after each failed try.
        log_text: Whether decisions are logged with the statements themselves.

    Raises:
        StoreError: The store failed in reading the inbox or in writing down a failure.
    """
    drain = _Drain(inbox, form, credential, clock, tries, delays, log_text)
    try:
        while True:
            async with inbox.lease(user_id) as taken:
                again = await drain.until_empty(user_id) if taken else TAKEN_DELAY
            # What came between the last look and the lease's end found the lease taken.
            if again is not None or await inbox.next(user_id) is None:
                return again
    except StoreUnavailableError:
        log.warning("inbox_store_unavailable", again_seconds=STORE_DELAY.total_seconds())
        return STORE_DELAY


@dataclass(frozen=True, slots=True)
class _Drain:
    inbox: Inbox
    form: Former
    credential: Callable[[UUID], str | None]
    clock: Clock
    tries: int
    delays: Sequence[timedelta]
    log_text: bool

    async def until_empty(self, user_id: str) -> timedelta | None:
        while (pending := await self.inbox.next(user_id)) is not None:
            exchange, failures, due = pending
            wait = due - self.clock()
            if wait > timedelta():
                return wait
            credential = exchange.credential or self.credential(exchange.id)
            known = replace(exchange, credential=credential)
            try:
                done = await self._complete(known, last=failures + 1 >= self.tries)
            except StoreUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 - a bug, too, must neither loop for ever nor lose anything
                await self._postpone(exchange, failures, error)
            else:
                if not done:
                    return TAKEN_DELAY  # somebody else forms here: our lease was lost
        return None

    async def _complete(self, exchange: Exchange, *, last: bool) -> bool:
        """Form the exchange and write that down; return whether it was still to be formed."""
        try:
            formed = await self.form(exchange)
        except ExtractorError:
            if not last:
                raise
            formed = await self.form(exchange, fallback="failed")
        applied = await self.inbox.complete(
            exchange, formed.changes, at=self.clock(), fallback=formed.fallback
        )
        if applied is None:
            return False
        log_decision(formed, applied, exchange, include_text=self.log_text)
        return True

    async def _postpone(self, exchange: Exchange, failures: int, error: Exception) -> None:
        held = failures + 1 >= self.tries
        delay = self.delays[min(failures, len(self.delays) - 1)]
        name = type(error).__name__
        # our own errors never quote a user; of others only the kind and the place are told
        told = f"{name}: {error}" if isinstance(error, RecollectError) else name
        log.warning(
            "formation_failed",
            exchange_id=str(exchange.id),
            error=told,
            place=place(error),
            tries=failures + 1,
            held=held,
        )
        await self.inbox.postpone(exchange, error=told, until=None if held else self.clock() + delay)
