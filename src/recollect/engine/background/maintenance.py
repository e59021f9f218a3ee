"""Keeps the store tidy: the index, old records, exchanges that never ended, and vectors of an earlier embedder.

No chat waits for it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

import structlog

from recollect.backends import Backends
from recollect.engine.background.webhook_delivery import DELIVERED_FOR
from recollect.engine.policy import Policy
from recollect.errors import described
from recollect.index_run import Indexer
from recollect.model import ANSWERS_KEPT, EmbedderInUse, EmbedderPlace, EmbeddingState
from recollect.ports import Clock

_EVERY_SECONDS = 3600.0
_RETRY_SECONDS = 60.0
_LOOK_SECONDS = 15.0  # so that a failed answer's turn is formed within the minute

_DAYS_AHEAD = 8
"""How many days ahead the partitions of the table of requests are created: enough for a server that is off over a weekend."""

# Longer than models answer, and than a person leaves a tool's question. We do not ask whether the proxy of an exchange still lives:
# several may share a database, and a wrong guess would cost more than ten minutes (decision 0028).
_OPEN_AT_MOST = timedelta(minutes=10)
"""How long after its turn an answer is waited for; then the person's message is formed alone."""

# An SDK, or the person, asks once more within seconds, or not at all.
_FAILED_AT_MOST = timedelta(seconds=30)
"""How long an answer is waited for if the model failed."""

log = structlog.get_logger(__name__)


async def maintain(backends: Backends, policy: Policy, clock: Clock) -> None:
    """Look after the store until cancelled.

    It forgets memories whose lifetime is over, erases messages older than the operator keeps, indexes messages from before the index,
    once, and deletes old records of requests every hour. A message whose relay died, or whose answer failed and was not
    retried, is formed without an answer within a minute.
    """
    async with asyncio.TaskGroup() as tidying:
        tidying.create_task(_forget(backends, policy, clock))
        tidying.create_task(_end_abandoned(backends, clock))
        tidying.create_task(_expire(backends, policy, clock))


async def _forget(backends: Backends, policy: Policy, clock: Clock) -> None:
    enqueued = False
    while True:
        if not enqueued:
            enqueued = await _quietly("enqueue_unindexed_failed", backends.store.index.enqueue_unindexed())
        now = clock()
        await _quietly(
            "request_days_failed",
            backends.store.requests.prepare_days(now.astimezone(UTC).date(), _DAYS_AHEAD),
        )
        old_requests = now - timedelta(days=policy.keep_requests_days)
        await _quietly("prune_requests_failed", backends.store.retention.prune(old_requests))
        await _quietly("prune_answers_failed", backends.store.answers.prune(now - ANSWERS_KEPT))
        if policy.log_days:
            before = now - timedelta(days=policy.log_days)
            strategy = policy.strategy if backends.extractor is not None else None
            erasing = backends.store.log.erase_old(before, at=now, strategy=strategy)
            await _quietly("erase_log_failed", erasing)
        if backends.webhook is None:
            await _quietly("prune_erasures_failed", backends.store.events.prune_erasures(now - DELIVERED_FOR))
        await asyncio.sleep(_EVERY_SECONDS if enqueued else _RETRY_SECONDS)


async def _expire(backends: Backends, policy: Policy, clock: Clock) -> None:
    """Forget memories on their own day within a minute, and those that the operator's or people's rules end within an hour.

    People whose memory was being changed are tried again in a minute, and everybody if the store failed.
    """
    minutes, done = int(_EVERY_SECONDS / _RETRY_SECONDS), True
    for minute in count():
        lifetimes = policy.lifetimes if minute % minutes == 0 or not done else None
        done = await _quietly("expiry_failed", backends.store.memories.expire(lifetimes, at=clock()))
        await asyncio.sleep(_RETRY_SECONDS)


async def _end_abandoned(backends: Backends, clock: Clock) -> None:
    while True:
        now = clock()
        ending = backends.store.log.end_abandoned(now - _OPEN_AT_MOST, failed=now - _FAILED_AT_MOST)
        await _quietly("end_abandoned_failed", ending)
        await asyncio.sleep(_LOOK_SECONDS)


async def _quietly(event: str, tidying: Awaitable[object]) -> bool:
    """Return whether it succeeded."""
    try:
        await tidying
    except Exception as error:  # noqa: BLE001 -- no error here may end formation, which runs at the same time
        log.warning(event, **described(error))
        return False
    return True


_REEMBED_SECONDS = 5.0
_HELD = timedelta(minutes=2)  # how long a killed process keeps the others waiting
_USERS_AT_ONCE = 50

_REST = 1.0
"""The rest after a run, as a share of the run's duration: chats keep at least half a processor."""

_LONGEST_REST = 5.0
_FAILED_SECONDS = 60.0
_NEXT_RUN = timedelta(seconds=1)
"""If a user's next run is due later than this, some texts could not be embedded."""

_FAILURES = 3
"""After failures for this many users in a row, the embedder counts as unavailable."""


def names_of(backends: Backends) -> dict[EmbedderPlace, str]:
    """Return the names of the current embedders, by place."""
    return {
        EmbedderPlace.STATEMENTS: backends.embedder.name,
        EmbedderPlace.LOG: backends.log_embedder.name,
    }


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of the current embedders in the store.

    Attributes:
        is_complete: Whether they embedded everything, and no other embedder's vectors are left.
        waits: Whether other processes still use earlier embedders.
        since: When a process last used an earlier embedder; a user who is complete after that stays complete.
    """

    is_complete: bool
    waits: bool
    since: datetime | None

    @classmethod
    def from_embedders(cls, known: Sequence[EmbedderInUse], today: Mapping[EmbedderPlace, str]) -> "Standing":
        """Return the state of embedders from the store's knowledge."""
        placed = [each for each in known if each.place in today]
        own = [each for each in placed if today[each.place] == each.model]
        others = [each for each in placed if today[each.place] != each.model]
        is_complete = (
            len(own) == len(today) and not others and all(each.completed_at is not None for each in own)
        )
        times = [each.seen_at for each in others] or [
            each.chosen_at for each in own if each.completed_at is None
        ]
        return cls(is_complete, any(each.is_used for each in others), max(times, default=None))


async def embedding_state(backends: Backends) -> EmbeddingState:
    """Return the embedders and the progress of re-embedding; this reads a row of each user."""
    today, store = names_of(backends), backends.store.generations
    known = await store.known()
    standing = Standing.from_embedders(known, today)
    counts = await store.counts(standing.since or datetime.min.replace(tzinfo=UTC))
    return EmbeddingState(tuple(known), today, standing.is_complete, standing.waits, counts)


@dataclass(slots=True)
class Reembedding:
    """Replaces embeddings of earlier embedders, user by user. One process does it at a time, and any other can continue."""

    backends: Backends
    indexer: Indexer
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _failed: set[str] = field(default_factory=set)

    async def run(self) -> None:
        """Work until cancelled; whatever fails is logged and tried again."""
        wait = _REEMBED_SECONDS  # not at once: the first chats come first
        while True:
            await self.sleep(wait)
            wait = _REEMBED_SECONDS
            try:
                if self.backends.generations.is_today and not await self.go_on():
                    wait = _FAILED_SECONDS
            except Exception as error:  # noqa: BLE001 -- no error here may end formation, which runs at the same time
                log.warning("reembedding_failed", **described(error))
                wait = _FAILED_SECONDS

    async def go_on(self) -> bool:
        """Go from user to user until all are done, or another process does it; return whether none failed."""
        self._failed.clear()
        went_on = False
        today, store = names_of(self.backends), self.backends.store.generations

        async def held() -> bool:
            return await store.hold(today[EmbedderPlace.LOG], _HELD)

        while True:
            standing = Standing.from_embedders(await store.known(), today)
            # While other processes embed with an earlier embedder, their vectors would have to be replaced again.
            if standing.is_complete or standing.waits or standing.since is None or not await held():
                return True
            users = await store.users(standing.since, without=self._failed, limit=_USERS_AT_ONCE)
            if not users:
                break
            went_on = True
            if not await self._embed_all(users, held):
                return False
        if self._failed:
            return False
        for at, model in today.items():
            await store.complete(at, model)
        if went_on:  # an empty store is no news
            log.info("user_reembedded", **{at.value: model for at, model in today.items()})
        return True

    async def _embed_all(self, users: Sequence[str], held: Callable[[], Awaitable[bool]]) -> bool:
        """Embed the remaining texts of some users; return whether to go on with others: not if the embedder seems to be away."""
        failed = 0
        for each in users:
            if await self._embed(each, held):
                await self.backends.store.generations.mark(each)
                failed = 0
                continue
            self._failed.add(each)
            failed += 1
            if failed == _FAILURES or not await held():
                return False
        return True

    async def _embed(self, user_id: str, held: Callable[[], Awaitable[bool]]) -> bool:
        """Embed a user's remaining texts, with rests in between; return whether none are left."""
        while await held():
            began = time.monotonic()
            again = await self.indexer.embed_missing(user_id)
            await self.sleep(min(_REST * (time.monotonic() - began), _LONGEST_REST))
            if again is None:
                return True
            if again > _NEXT_RUN:
                return False
        return False
