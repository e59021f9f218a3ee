"""Sends a webhook the changes of memories, from the audit: each event at least once, and each person's events in order.

It holds no lock and no transaction while it waits for the receiver, and keeps events in the audit alone.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import msgspec
import structlog

from recollect.api.events import EventPlace, erasure_of, event_of
from recollect.errors import StoreError, raised_at
from recollect.ports import Clock
from recollect.runtime.deadline import within

if TYPE_CHECKING:  # a host starts its database before it imports a driver, or an HTTP client
    from recollect.store.users import Events
    from recollect.store.users.events import ErasedUser
    from recollect.webhook import Webhook

_LOOK_SECONDS = 1.0
_AT_ONCE = 8
"""The people whose events are sent at the same time."""
_MOST_OF_ONE = 50  # then others have their turn
_TURN = timedelta(seconds=60)
# A request ends, at the latest, before the turn of another process.
_BEGINS_WITHIN = 45.0
"""How long after the beginning of its turn a process may begin a request, in seconds."""
_LEAVE_SECONDS = 2.0  # a stop waits for it
_FIRST_WAIT, _LONGER, _LONGEST_WAIT = 5.0, 5, 3600.0
# A receiver that comes back is not flooded, and a first webhook does not get the past.
DELIVERED_FOR = timedelta(days=3)
"""Events older than this are not sent."""

log = structlog.get_logger(__name__)


class WebhookDelivery:
    """Sends events to a webhook, in the one process whose turn it is."""

    def __init__(self, events: "Events", webhook: "Webhook", clock: Clock) -> None:
        self._events, self._webhook, self._clock = events, webhook, clock
        self._holder = uuid4()
        self._waits: dict[str, tuple[float, float]] = {}
        """By person, when to try an event again that was not taken, and how long that wait is. Lost with the process."""
        self._dropped = 0

    async def run(self) -> None:
        """Send until cancelled, and then leave the turn to another process."""
        try:
            await self._keep_sending()
        finally:
            with suppress(StoreError, TimeoutError):  # else its turn runs out
                await within(_LEAVE_SECONDS, self._events.take_turn(self._holder, timedelta()))

    async def _keep_sending(self) -> None:
        while True:
            pause = _LOOK_SECONDS
            try:
                if await self._events.take_turn(self._holder, _TURN):
                    pause = await self._send_some()
            except Exception as error:  # noqa: BLE001 -- no event would be sent any more
                _log_failure(error)
            await asyncio.sleep(pause)

    async def _send_some(self) -> float:
        """Send some persons' events; return how long to wait before the next ones."""
        loop = asyncio.get_running_loop()
        begins_until = loop.time() + _BEGINS_WITHIN
        later = [user_id for user_id, (again, _) in self._waits.items() if again > loop.time()]
        erased, users = await self._events.unsent(besides=later, limit=_AT_ONCE)
        first = {each.user_id: each for each in reversed(erased)}  # of several erasures the earliest wins
        users = [each for each in users if each not in first]  # their changes come after the erasure
        taken = await asyncio.gather(
            *(self._tried(each.user_id, self._tell_erasure(each)) for each in first.values()),
            *(self._tried(each, self._tell_changes(each, begins_until)) for each in users),
        )
        if self._dropped:
            log.warning("webhook_events_dropped", events=self._dropped, older_than_days=DELIVERED_FOR.days)
            self._dropped = 0
        if taken and not any(taken):  # the receiver may be away for everybody
            return _FIRST_WAIT
        return 0.0 if taken else _LOOK_SECONDS

    async def _tried(self, user_id: str, sending: Awaitable[bool]) -> bool:
        """Return whether all events were taken."""
        try:
            return await sending
        except Exception as error:  # noqa: BLE001 -- whatever it is, others' events are sent
            _log_failure(error)
            self._wait_longer(user_id)  # this person alone: one faulty row must not stop the others
            return False

    async def _tell_erasure(self, erased: "ErasedUser") -> bool:
        is_late = erased.at < self._clock() - DELIVERED_FOR
        self._dropped += is_late
        event = erasure_of(erased.user_id, erased.id, erased.at)
        if is_late or await self._taken(erased.user_id, event.data.id, msgspec.json.encode(event)):
            await self._events.forget_erasure(erased)
            return True
        return False

    async def _tell_changes(self, user_id: str, begins_until: float) -> bool:
        """Send a person's next events, one after the other; return whether all were taken."""
        place, happened = await self._events.behind(user_id, None, limit=_MOST_OF_ONE)
        if not happened:  # erased from the audit, with their chat
            await self._events.note_sent(user_id, place)
        for number, update, kind in happened:
            event = event_of(user_id, update, kind, with_text=self._webhook.with_text)
            is_late = update.at < self._clock() - DELIVERED_FOR
            if event is not None and not is_late:
                if asyncio.get_running_loop().time() > begins_until:
                    return True
                if not await self._taken(user_id, update.id, msgspec.json.encode(event)):
                    return False
            self._dropped += event is not None and is_late
            await self._events.note_sent(user_id, EventPlace(place.epoch, number))
        self._waits.pop(user_id, None)
        return True

    async def _taken(self, user_id: str, event_id: UUID, body: bytes) -> bool:
        """Send an event; if it is not taken, the person's events wait, each time five times as long."""
        refusal = await self._webhook.post(event_id, body)
        if refusal is None:
            self._waits.pop(user_id, None)
            return True
        wait = self._wait_longer(user_id)
        log.warning("webhook_failed", reason=refusal, event_id=str(event_id), retry_seconds=wait)
        return False

    def _wait_longer(self, user_id: str) -> float:
        _, waited = self._waits.get(user_id, (0.0, _FIRST_WAIT / _LONGER))
        wait = min(_LONGER * waited, _LONGEST_WAIT)
        self._waits[user_id] = asyncio.get_running_loop().time() + wait, wait
        return wait


def _log_failure(error: Exception) -> None:
    if isinstance(error, StoreError):
        log.debug("webhook_lookup_failed", error=type(error).__name__)
    else:
        log.error("webhook_lookup_failed", error=type(error).__name__, raised_at=raised_at(error))
