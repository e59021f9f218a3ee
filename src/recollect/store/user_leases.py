"""Leases a user to one worker, renews the lease in the background, and counts how often a step was begun. It holds no connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog

from recollect.errors import StoreError, StoreUnavailableError
from recollect.store.pool import Database, StorePart
from recollect.store.sql import SQL
from recollect.text.normalization import storable_text

_RENEWALS = 3
"""How often a lease is renewed while it would hold."""

_RELEASE_SECONDS = 2.0  # a stop waits for it, and a lease that is not released expires anyway

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def hold_lease(database: Database, user_id: str, length: timedelta) -> AsyncIterator[bool]:
    """Take the user's lease, renew it during the body and give it up; yield whether it was free.

    The body's task is cancelled when the lease is lost, as ``asyncio.timeout`` does it: the
    cancellation ends here and becomes an error.

    Raises:
        StoreUnavailableError: The lease was lost.
    """
    holder = uuid4()
    taken = await database.value(user_id, "take_lease", holder, length)
    if taken is None:
        yield False
        return
    body = asyncio.current_task()
    assert body is not None  # noqa: S101 - an async context manager is entered by a task
    cancelled_before = body.cancelling()
    lost = asyncio.Event()

    def end_body() -> None:
        lost.set()
        body.cancel()

    renewal = asyncio.create_task(_keep(database, user_id, holder, length, end_body))
    try:
        yield True
    except asyncio.CancelledError:
        # Cancelled by this lease alone, and not by a caller as well.
        if lost.is_set() and body.uncancel() <= cancelled_before:
            raise StoreUnavailableError("The lease on this user's formation was lost.") from None
        raise
    finally:
        renewal.cancel()
        await asyncio.wait({renewal})
        await _release(database, user_id, holder)


async def _keep(
    database: Database, user_id: str, holder: UUID, length: timedelta, lose: Callable[[], object]
) -> None:
    """Renew the lease until it is lost, and call ``lose``."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + length.total_seconds()
    while True:
        await asyncio.sleep(length.total_seconds() / _RENEWALS)
        began = loop.time()
        try:
            async with asyncio.timeout_at(ends), database.for_user(user_id) as connection:
                kept = await connection.fetchval(SQL["renew_lease"], user_id, holder, length)
        except (StoreError, TimeoutError):
            kept = holder if loop.time() < ends else None  # it holds until then, whatever the store says
        else:
            ends = began + length.total_seconds()  # from before the statement, as the store counts later
        if kept is None:
            _log.warning("lease_lost")
            lose()
            return


async def _release(database: Database, user_id: str, holder: UUID) -> None:
    with suppress(StoreError, TimeoutError):  # it then expires a little later
        async with asyncio.timeout(_RELEASE_SECONDS), database.for_user(user_id) as connection:
            await connection.execute(SQL["release_lease"], user_id, holder)


class Attempts(StorePart):
    """Counts how often a step was begun for a user and not ended, so that a step that kills its worker is counted."""

    async def unended(self, user_id: str, step: str, subject: str) -> int:
        """Return how often a step on this subject was begun and did not end."""
        attempts: int | None = await self._database.value(
            user_id, "unended_attempts", step, storable_text(subject)
        )
        return attempts or 0

    async def count_attempt(
        self, user_id: str, step: str, subject: str, *, at: datetime, afresh: bool
    ) -> int:
        """Count an attempt at a step before it begins; return how often it was begun since it last ended, this attempt included.

        A user has one of each step at a time: on another subject it is begun ``afresh``, as where the attempts before are known to have
        ended, though no one could note it.
        """
        attempts: int = await self._database.value(
            user_id, "begin_attempt", step, storable_text(subject), at, afresh
        )
        return attempts

    async def count_end(self, user_id: str, step: str) -> None:
        """Note that it ended, well or not."""
        await self._database.rows(user_id, "end_attempt", step)
