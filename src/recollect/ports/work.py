"""What the engine needs of its background work. Never: an implementation."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Protocol

from recollect.model import Backlog, Change, Exchange


class Inbox(Protocol):
    """What one user's formation has still to do, in the order it was said."""

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user; False when another worker holds it.

        Renewed in the background until left, and free again a while after its holder died. No
        connection is held meanwhile.
        """
        ...

    async def next(self, user_id: str) -> tuple[Exchange, int, datetime] | None:
        """Return the oldest pending exchange, how often it was tried, and when it may be tried next."""
        ...

    async def complete(
        self, exchange: Exchange, changes: Sequence[Change], *, at: datetime, fallback: str | None = None
    ) -> list[Change] | None:
        """Apply ``changes`` as ``MemoryStore.apply`` does and mark the exchange formed, in one transaction.

        Args:
            exchange: What was formed.
            changes: What formation decided.
            at: Now.
            fallback: Why extraction failed, when the exchange is kept as a ``qa_turn`` instead.

        Returns:
            What was really done; None when the exchange is no longer pending (formed by another
            worker, or erased meanwhile): then nothing was changed.
        """
        ...

    async def postpone(self, exchange: Exchange, *, error: str, until: datetime | None) -> None:
        """Note a failed try: again not before ``until``, or held as failed when that is None."""
        ...

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        ...

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending and enqueue it; return how many."""
        ...


class Jobs(Protocol):
    """Durable background work in the same database as the memories."""

    async def run(self, drain: Callable[[str], Awaitable[timedelta | None]]) -> None:
        """Call ``drain(user_id)`` for each job until cancelled, several users at once.

        A job says only that this user has something to form. ``drain`` returns None when the
        user's inbox is empty, else after how long to call it again; that wish survives a crash.
        When ``drain`` raises a StoreError, it is called again later, for as long as that lasts;
        when it raises anything else, the job is held as failed, visible, never dropped.
        """
        ...
