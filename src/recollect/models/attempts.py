"""Counts each attempt at a background step before it begins, and times it; and the tokens of a model's call while it runs.

If a step is tried again, the count shows that it took its worker down or never ended. It is then tried alone, so that no other
step is counted with it, and given up after a few attempts. A call that is given up returns no answer and no error that could name
its tokens. Never: the work of a step, the end of a worker, a budget.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import structlog

from recollect.errors import StoreError
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.attempts import Attempts

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
