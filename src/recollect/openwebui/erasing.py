"""Erases people who are gone from Open WebUI, however long the store is away. Never: who decided that."""

import asyncio

import structlog

from recollect.assembly import running_engine
from recollect.errors import StoreError
from recollect.openwebui.background import in_background

_LOOK_SECONDS = 1.0

log = structlog.get_logger(__name__)


def begin_erasing(user_id: str) -> None:
    """Erase in the background everything of a person, as soon as this process has an engine and that its store.

    It is not written down that it waits: what ends with the process has to be erased by the memory API.
    """
    in_background(_erase(user_id))


async def _erase(user_id: str) -> None:
    is_told = False
    while not await _erased(user_id):
        if not is_told:
            log.warning("erasure_waits", user_id=user_id, reason="no engine is open in this process yet")
            is_told = True
        await asyncio.sleep(_LOOK_SECONDS)


async def _erased(user_id: str) -> bool:
    live = running_engine()
    if live is None or live.engine is None:
        return False
    try:
        erasure = await live.engine.erase(user_id)
    except StoreError:
        return False
    log.info("erased", erasure_id=str(erasure.id), rows=sum(count for _, count in erasure.rows))
    return True
