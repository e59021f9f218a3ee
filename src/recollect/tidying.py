"""What the engine looks after by itself, now and then. Never: anything a chat waits for."""

import asyncio
from datetime import timedelta

import structlog

from recollect.errors import StoreError
from recollect.policy import Policy
from recollect.ports import Backends, Clock

_EVERY_SECONDS = 3600.0

log = structlog.get_logger(__name__)


async def keep_tidy(backends: Backends, policy: Policy, clock: Clock) -> None:
    """Let what was said before there was an index be indexed; then forget old requests, hour after hour."""
    await _quietly("enqueue_unindexed_failed", backends, policy, clock, is_first=True)
    while True:
        await _quietly("prune_requests_failed", backends, policy, clock, is_first=False)
        await asyncio.sleep(_EVERY_SECONDS)


async def _quietly(event: str, backends: Backends, policy: Policy, clock: Clock, *, is_first: bool) -> None:
    try:
        if is_first:
            await backends.index.enqueue_unindexed()
        else:
            await backends.requests.prune_requests(clock() - timedelta(days=policy.keep_requests_days))
    except StoreError as error:
        log.warning(event, error=type(error).__name__, detail=str(error))
