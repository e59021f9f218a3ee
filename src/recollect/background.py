"""What is done for a user in the background: form, summarize, index. Never: which queue calls it.

The model's calls are guarded together: one budget, and a circuit breaker for what forms and for what sums up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import partial
from uuid import UUID

import structlog
from uuid_utils.compat import uuid7

from recollect.counting import FormationCounts
from recollect.errors import RecollectError
from recollect.failures import place
from recollect.formation import Budget, Forming, Guard
from recollect.inbox import Draining
from recollect.indexing import keep_indexed, soonest
from recollect.model import Exchange, Fallback, Formed, Strategy
from recollect.policy import Batching, Policy
from recollect.ports import Backends, Clock
from recollect.summarizing import Summaries

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """How the calls of models in the background stand.

    Attributes:
        tokens_today: What they took since midnight, UTC, for all users.
        budget: What they may take a day.
        failures: How often they failed in a row.
        left_alone_until: Until when no model is called, as they failed too often; None: they are called.
        opened: How often that happened since the start.
        calls: How often they were to be called since the start.
        errors: How often that failed or was not let through, by the error's name.
    """

    tokens_today: int
    budget: Budget
    failures: int
    left_alone_until: datetime | None
    opened: int
    calls: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UserUsage:
    """What models took in the background for one user.

    Attributes:
        day: Since midnight of which day, UTC.
        tokens: How many tokens.
        limit: How many they may take on a day; 0: any number.
    """

    day: date
    tokens: int
    limit: int


class Background:
    """Forms, summarizes and indexes what users say."""

    def __init__(
        self,
        backends: Backends,
        policy: Policy,
        clock: Clock,
        *,
        credential: Callable[[UUID], str | None],
    ) -> None:
        self._backends = backends
        self._policy = policy
        self._clock = clock
        self._credential = credential
        self._guard = Guard(backends.usage, policy.budget, clock)
        self.counts = FormationCounts()
        # A breaker of their own: a chat too long for a model must not keep everybody's from being asked.
        summing_up = Guard(backends.usage, policy.budget, clock)
        self._summaries = Summaries(backends, summing_up, clock, uuid7, credential, self.counts)

    async def drain(self, user_id: str) -> timedelta | None:
        """Form all that this user said, and index it, or a run of it; return after how long to come again, if at all."""
        policy = self._policy.under(await self._backends.flags.flags(user_id))
        asks = policy.strategy in {Strategy.EXTRACT, Strategy.BOTH}
        draining = Draining(
            inbox=self._backends.inbox,
            form=partial(self.form, policy=policy),
            credential=self._credential,
            clock=self._clock,
            # Who asks no model gains nothing by waiting.
            batching=policy.batching if asks and self._backends.extractor else Batching(),
            caps=policy.caps,
            tries=policy.tries,
            log_text=policy.log_text,
            counts=self.counts,
        )
        again = await draining.drain(user_id)
        indexed = await self._index(user_id)
        if again is None and asks:
            again = await self._summarize(user_id, policy)
            if await self._backends.inbox.pending(user_id, limit=1):
                again = timedelta()  # what was said meanwhile found the lease taken: its own job comes late
        return soonest(again, indexed)

    async def _summarize(self, user_id: str, policy: Policy) -> timedelta | None:
        """Summarize what is due; whatever fails there must keep no exchange from being formed."""
        try:
            async with self._backends.inbox.lease(user_id) as taken:
                return await self._summaries.keep(user_id, policy.summarizing) if taken else None
        except Exception as error:  # noqa: BLE001 -- the chat's next turn tries again
            detail = str(error) if isinstance(error, RecollectError) else ""
            log.warning("not_summarized", error=type(error).__name__, detail=detail, place=place(error))
            return None

    async def form(
        self, exchanges: Sequence[Exchange], *, policy: Policy, fallback: Fallback | None = None
    ) -> list[Formed]:
        """Return what exchanges change; they are indexed before.

        What was said is found as soon as what is understood from it. A backlog of older messages is left to the
        end of the drain: nobody is to wait for it.
        """
        last = exchanges[-1]
        await self._index(last.turn.scope.user_id, until=max(last.message_id, last.reply_id))
        forming = Forming(self._backends, self._guard, policy.rules, clock=self._clock, new_id=uuid7)
        return await forming.form(exchanges, strategy=policy.strategy, fallback=fallback)

    async def usage(self, user_id: str) -> UserUsage:
        """Return what models took for a user today."""
        day = self._clock().date()
        return UserUsage(day, (await self._backends.usage.used(user_id, day)).user, self._policy.budget.user)

    async def model_use(self) -> ModelUse:
        """Return how the calls of models stand."""
        now, breaker = self._clock(), self._guard.breaker
        used = await self._backends.usage.used_by_all(now.date())
        paused = breaker.open_until if breaker.open_until and breaker.open_until > now else None
        return ModelUse(
            used,
            self._policy.budget,
            breaker.failures,
            paused,
            breaker.opened,
            self._guard.calls,
            dict(self._guard.errors),
        )

    async def _index(self, user_id: str, *, until: UUID | None = None) -> timedelta | None:
        return await keep_indexed(
            user_id,
            index=self._backends.index,
            embedder=self._backends.embedder,
            embedded=self._policy.embedded,
            messages=self._policy.reach.log,
            until=until,
        )
