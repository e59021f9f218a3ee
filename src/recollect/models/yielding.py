"""Lets background calls of models yield to the chats that the same server answers.

A server at home answers one request after the other, and keeps the prompt of one chat in its cache. So nothing begins while a chat
runs there, nor for an idle time behind it. A call that runs when a chat comes is cancelled, and repeated later.

Never: the detection of chats, the prompts.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import structlog
from cachetools import LRUCache

from recollect.errors import YieldedError

FIRST_IDLE, SHORTEST_IDLE, LONGEST_IDLE = 60.0, 1.0, 120.0
"""Seconds of idle time, unless the settings name some. The first holds until the work's duration is known; the others bound the
idle time that is derived from that duration."""

IDLE_FOR_WORK = 5.0
"""The idle time tends towards this many times the duration of the work. A server finishes reading a prompt before it notices that the client
has left. So the longer a prompt takes, the longer we wait to be sure that no chat comes. The idle time doubles each time one does."""

LONGEST_WAIT = 600.0
"""If chats never pause, the work runs next to them after this many seconds, so that it is not postponed for ever."""

BESIDE_SHARE = 0.1
"""The largest share of the time that the work may run next to chats."""

_LOOK_SECONDS = 0.5
_USERS_KEPT = 10_000

log = structlog.get_logger(__name__)

_T = TypeVar("_T")


@dataclass(slots=True)
class _Turn:
    """The work for one user, while it lasts.

    Attributes:
        beside: Whether it goes on next to chats.
        asked: Whether a model was asked in it.
    """

    beside: bool
    asked: bool = False


class Yielding:
    """Knows whether chats run, and which users' work waits for them.

    Args:
        yields: Whether the server that is asked answers chats too, and is to be left to them.
        idle: Seconds without any chat before anything begins; None: as is learned.

    Attributes:
        given_up: How often something was given up for a chat, since the start.
    """

    def __init__(
        self, *, yields: bool = False, idle: float | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.yields = yields
        self.given_up = 0
        self._learns = idle is None
        self._idle = FIRST_IDLE if idle is None else idle
        self._now = now
        self._runs = False
        self._idle_since = float("-inf")
        self._waiting_since: LRUCache[str, float] = LRUCache(_USERS_KEPT)
        self._turns: dict[str, _Turn] = {}
        self._beside_from = float("-inf")
        self._calls: set[asyncio.Future[Any]] = set()

    @property
    def idle(self) -> float:
        """Seconds without any chat before anything begins."""
        return self._idle

    def note_running_chats(self, running: int) -> None:
        """Note how many chats run now."""
        before, self._runs = self._runs, running > 0
        if before and not self._runs:
            self._idle_since = self._now()
        if self._runs and not before:
            self._forget_who_waits_no_more()
            for call in self._calls:
                call.cancel()

    def _forget_who_waits_no_more(self) -> None:
        """Forget the waiting times if no work began in a long pause: it is gone, or done elsewhere.

        While one user's work runs in a pause, the others may wait for it, and work that is cancelled at its end waits on.
        """
        if not self._turns and self._until_idle_again(self._now()) <= -LONGEST_IDLE:
            self._waiting_since.clear()

    def _until_idle_again(self, now: float) -> float:
        return self._idle_since + self._idle - now

    def wait(self, user_id: str) -> timedelta:
        """Return for how long nothing is to begin for this user; where chats never pause, not for ever."""
        if not self.yields:
            return timedelta()
        now = self._now()
        left = self._until_idle(now)
        if left <= 0:
            return timedelta()
        beside_from = max(self._waiting_since.setdefault(user_id, now) + LONGEST_WAIT, self._beside_from)
        if any(turn.beside for turn in self._turns.values()):
            beside_from = max(beside_from, now + left)  # one at a time
        return timedelta(seconds=max(0.0, min(left, beside_from - now)))

    def _until_idle(self, now: float) -> float:
        if self._runs:
            return max(self._idle, _LOOK_SECONDS)
        return self._until_idle_again(now)

    @contextmanager
    def turn(self, user_id: str) -> Iterator[None]:
        """Run a user's work that calls models in the body.

        Raises:
            YieldedError: It is not the time for it; or a chat came while a model was asked.
        """
        if wait := self.wait(user_id):
            raise YieldedError(wait)
        began = self._now()
        turn = self._turns[user_id] = _Turn(beside=self.yields and self._until_idle(began) > 0)
        try:
            yield
        except YieldedError:
            self._waiting_since.setdefault(user_id, began)
            self._learn(2 * self._idle)
            raise
        except BaseException:
            self._waiting_since.pop(user_id, None)
            raise
        else:
            self._waiting_since.pop(user_id, None)
            if turn.asked:
                self._learn((self._idle + IDLE_FOR_WORK * (self._now() - began)) / 2)
        finally:
            del self._turns[user_id]
            if turn.beside:
                ended = self._now()
                self._beside_from = ended + (ended - began) * (1 / BESIDE_SHARE - 1)

    def _learn(self, idle: float) -> None:
        if self._learns:
            self._idle = min(max(idle, SHORTEST_IDLE), LONGEST_IDLE)

    async def call(self, user_id: str, ask: Callable[[], Awaitable[_T]]) -> _T:
        """Return a model's answer, unless a chat comes first.

        Raises:
            YieldedError: A chat runs, or came; the call is cancelled by then.
        """
        turn = self._turns.get(user_id)
        if not self.yields or (turn is not None and turn.beside):
            return await ask()
        if self._runs:
            raise YieldedError(timedelta(seconds=self._until_idle(self._now())))
        if turn is not None:
            turn.asked = True
        asking = asyncio.ensure_future(ask())
        self._calls.add(asking)
        try:
            await asyncio.wait({asking})
        finally:
            self._calls.discard(asking)
            if not asking.done():  # we are cancelled ourselves
                asking.cancel()
                await asyncio.wait({asking})
        if asking.cancelled():
            self.given_up += 1
            log.debug("model_call_cancelled_for_chat", idle_seconds=round(self._idle, 1))
            raise YieldedError(timedelta(seconds=max(self._until_idle(self._now()), _LOOK_SECONDS)))
        return asking.result()
