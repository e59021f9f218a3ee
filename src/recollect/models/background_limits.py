"""The limits of the background work that asks models: chats come first, and a step that takes its worker down is given up.

A server at home answers one request after the other, and keeps the prompt of one chat in its cache. So nothing begins while a chat
runs there, nor for an idle time behind it. A call that runs when a chat comes is cancelled, and repeated later.

Each attempt at a step is counted before it begins, and timed. The tokens of a call are counted while it runs. If a step is tried again, the
count shows that it took its worker down or never ended. It is then tried alone, so that no other step is counted with it, and
given up after a few attempts. A call that is given up returns no answer and no error that could name its tokens.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from cachetools import LRUCache

from recollect.errors import StoreError, YieldedError
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.user_leases import Attempts

log = structlog.get_logger(__name__)


class Step(StrEnum):
    """The work for a user; one of each kind at a time."""

    FORM = "form"
    SUMMARIZE = "summarize"
    INDEX = "index"
    MESSAGE = "message"
    """Indexing a single message, after indexing several together took a worker down."""
    HINT = "hint"


SECONDS = {Step.FORM: 120.0, Step.SUMMARIZE: 120.0, Step.INDEX: 300.0, Step.MESSAGE: 120.0, Step.HINT: 120.0}
"""Seconds that a step may take on its own: far more than any takes, and than a statement of the store may. The time in which it
waits for others, models above all, has limits of its own and is not counted."""


@dataclass(slots=True, eq=False)
class Timer:
    """The time that a step has taken on its own.

    Attributes:
        began: When it began or went on, by ``time.monotonic``.
        taken: Seconds it took before.
        waits: How many others it waits for now.
    """

    step: Step
    began: float
    within: "Timer | None" = None
    taken: float = 0.0
    waits: int = 0

    def seconds(self, now: float) -> float:
        """Return the seconds taken until now."""
        return self.taken if self.waits else self.taken + now - self.began

    def wait(self) -> None:
        """Wait for others from now on, and so the step around it."""
        if not self.waits:
            self.taken += time.monotonic() - self.began
        self.waits += 1
        if self.within is not None:
            self.within.wait()

    def go_on(self) -> None:
        """Wait no longer."""
        self.waits -= 1
        if not self.waits:
            self.began = time.monotonic()
        if self.within is not None:
            self.within.go_on()


_timer: ContextVar[Timer | None] = ContextVar("timer", default=None)


@contextmanager
def waiting_for_others() -> Iterator[None]:
    """Count no time of the current step within the body, which waits for others."""
    timer = _timer.get()
    if timer is None:
        yield
        return
    timer.wait()
    try:
        yield
    finally:
        timer.go_on()


class Steps:
    """The steps of one worker."""

    def __init__(self, attempts: "Attempts", clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock
        self._gate = _Gate()
        self._ended_unnoted: set[tuple[str, Step]] = set()
        self._timers: set[Timer] = set()

    @asynccontextmanager
    async def step(self, user_id: str, step: Step, subject: str) -> AsyncIterator[int]:
        """Count an attempt, do the body, and note that it has ended; yield how often it was begun since it last ended.

        Raises:
            StoreError: The attempt can't be counted; the body is not begun.
        """
        noted = (user_id, step)
        afresh = noted in self._ended_unnoted
        is_suspect = not afresh and await self._attempts.unended(user_id, step, subject) > 0
        async with self._gate_of(is_suspect=is_suspect):
            try:  # a cancellation may come when the attempt is counted and not yet known to be
                attempts = await self._attempts.count_attempt(
                    user_id, step, subject, at=self._clock(), afresh=afresh
                )
                self._ended_unnoted.discard(noted)
                with self._timed(step):
                    yield attempts
            finally:
                await self._end(user_id, step)

    def _gate_of(self, *, is_suspect: bool) -> AbstractAsyncContextManager[None]:
        if _timer.get() is not None:
            return nullcontext()  # a step within another, which has passed
        return self._gate.passing(alone=is_suspect)

    async def _end(self, user_id: str, step: Step) -> None:
        self._ended_unnoted.add((user_id, step))
        try:
            await self._attempts.count_end(user_id, step)
        # No attempt has failed: the next one is counted afresh, while this process lives.
        except StoreError as error:
            log.debug("attempt_update_failed", error=type(error).__name__)
        else:
            self._ended_unnoted.discard((user_id, step))

    @contextmanager
    def _timed(self, step: Step) -> Iterator[None]:
        timer = Timer(step, time.monotonic(), _timer.get())
        self._timers.add(timer)
        token = _timer.set(timer)
        try:
            yield
        finally:
            _timer.reset(token)
            self._timers.discard(timer)

    def overdue(self) -> Step | None:
        """Return a step that takes longer than it may; None: none does."""
        now = time.monotonic()
        return next((each.step for each in self._timers if each.seconds(now) > SECONDS[each.step]), None)


class _Gate:
    """Lets some pass together, or one alone; in the order they came."""

    def __init__(self) -> None:
        self._within = 0
        self._is_alone = False
        self._waiting: deque[tuple[asyncio.Future[None], bool]] = deque()

    @asynccontextmanager
    async def passing(self, *, alone: bool) -> AsyncIterator[None]:
        """Pass with others; ``alone``: when all have left, and let none in until the end."""
        if self._waiting or not self._has_room(alone=alone):
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((turn, alone))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._leave()  # it was let in, and is cancelled before it could go
                else:
                    self._let_in()  # the next one may be let in now
                raise
        else:
            self._enter(alone=alone)
        try:
            yield
        finally:
            self._leave()

    def _has_room(self, *, alone: bool) -> bool:
        return not self._within if alone else not self._is_alone

    def _enter(self, *, alone: bool) -> None:
        self._within += 1
        self._is_alone = alone

    def _leave(self) -> None:
        self._within -= 1
        self._is_alone = False
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and (self._waiting[0][0].done() or self._has_room(alone=self._waiting[0][1])):
            turn, alone = self._waiting.popleft()
            if not turn.done():  # else it was cancelled
                self._enter(alone=alone)
                turn.set_result(None)


@dataclass(slots=True)
class Spent:
    """The tokens of a call so far."""

    tokens: int = 0


_spent: ContextVar[Spent | None] = ContextVar("spent", default=None)


@contextmanager
def counting_tokens() -> Iterator[Spent]:
    """Count the tokens that are spent within the body, and in the tasks that it starts."""
    token = _spent.set(spent := Spent())
    try:
        yield spent
    finally:
        _spent.reset(token)


def spend(tokens: int) -> None:
    """Add a call's tokens to the count, if one is running."""
    if (spent := _spent.get()) is not None:
        spent.tokens += tokens


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
