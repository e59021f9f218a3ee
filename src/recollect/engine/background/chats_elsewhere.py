"""Tells a worker of its own how many chats run: it has nothing but the log to see them in. Never: makes work yield on its own."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from recollect.errors import StoreError
from recollect.models.yielding import Yielding
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.inbox import Inbox

_LOOK_SECONDS = 1.0
_ANSWERED_WITHIN = timedelta(minutes=10)
_TOLD_AFTER = timedelta(minutes=2)

log = structlog.get_logger(__name__)


class ChatsElsewhere:
    """Counts in the log the answers that are under way.

    One whose proxy was killed counts, too, until it is ten minutes old or its chat goes on: a wait that is long is logged.
    """

    def __init__(self, inbox: "Inbox", yielding: Yielding, clock: Clock) -> None:
        self._inbox = inbox
        self._yielding = yielding
        self._clock = clock
        self._idle_at = self._told_at = clock()

    async def watch(self) -> None:
        """Look once a second, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Count now."""
        now = self._clock()
        try:
            running = await self._inbox.answers_under_way(now - _ANSWERED_WITHIN)
        except StoreError as error:
            log.debug("chats_lookup_failed", error=type(error).__name__)
            return
        self._yielding.chats(running)
        if not running:
            self._idle_at = self._told_at = now
        elif now - self._told_at >= _TOLD_AFTER:
            self._told_at = now
            seconds = round((now - self._idle_at).total_seconds())
            log.info("formation_paused_for_chats", running=running, seconds=seconds)
