"""Forms memories, summarizes chats and indexes messages in the background.

All its calls of models share one budget. Forming and summarizing have a circuit breaker each.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

import structlog
from cachetools import LRUCache, TTLCache

from recollect.backends import Backends
from recollect.engine.background.inbox_drain import REST, TAKEN_DELAY, BatchFormer, InboxDrain
from recollect.engine.background.maintenance import Reembedding, maintain
from recollect.engine.background.model_waits import wake_all
from recollect.engine.background.summaries_and_hints import Hinting, Summaries
from recollect.engine.background.webhook_delivery import WebhookDelivery
from recollect.engine.counters import FormationCounts
from recollect.engine.kept_credentials import Credentials, LentCredential
from recollect.engine.policy import Batching, Policy
from recollect.errors import StoreError, YieldedError, described
from recollect.formation import Batch, CallGuard, CallStatistics, Extraction, Work
from recollect.index_run import Indexer, shorter_wait
from recollect.model import Strategy, Unread
from recollect.models.background_limits import Step, Steps, Yielding
from recollect.ports import Clock

if TYPE_CHECKING:
    from recollect.store.inbox import Inbox

_LOOK_SECONDS = 1.0
"""The pause between two counts of the answers that the log says are under way."""
_ANSWERED_WITHIN = timedelta(minutes=10)  # an older one belongs to a proxy that was killed
_TOLD_AFTER = timedelta(minutes=2)  # then the log tells the operator why nothing is formed
_SLOW_KEPT = 10_000  # a process that runs for months must not keep every id
_LOOK_AGAIN_SECONDS = 10.0  # while the store is away
# A chat may interrupt formation before it uses them, and asking again costs (decision 0031).
_EXTRACTED_KEPT, _EXTRACTED_SECONDS = 1_000, 3600.0

log = structlog.get_logger(__name__)


class Worker(Protocol):
    """Works for users in the background, in this process or another, and reports its counts and its calls of models."""

    @property
    def counts(self) -> FormationCounts: ...  # noqa: D102 -- see above

    @property
    def guarded(self) -> CallStatistics: ...  # noqa: D102 -- see above

    def lend(self, lent: LentCredential) -> None:
        """Let the worker use the credential of an exchange's own request, for a while; nothing stores it."""
        ...

    def clear_caches(self) -> None:
        """Empty the worker's caches of texts, after an erasure."""
        ...

    def note_running_chats(self, running: int) -> None:
        """Tell the worker how many chats run on the upstream now."""
        ...

    async def run(self) -> None:
        """Work until cancelled."""
        ...


class AbsentWorker:
    """Stands for a ``Worker`` elsewhere, which finds its work in the database."""

    counts = FormationCounts()
    guarded = CallStatistics()

    def lend(self, lent: LentCredential) -> None:
        """Do nothing: that worker uses a key of its own."""

    def clear_caches(self) -> None:
        """Do nothing: that worker's caches hold hashes and embeddings, which expire."""

    def note_running_chats(self, running: int) -> None:
        """Do nothing: that worker reads in the log which answers are under way."""

    async def run(self) -> None:
        """Wait until cancelled."""
        await asyncio.Event().wait()


class FormationWorker:
    """Forms, summarizes and indexes what users say, within this process; a ``Worker``.

    Unless it ``is_sent_chats``, it looks in the log for answers that are under way.
    """

    def __init__(
        self, backends: Backends, policy: Policy, clock: Clock, *, is_sent_chats: bool = True
    ) -> None:
        self._backends = backends
        self._store = backends.store
        self._policy = policy
        self._clock = clock
        self._credentials = Credentials()
        self._is_sent_chats = is_sent_chats
        self._slow: LRUCache[UUID, None] = LRUCache(_SLOW_KEPT)
        self._extracted: TTLCache[Batch, Extraction] = TTLCache(_EXTRACTED_KEPT, _EXTRACTED_SECONDS)
        self._yielding = Yielding(yields=policy.yields.to_chats, idle=policy.yields.idle)
        guard = partial(CallGuard, backends.store.usage, policy.budget, clock, self._yielding)
        self._guard = guard()
        self.steps = Steps(backends.store.attempts, clock)
        self.counts = FormationCounts()
        self._indexer = Indexer(
            backends.store.index,
            backends.embedder,
            backends.log_embedder,
            policy.embedded,
            logs=policy.reach.log,
            attempts=policy.attempts,
            steps=self.steps,
            generations=backends.generations,
        )
        # Breakers of their own: a chat too long for a model must not keep everybody's from being asked.
        common = (self._credentials, self.counts, self.steps, policy.attempts, self._yielding)
        self._summaries = Summaries(backends, guard(work=Work.SUMMARIES), *common, clock)
        self._hinting = Hinting(backends, guard(work=Work.HINTS), *common, bool(policy.extraction_model))

    @property
    def guarded(self) -> CallStatistics:
        """The state of the calls of the model that forms memories."""
        return self._guard.guarded

    def lend(self, lent: LentCredential) -> None:
        """Use the credential of an exchange's own request, for a while."""
        self._credentials.lend(lent)

    def clear_caches(self) -> None:
        """Do nothing: within one process the engine has emptied the caches."""

    def note_running_chats(self, running: int) -> None:
        """Give up calls to the server of these chats, and begin none there while they run."""
        self._yielding.note_running_chats(running)

    async def run(self) -> None:
        """Form memories of logged messages, and keep the index, until cancelled."""
        async with asyncio.TaskGroup() as running:
            running.create_task(self._store.jobs.run(self.drain))
            running.create_task(self._wake_all())
            running.create_task(maintain(self._backends, self._policy, self._clock))
            running.create_task(Reembedding(self._backends, self._indexer).run())
            if self._backends.webhook is not None:
                delivery = WebhookDelivery(self._store.events, self._backends.webhook, self._clock)
                running.create_task(delivery.run())
            if self._yielding.yields and not self._is_sent_chats:
                elsewhere = ChatsElsewhere(self._store.inbox, self._yielding, self._clock)
                running.create_task(elsewhere.watch())

    async def drain(self, user_id: str) -> timedelta | None:
        """Form and index a user's messages, as many as one run does; return how long to wait before the next run, if any."""
        policy = self._policy.under(await self._store.flags.flags(user_id))
        unread = None
        if policy.strategy is Strategy.OFF:  # by the operator's will, if not by their own
            own = await self._store.flags.own_flags(user_id)
            unread = None if own.formation is Strategy.OFF else Unread.OFF
        asks = policy.strategy in {Strategy.EXTRACT, Strategy.BOTH}
        inbox = InboxDrain(
            inbox=self._store.inbox,
            policy=policy,
            form=BatchFormer(
                self._backends, self._guard, policy, self._clock, self._indexer, self._extracted, unread
            ).form,
            credential=self._credentials.find,
            clock=self._clock,
            steps=self.steps,
            # Without a model, waiting gains nothing.
            batching=policy.batching if asks and self._backends.extractor else Batching(),
            yielding=self._yielding if asks and self._backends.extractor else Yielding(),
            slow=self._slow,
            extracted=self._extracted,
            forms_unread=asks and self._backends.extractor is not None,
            counts=self.counts,
        )
        again = await inbox.drain(user_id)
        if again == TAKEN_DELAY:
            return again  # its holder indexes as well, and would find the lease taken if this run did so now
        seen = () if again is None else await inbox.waiting(user_id)
        indexed = None if policy.only_logs else await self._keep_indexed(user_id)
        if again is None and asks:
            due = replace(policy.summarizing, zone=policy.zone, guidance=policy.guidance)
            again = await self._if_it_can(user_id, "summary_failed", partial(self._summaries.keep, due=due))
        if again is None and asks:
            again = await self._if_it_can(user_id, "hints_failed", self._hinting.give_hints)
        if again != REST and await inbox.waiting(user_id) not in {seen, ()}:
            again = timedelta()  # a later message found the lease taken: its own job comes late
        return shorter_wait(shorter_wait(again, indexed), await self._next_wake(user_id))

    async def _next_wake(self, user_id: str) -> timedelta | None:
        """Return when the first exchange that waits for a model is due; None if time alone makes none due."""
        due = await self._store.inbox.next_wake(user_id)
        return None if due is None else max(due - self._clock(), timedelta())

    async def _wake_all(self) -> None:
        """Try the exchanges that wait for a model once: a start may bring another model, or a key. Repeat until the store is there."""
        while True:
            try:
                if self._backends.extractor is not None:
                    await wake_all(self._backends, self._policy)
            except StoreError as error:
                log.warning("waiting_lookup_failed", error=type(error).__name__, detail=str(error))
                await asyncio.sleep(_LOOK_AGAIN_SECONDS)
            else:
                return

    async def _if_it_can(
        self, user_id: str, event: str, keep: Callable[[str], Awaitable[timedelta | None]]
    ) -> timedelta | None:
        """Do further work under the user's lease. Its failure is logged only: it must not keep an exchange from being formed."""
        try:
            async with self._store.inbox.lease(user_id) as taken:
                return await keep(user_id) if taken else None
        except YieldedError as error:
            return error.wait
        except Exception as error:  # noqa: BLE001 -- the chat's next turn tries again
            log.warning(event, **described(error))
            return None

    async def _keep_indexed(self, user_id: str) -> timedelta | None:
        """Index the remaining messages; one by one if a worker died over them, so that only the faulty message is given up."""
        async with self._store.inbox.lease(user_id) as taken:
            if not taken:
                return TAKEN_DELAY  # two runs at once would look like one that never ended
            async with self.steps.step(user_id, Step.INDEX, "") as begun:
                return await self._indexer.index_user(user_id, careful=begun > 1)


class ChatsElsewhere:
    """Counts in the log the answers that are under way."""

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
        except StoreError as error:  # the chats of the last look still count
            log.debug("chats_lookup_failed", error=type(error).__name__)
            return
        self._yielding.note_running_chats(running)
        if not running:
            self._idle_at = self._told_at = now
        elif now - self._told_at >= _TOLD_AFTER:
            self._told_at = now
            seconds = round((now - self._idle_at).total_seconds())
            log.info("formation_paused_for_chats", running=running, seconds=seconds)
