"""A request that is to be done once, however often it is sent: ``Idempotency-Key``."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from recollect.api.failures import KEY_REUSED, STILL_UNDER_WAY
from recollect.engine import Engine
from recollect.errors import StoreError
from recollect.model import KeptAnswer
from recollect_proxy.memory_api.asked import Reply
from recollect_proxy.memory_api.errors import RefusedError

log = structlog.get_logger(__name__)


async def answered_once(
    engine: Engine, user_id: str, key: str, *, asked: bytes, status: int, act: Callable[[], Awaitable[Reply]]
) -> Reply:
    """Return what ``act`` returns; where the key has an answer, that, and nothing is done.

    A failure is not kept: the same key may be tried again.

    Args:
        engine: Keeps the answers.
        user_id: The owner of the key.
        key: The request's.
        asked: The whole request: method, path and body.
        status: The status of a kept answer.
        act: Does it.

    Raises:
        RefusedError: The key stands for another request, or its request is still under way.
    """
    request = hashlib.sha256(asked).digest()
    taken = await engine.reserve_answer(user_id, key, request)
    if isinstance(taken, KeptAnswer):
        return _kept(taken, request, status)
    try:
        reply = await act()
    except BaseException:
        await _release(engine, user_id, key, taken)
        raise
    assert isinstance(reply.body, bytes)  # noqa: S101 -- what streams takes no key
    try:
        await engine.keep_answer(user_id, key, reply.body, reply.headers.get("ETag"), taken=taken)
    except StoreError as error:  # it is done; sent again it is answered as under way, for a minute
        log.warning("idempotent_answer_save_failed", error=type(error).__name__)
    return reply


async def _release(engine: Engine, user_id: str, key: str, taken: Any) -> None:
    try:
        await engine.release_answer(user_id, key, taken=taken)
    except StoreError as error:  # it is free again after a minute
        log.warning("idempotency_key_release_failed", error=type(error).__name__)


def _kept(kept: KeptAnswer, request: bytes, status: int) -> Reply:
    if kept.request != request:
        raise RefusedError(KEY_REUSED)
    if kept.answer is None:
        raise RefusedError(STILL_UNDER_WAY)
    headers = {"Idempotency-Replayed": "true"} | ({"ETag": kept.etag} if kept.etag else {})
    return Reply(status, kept.answer, headers=headers)
