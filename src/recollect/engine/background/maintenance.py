"""The engine's own upkeep: the index of messages, old records, and exchanges that never ended. Never: a chat waits for it."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, timedelta
from functools import partial
from itertools import count
from uuid import UUID

import structlog

from recollect.backends import Backends
from recollect.engine.background.telling import TOLD_FOR
from recollect.engine.policy import Policy
from recollect.errors import RecollectError
from recollect.indexing import embed_user, index_user
from recollect.model import ANSWERS_KEPT
from recollect.models.attempts import Step, Steps
from recollect.ports import Clock
from recollect.runtime.failures import raised_at

_EVERY_SECONDS = 3600.0
_RETRY_SECONDS = 60.0
_LOOK_SECONDS = 15.0

_DAYS_AHEAD = 8
"""So many days of requests have a part of their table made, today's among them: who is off for a weekend finds them there."""

_OPEN_AT_MOST = timedelta(minutes=10)
"""How long after its turn an answer is waited for: longer than models answer, and than a person leaves a tool's question.

Then the person's message is formed alone. An answer that comes later is still kept.
"""

_FAILED_AT_MOST = timedelta(seconds=30)
"""The same where the model failed: an SDK, or the person, asks once more within seconds, or not at all."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Indexer:
    """Keeps the index of users' messages.

    Attributes:
        backends: The stores and models.
        policy: Which messages are indexed, and how often that is tried.
        steps: Counts each attempt before it begins.
    """

    backends: Backends
    policy: Policy
    steps: Steps

    async def index(
        self, user_id: str, *, until: UUID | None = None, careful: bool = False
    ) -> timedelta | None:
        """Index a user's messages up to one, a run at a time; return after how long to come again, if at all.

        ``careful``: message by message, each given up in the end, where a worker did not live through it.
        """
        tried = partial(self.steps.step, user_id, Step.MESSAGE) if careful else None
        return await index_user(
            user_id,
            tried=tried,
            attempts=self.policy.attempts,
            index=self.backends.index,
            embedder=self.backends.embedder,
            log_embedder=self.backends.log_embedder,
            embedded=self.policy.embedded,
            messages=self.policy.reach.log,
            until=until,
            embeds_later=self.backends.generations.is_today,
        )

    async def embed_missing(self, user_id: str, *, log_too: bool = True) -> timedelta | None:
        """Embed what today's embedders did not embed of a user, or a run of it; return after how long to come again, if at all.

        Without ``log_too`` memories alone are embedded.
        """
        return await embed_user(
            user_id,
            index=self.backends.index,
            embedder=self.backends.embedder,
            log_embedder=self.backends.log_embedder,
            chunks=log_too and self.policy.reach.log,
        )


async def maintain(backends: Backends, policy: Policy, clock: Clock) -> None:
    """Look after the store until cancelled.

    Memories whose day has come are forgotten, and messages older than the operator keeps are erased. Messages from before the index are indexed, once. Old requests are forgotten, hour after hour. A message whose
    relay died, or whose answer failed and was not retried, is formed without an answer, within the minute.
    """
    async with asyncio.TaskGroup() as tidying:
        tidying.create_task(_forget(backends, policy, clock))
        tidying.create_task(_end_abandoned(backends, clock))
        tidying.create_task(_expire(backends, policy, clock))


async def _forget(backends: Backends, policy: Policy, clock: Clock) -> None:
    enqueued = False
    while True:
        if not enqueued:
            enqueued = await _quietly("enqueue_unindexed_failed", backends.index.enqueue_unindexed())
        now, requests = clock(), backends.requests
        await _quietly("request_days_failed", requests.prepare_days(now.astimezone(UTC).date(), _DAYS_AHEAD))
        old_requests = now - timedelta(days=policy.keep_requests_days)
        await _quietly("prune_requests_failed", requests.prune_requests(old_requests))
        await _quietly("prune_answers_failed", backends.answers.prune(now - ANSWERS_KEPT))
        if policy.log_days:
            before = now - timedelta(days=policy.log_days)
            strategy = policy.strategy if backends.extractor is not None else None
            erasing = backends.log.erase_old(before, at=now, strategy=strategy)
            await _quietly("erase_log_failed", erasing)
        if backends.webhook is None:
            await _quietly("prune_erasures_failed", backends.events.prune_erasures(now - TOLD_FOR))
        await asyncio.sleep(_EVERY_SECONDS if enqueued else _RETRY_SECONDS)


async def _expire(backends: Backends, policy: Policy, clock: Clock) -> None:
    """Forget the memories whose day has come, within the minute; by the operator's and people's rules within the hour.

    A busy person, or everybody if it failed, is looked at again in a minute.
    """
    minutes, done = int(_EVERY_SECONDS / _RETRY_SECONDS), True
    for minute in count():
        lifetimes = policy.lifetimes if minute % minutes == 0 or not done else None
        done = await _quietly("expiry_failed", backends.memories.expire(lifetimes, at=clock()))
        await asyncio.sleep(_RETRY_SECONDS)


async def _end_abandoned(backends: Backends, clock: Clock) -> None:
    while True:
        now = clock()
        ending = backends.log.end_abandoned(now - _OPEN_AT_MOST, failed=now - _FAILED_AT_MOST)
        await _quietly("end_abandoned_failed", ending)
        await asyncio.sleep(_LOOK_SECONDS)


async def _quietly(event: str, tidying: Awaitable[object]) -> bool:
    """Return whether it succeeded."""
    try:
        await tidying
    except Exception as error:  # noqa: BLE001 -- no error here may end formation, which runs at the same time
        # our own errors never quote a user; of others the log has the kind and the place only
        detail = str(error) if isinstance(error, RecollectError) else ""
        log.warning(event, error=type(error).__name__, detail=detail, raised_at=raised_at(error))
        return False
    return True
