"""An inbox that tells what was decided of each exchange, and what was really done. Never: what is right."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime

from recollect.model import (
    Backlog,
    Caps,
    Change,
    Exchange,
    Formed,
    Memory,
    News,
    Outcome,
    Pending,
    Scope,
    SpokenWith,
    Wait,
)
from recollect.ports import NO_CAPS, Conversation, Inbox


@dataclass(frozen=True, slots=True)
class Completed:
    """What became of an exchange.

    Attributes:
        formed: What was decided.
        applied: What was done for each change, in their order; what the caps retired behind it.
    """

    formed: Formed
    applied: tuple[Change, ...]

    @property
    def done(self) -> list[tuple[Change, Change]]:
        """Each change that was decided, with what was done for it."""
        return list(zip(self.formed.changes, self.applied, strict=False))


class RecordingInbox:
    """Implements ``Inbox`` by another one.

    Attributes:
        completed: What became of exchanges, by the key of their turn, since ``forget``.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.completed: dict[str, Completed] = {}

    def forget(self) -> None:
        """Forget what became of earlier exchanges."""
        self.completed.clear()

    def lease(self, user_id: str) -> AbstractAsyncContextManager[bool]:
        """Take the right to form for this user."""
        return self._inbox.lease(user_id)

    async def pending(self, user_id: str, *, limit: int) -> list[Pending]:
        """Return what is to be formed next."""
        return await self._inbox.pending(user_id, limit=limit)

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS
    ) -> list[list[Change]] | None:
        """Apply changes, and note them."""
        applied = await self._inbox.complete(formed, at=at, caps=caps)
        if applied is not None:
            for each, changes in zip(formed, applied, strict=True):
                self.completed[each.exchange.turn.key] = Completed(each, tuple(changes))
        return applied

    async def postpone(
        self, exchange: Exchange, *, error: str, until: datetime | None, counts: bool = True
    ) -> None:
        """Note a failed try."""
        await self._inbox.postpone(exchange, error=error, until=until, counts=counts)

    async def wait(self, exchanges: Sequence[Exchange], wait: Wait) -> None:
        """Note that exchanges wait for a model."""
        await self._inbox.wait(exchanges, wait)

    async def wake(self, user_id: str, *, at: datetime) -> bool:
        """Have what is due of the waiting exchanges tried again."""
        return await self._inbox.wake(user_id, at=at)

    async def next_wake(self, user_id: str) -> datetime | None:
        """Return when the first waiting exchange is due."""
        return await self._inbox.next_wake(user_id)

    async def wake_the_rest(self, answered: Exchange, *, model: str) -> None:
        """Have the user's other waiting exchanges tried again."""
        await self._inbox.wake_the_rest(answered, model=model)

    async def wake_all(self, *, model: str = "", everything: bool = False) -> int:
        """Have what waits of all users tried again."""
        return await self._inbox.wake_all(model=model, everything=everything)

    async def spoken_with(self, user_id: str) -> SpokenWith | None:
        """Return with which model the user chatted last."""
        return await self._inbox.spoken_with(user_id)

    async def ask_for_summary(self, scope: Scope, *, at: datetime) -> int:
        """Have a chat summarized before all that are due."""
        return await self._inbox.ask_for_summary(scope, at=at)

    async def outcome(self, scope: Scope, key: str) -> Outcome | None:
        """Return what became of an exchange."""
        return await self._inbox.outcome(scope, key)

    async def answers_under_way(self, since: datetime) -> int:
        """Return how many exchanges have their answer under way."""
        return await self._inbox.answers_under_way(since)

    async def tell(self, scope: Scope, key: str, *, own: bool = False) -> News:
        """Take what was not shown yet."""
        return await self._inbox.tell(scope, key, own=own)

    async def untell(self, news: News) -> None:
        """Give it back."""
        await self._inbox.untell(news)

    async def told_with(self, scope: Scope, key: str) -> list[str]:
        """Return of which other turns it was shown with this one what they taught."""
        return await self._inbox.told_with(scope, key)

    async def to_summarize(
        self, user_id: str, *, turns: int, tokens: int, without: Collection[str] = ()
    ) -> Conversation | None:
        """Return a chat that is due for a summary, if there is one."""
        return await self._inbox.to_summarize(user_id, turns=turns, tokens=tokens, without=without)

    async def summarized(
        self, user_id: str, conversation: Conversation, memory: Memory | None, *, at: datetime
    ) -> list[Change]:
        """Keep a summary."""
        return await self._inbox.summarized(user_id, conversation, memory, at=at)

    async def backlog(self) -> Backlog:
        """Count what is pending, failed and formed."""
        return await self._inbox.backlog()

    async def retry_failed(self, *, at: datetime) -> int:
        """Put every held exchange back to pending."""
        return await self._inbox.retry_failed(at=at)
