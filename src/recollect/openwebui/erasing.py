"""Erases people and chats that are gone from Open WebUI, however long the store is away. Never: who decided that."""

import asyncio
import json
import os
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import structlog

from recollect.assembly import running_engine
from recollect.engine import Engine
from recollect.errors import StoreError
from recollect.failures import place
from recollect.model import Erasure, Scope
from recollect.openwebui.background import in_background

_LOOK_SECONDS = 1.0
_OFFICIAL_IMAGE = "/app/backend/data"

log = structlog.get_logger(__name__)


class _Wish(NamedTuple):
    """What is to be erased: of whom; and which chat, or all that are Open WebUI's (None), or everything ("")."""

    user_id: str
    chat_id: str | None


def begin_erasing(user_id: str) -> None:
    """Erase in the background everything of a person, as soon as this process has an engine and that its store.

    While that can't be, the wish lies in a file in Open WebUI's data folder: a later process does it with its first chat.
    """
    in_background(_once_possible(_Wish(user_id, "")))


def begin_erasing_chat(user_id: str, chat_id: str) -> None:
    """Erase in the same way one chat of a person, and what only it taught."""
    in_background(_once_possible(_Wish(user_id, chat_id)))


def begin_erasing_chats(user_id: str) -> None:
    """Erase in the same way all chats that a person has in Open WebUI, whose ids are UUIDs; not those of its API."""
    in_background(_once_possible(_Wish(user_id, None)))


def resume_erasing() -> None:
    """Begin again what an earlier process could not do."""
    folder = _folder()
    for file in sorted(folder.glob("*.json")) if folder is not None else ():
        try:
            user_id, chat_id = json.loads(file.read_text("utf-8"))
            wish = _Wish(str(user_id), None if chat_id is None else str(chat_id))
        except (OSError, ValueError, TypeError) as error:
            log.error("erasure_unreadable", file=file.name, error=type(error).__name__)  # noqa: TRY400 -- the file is named
            continue
        in_background(_once_possible(wish, file))


async def _once_possible(wish: _Wish, file: Path | None = None) -> None:
    while not await _erased(wish):
        if file is None:
            file = _written(wish)
            log.warning("erasure_waits", user_id=wish.user_id, reason="no engine is open in this process yet")
        await asyncio.sleep(_LOOK_SECONDS)
    if file is not None:
        file.unlink(missing_ok=True)


async def _erased(wish: _Wish) -> bool:
    live = running_engine()
    if live is None or live.engine is None:
        return False
    try:
        await _erase(live.engine, wish)
    except StoreError:
        return False
    return True


async def _erase(engine: Engine, wish: _Wish) -> None:
    if wish.chat_id == "":
        _tell(await engine.erase(wish.user_id))
        return
    chats = [wish.chat_id] if wish.chat_id is not None else await engine.sessions(wish.user_id)
    for each in chats:
        if wish.chat_id is not None or _is_chat(each):
            _tell(await engine.erase_session(Scope(wish.user_id, each)))


def _tell(erasure: Erasure) -> None:
    log.info("erased", erasure_id=str(erasure.id), rows=sum(count for _, count in erasure.rows))


def _is_chat(session_id: str) -> bool:
    try:
        UUID(session_id)
    except ValueError:
        return False
    return True


def _written(wish: _Wish) -> Path:
    """Write down what is to be erased; where that can't be, the path is nobody's, and the wish ends with the process."""
    folder = _folder()
    file = (folder or Path(os.devnull)) / f"{uuid4()}.json"
    if folder is not None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_text(json.dumps(wish), "utf-8")
        except OSError as error:
            log.error("erasure_not_written", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- it goes on
    return file


def _folder() -> Path | None:
    """Return where wishes wait; None where Open WebUI has no data folder."""
    data = Path(os.environ.get("DATA_DIR") or _OFFICIAL_IMAGE)
    return data / "recollect" / "to-erase" if data.is_dir() else None
