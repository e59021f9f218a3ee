"""Guards the model calls of the background: a circuit breaker, a daily token budget, and priority for chats.

The breaker is that of Nygard, Release It!: closed, open, half open.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import structlog

from recollect.errors import (
    BudgetSpentError,
    CredentialGoneError,
    ExtractorError,
    ExtractorPausedError,
    ExtractorUnusableError,
    InvalidExtractionError,
    StoreError,
    UpstreamPolicyError,
)
from recollect.model.statistics import ANSWER_SECONDS, Histogram
from recollect.models.background_limits import Yielding, counting_tokens, waiting_for_others
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.users import UsageLog

FAILURES = 5
"""The failures in a row that open the breaker."""

FAILED_SECONDS = 240.0
"""Fewer failures in a row open it, too, if they took this long in all: a slow failure costs as much as several quick ones."""

_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(minutes=10)  # so that memories come soon after a long outage

_TOLD_AGAIN = timedelta(hours=1)
_CAUSES_KEPT = 100

_WHEN_UNREADABLE = (
    "The model does not keep to the form that it is asked for. {} Name a larger model, or one that takes a JSON schema, as "
    "RECOLLECT_EXTRACTION_MODEL."
)
_WHEN_UNUSABLE = "No model can be asked: look at RECOLLECT_EXTRACTION_MODEL, RECOLLECT_EXTRACTION_BASE_URL and the upstreams of the settings."
_WITHOUT_KEY = (
    "No model can be asked without a key. Name one of its own as RECOLLECT_EXTRACTION_API_KEY, or RECOLLECT_UPSTREAM_API_KEY: a chat's own key "
    "is lent to the proxy's own worker alone, and is gone when that starts again; it comes back with the person's next chat."
)

log = structlog.get_logger(__name__)


class Work(StrEnum):
    """The work that calls a model."""

    FORMING = "forming"
    SUMMARIES = "summaries"
    HINTS = "hints"
    """Hints of statements that have none. Recall works without them, so no warning is logged if no model can be asked or its answer can't be read."""


_UNREAD = {
    Work.FORMING: "An exchange is tried again a few times, and waits then.",
    Work.SUMMARIES: "A summary is tried again a few times, and left out then.",
}
_MEANWHILE = {
    Work.FORMING: "Until then exchanges wait, and are formed afterwards.",
    Work.SUMMARIES: "Until then chats are not summarized.",
}


class Metered(Protocol):
    """An answer with its cost."""

    @property
    def tokens(self) -> int:
        """The tokens of the call."""
        ...


T = TypeVar("T", bound=Metered)


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The tokens that background calls may use on one day (UTC), for one user and for all; 0: unlimited."""

    user: int = 0
    everybody: int = 0


@dataclass(frozen=True, slots=True)
class CallStatistics:
    """Counts of a model's calls, and the state of its circuit breaker.

    Attributes:
        left_alone_until: Until when the model is not called, as they failed too often; None: it is called.
        errors: How often that failed or was not let through, by the error's name.
    """

    failures: int = 0
    left_alone_until: datetime | None = None
    opened: int = 0
    calls: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    given_up: int = 0
    seconds: Histogram = field(default_factory=partial(Histogram.over, ANSWER_SECONDS))


@dataclass(slots=True)
class CircuitBreaker:
    """Pauses calls to a failing server: for a while after several failures, then for twice as long.

    Attributes:
        open_until: Until when it is left alone; None while it is not.
    """

    failures: int = 0
    seconds: float = 0.0
    open_until: datetime | None = None
    opened: int = 0
    _pause: timedelta = field(default=_FIRST_PAUSE)
    _trying: bool = False

    def enter(self, at: datetime) -> None:
        """Request permission for a call.

        Raises:
            ExtractorPausedError: It is left alone.
        """
        if self.open_until is None:
            return
        # A pause has not more left than it had: else the clock was set back since.
        if timedelta() < self.open_until - at <= self._pause:
            raise ExtractorPausedError(self.open_until)
        if self._trying:  # one call finds out whether it is back; the others wait for that
            raise ExtractorPausedError(at + _FIRST_PAUSE)
        self._trying = True

    def succeed(self) -> None:
        """Note that a call succeeded."""
        self.failures, self.seconds, self.open_until = 0, 0.0, None
        self._pause, self._trying = _FIRST_PAUSE, False

    def fail(self, at: datetime, seconds: float = 0.0) -> None:
        """Note that a call failed by the server's fault, after so many seconds."""
        self.failures += 1
        self.seconds += seconds
        if self._trying:
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        if self._trying or self.failures >= FAILURES or self.seconds >= FAILED_SECONDS:
            self.open_until = at + self._pause
            self.opened += 1
            log.warning(
                "model_calls_paused", failures=self.failures, pause_seconds=self._pause.total_seconds()
            )
        self._trying = False

    def give_up(self) -> None:
        """Note that a call ended without evidence about the server."""
        self._trying = False


class RareWarnings:
    """Warns of errors that may come with every turn: of each cause once an hour."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], datetime] = {}

    def tell(self, event: str, at: datetime, *, remedy: str, **cause: str) -> None:
        """Warn of a cause, unless that was done within the hour; nothing of a model's answer is said."""
        known = (event, "\n".join(cause.values()))
        said = self._told.get(known)
        if said is not None and at - said < _TOLD_AGAIN:
            return
        if len(self._told) >= _CAUSES_KEPT:  # clients may name any model
            self._told.clear()
        self._told[known] = at
        log.warning(event, **cause, remedy=remedy)


class CallGuard:
    """Admits background calls, or raises the reason why not.

    Attributes:
        errors: How many of the calls failed or were not let through, by the error's name.
    """

    def __init__(
        self,
        usage: "UsageLog",
        budget: TokenBudget,
        clock: Clock,
        yielding: Yielding | None = None,
        *,
        work: Work = Work.FORMING,
    ) -> None:
        self._usage = usage
        self._budget = budget
        self._clock = clock
        self._yielding = yielding or Yielding()
        self._work = work
        self.breaker = CircuitBreaker()
        self._warnings = RareWarnings()
        self.calls = self.tokens = 0
        self.errors: Counter[str] = Counter()
        self._seconds = Histogram.over(ANSWER_SECONDS)

    @property
    def guarded(self) -> CallStatistics:
        """The statistics of the calls."""
        breaker = self.breaker
        return CallStatistics(
            breaker.failures,
            breaker.open_until,
            breaker.opened,
            self.calls,
            dict(self.errors),
            self._yielding.given_up,
            self._seconds,
        )

    async def call(self, user_id: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return a model's answer, and count its tokens.

        Raises:
            ExtractorPausedError: It failed too often, and is left alone.
            BudgetSpentError: The day's budget is spent, of the user or of all.
            YieldedError: A chat comes first.
            ExtractorError: It failed, as the port says.
        """
        self.calls += 1
        try:
            return await self._let_through(user_id, ask)
        except ExtractorError as error:
            self.errors[type(error).__name__] += 1
            raise

    async def _let_through(self, user_id: str, ask: Callable[[], Awaitable[T]]) -> T:
        await self._require_budget(user_id)
        began = self._clock()
        self.breaker.enter(began)
        with counting_tokens() as spent:
            try:
                with waiting_for_others():
                    answered = await self._yielding.call(user_id, ask)
            except BaseException as error:  # a cancelled call has cost tokens, too
                self._note(error, began)
                # The error and the attempts may count the same tokens.
                of_error = error.tokens if isinstance(error, ExtractorError) else 0
                if tokens := max(of_error, spent.tokens):
                    await self._count(user_id, tokens)
                raise
        self.breaker.succeed()
        self._seconds.observe(max(0.0, (self._clock() - began).total_seconds()))
        await self._count(user_id, answered.tokens)
        return answered

    def _note(self, error: BaseException, began: datetime) -> None:
        """Update the breaker by an error about the server."""
        if isinstance(error, InvalidExtractionError):
            self.breaker.succeed()  # the server answers; only this call failed
            if self._work in _MEANWHILE:
                self._warnings.tell(
                    "model_answer_rejected",
                    self._clock(),
                    model=error.model or "unknown",
                    remedy=_WHEN_UNREADABLE.format(_UNREAD[self._work]),
                )
        elif (
            isinstance(error, ExtractorError)
            and not isinstance(error, ExtractorUnusableError)
            and not error.is_of_one
        ):
            now = self._clock()
            self.breaker.fail(now, (now - began).total_seconds())
        else:
            self.breaker.give_up()
            # A call that a policy forbids is as its operator wants it.
            is_meant = isinstance(error, UpstreamPolicyError) or self._work not in _MEANWHILE
            if isinstance(error, ExtractorUnusableError) and not is_meant:
                advice = _WITHOUT_KEY if isinstance(error, CredentialGoneError) else _WHEN_UNUSABLE
                meanwhile = _MEANWHILE[self._work]
                self._warnings.tell(
                    "model_rejected", self._clock(), detail=str(error), remedy=f"{advice} {meanwhile}"
                )

    async def _require_budget(self, user_id: str) -> None:
        if not (self._budget.user or self._budget.everybody):
            return
        used = await self._usage.used(user_id, self._clock().date())
        if 0 < self._budget.user <= used.user or 0 < self._budget.everybody <= used.everybody:
            raise BudgetSpentError

    async def _count(self, user_id: str, tokens: int) -> None:
        self.tokens += tokens
        try:
            today = self._clock().date()
            await self._usage.use(user_id, today, tokens, for_summary=self._work is Work.SUMMARIES)
        except StoreError as error:  # the answer was paid for, and is used without its count
            log.warning("usage_count_failed", error=type(error).__name__, detail=str(error))
