"""Forms no faster than someone wants: an inbox whose exchanges are done with at a rate. Never: what forming is."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from recollect.model import NO_CAPS, Caps, Change, Formed, Wait

if TYPE_CHECKING:
    from recollect.store.inbox import Inbox


def paced(inbox: "Inbox", *, per_minute: float, told: Callable[[int], None]) -> "Inbox":
    """Return an inbox that lets at most so many exchanges a minute be formed (0: any number), and calls ``told`` with their number."""
    return cast("Inbox", _Paced(inbox, 60 / per_minute if per_minute else 0.0, told))


class _Paced:
    """Implements ``Inbox``: waits after each formation, with its user's lease held."""

    def __init__(self, inbox: "Inbox", seconds: float, told: Callable[[int], None]) -> None:
        self._inbox = inbox
        self._seconds = seconds
        self._told = told
        self._due = 0.0

    def __getattr__(self, name: str) -> Any:
        """Pass on whatever is not about forming."""
        return getattr(self._inbox, name)

    async def complete(
        self, formed: Sequence[Formed], *, at: datetime, caps: Caps = NO_CAPS, rest: Wait | None = None
    ) -> list[list[Change]] | None:
        """Complete the exchanges, and wait as long as so many should take."""
        done = await self._inbox.complete(formed, at=at, caps=caps, rest=rest)
        now = asyncio.get_running_loop().time()
        self._due = max(self._due, now) + self._seconds * len(formed)
        if done is not None:
            self._told(len(formed))
        await asyncio.sleep(max(0.0, self._due - now))
        return done
