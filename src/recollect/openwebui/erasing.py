"""Erases people and chats that are gone from Open WebUI, however long the store is away. Never: who decided that."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import structlog

from recollect.assembly import running_engine
from recollect.engine import Engine
from recollect.errors import StoreError
from recollect.model import Erasure, Scope
from recollect.openwebui.background import in_background

_LOOK_SECONDS = 1.0

log = structlog.get_logger(__name__)


def begin_erasing(user_id: str) -> None:
    """Erase in the background everything of a person, as soon as this process has an engine and that its store.

    It is not written down that it waits: what ends with the process has to be erased by the memory API.
    """
    in_background(_once_possible(lambda engine: engine.erase(user_id), user_id))


def begin_erasing_chat(user_id: str, chat_id: str) -> None:
    """Erase in the same way one chat of a person, and what only it taught."""
    scope = Scope(user_id, chat_id)
    in_background(_once_possible(lambda engine: engine.erase_session(scope), user_id))


def begin_erasing_chats(user_id: str) -> None:
    """Erase in the same way all chats that a person has in Open WebUI, whose ids are UUIDs; not those of its API."""

    async def erase_each(engine: Engine) -> None:
        for session_id in await engine.sessions(user_id):
            if _is_chat(session_id):
                _tell(await engine.erase_session(Scope(user_id, session_id)))

    in_background(_once_possible(erase_each, user_id))


async def _once_possible(erase: Callable[[Engine], Awaitable[Erasure | None]], user_id: str) -> None:
    is_told = False
    while not await _erased(erase):
        if not is_told:
            log.warning("erasure_waits", user_id=user_id, reason="no engine is open in this process yet")
            is_told = True
        await asyncio.sleep(_LOOK_SECONDS)


async def _erased(erase: Callable[[Engine], Awaitable[Erasure | None]]) -> bool:
    live = running_engine()
    if live is None or live.engine is None:
        return False
    try:
        erasure = await erase(live.engine)
    except StoreError:
        return False
    if erasure is not None:
        _tell(erasure)
    return True


def _tell(erasure: Erasure) -> None:
    log.info("erased", erasure_id=str(erasure.id), rows=sum(count for _, count in erasure.rows))


def _is_chat(session_id: str) -> bool:
    try:
        UUID(session_id)
    except ValueError:
        return False
    return True
