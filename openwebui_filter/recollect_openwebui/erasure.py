"""Erases people and chats that are gone from Open WebUI, however long the store is away. Never: who decided that."""

import asyncio
import json
import os
import re
import stat
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from uuid import uuid4

import msgspec
import structlog

from recollect.assembly import running_engine
from recollect.engine import Engine
from recollect.errors import StoreError
from recollect.failures import place
from recollect.model import Erasure, Scope
from recollect.text.patterns import anchored
from recollect_openwebui.background import in_background

_LOOK_SECONDS, _LOOK_SECONDS_AT_MOST = 1.0, 60.0
"""How long it waits for an engine and its store before it looks again: twice as long each time."""

_OFFICIAL_IMAGE = "/app/backend/data"
_CHAT_ID = anchored(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
"""A chat of Open WebUI's; one of its API has no such id."""

log = structlog.get_logger(__name__)


class _Wish(NamedTuple):
    """What is to be erased: of whom; and which chat, or all that are Open WebUI's (None), or everything ("").

    Of all chats those go that had begun when it was wished: it may be done hours later.
    """

    user_id: str
    chat_id: str | None
    begun_before: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


def begin_erasing(user_id: str) -> None:
    """Erase in the background everything of a person, as soon as this process has an engine and that its store.

    While that can't be, the wish lies in a file in Open WebUI's data folder: a later process does it with its first chat.
    """
    in_background(_once_possible(_Wish(user_id, "")))


def begin_erasing_chat(user_id: str, chat_id: str) -> None:
    """Erase in the same way one chat of a person, and what only it taught."""
    in_background(_once_possible(_Wish(user_id, chat_id)))


def begin_erasing_chats(user_id: str, *, begun_before: datetime) -> None:
    """Erase in the same way all chats that a person had in Open WebUI then, whose ids are UUIDs; not those of its API.

    Args:
        user_id: Whose.
        begun_before: With its zone: when that was wished. What they chat later stays, whenever this can be done.
    """
    in_background(_once_possible(_Wish(user_id, None, begun_before)))


def resume_erasing() -> None:
    """Begin again what an earlier process could not do.

    Raises:
        OSError: Where wishes wait can't be looked into.
    """
    folder = _folder()
    for file in sorted(folder.glob("*.json")) if folder is not None else ():
        try:
            wish = _read(file)
        except FileNotFoundError:
            continue  # another process has done it
        except (OSError, ValueError, msgspec.DecodeError) as error:
            log.error("erasure_unreadable", file=file.name, error=type(error).__name__)  # noqa: TRY400 -- the file is named
            continue
        in_background(_once_possible(wish, file))


async def _once_possible(wish: _Wish, file: Path | None = None) -> None:
    is_done, seconds = await _erased(wish), _LOOK_SECONDS
    if not is_done and file is None:
        file = _written(wish)
        log.warning("erasure_waits", user_id=wish.user_id, reason="no engine or its store is there yet")
    while not is_done:
        await asyncio.sleep(seconds)
        is_done, seconds = await _erased(wish), min(2 * seconds, _LOOK_SECONDS_AT_MOST)
    if file is not None:
        with suppress(OSError):  # the next process does it again, and finds nothing
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
    if wish.chat_id is not None:
        _tell(await engine.erase_session(Scope(wish.user_id, wish.chat_id)))
        return
    for each in await engine.sessions(wish.user_id, begun_before=wish.begun_before):
        if _CHAT_ID.fullmatch(each):
            _tell(await engine.erase_session(Scope(wish.user_id, each)))


def _tell(erasure: Erasure) -> None:
    log.info("erased", erasure_id=str(erasure.id), rows=sum(count for _, count in erasure.rows))


def _written(wish: _Wish) -> Path | None:
    """Write down what is to be erased; None where that can't be: then the wish ends with the process."""
    try:
        folder = _folder()
        if folder is None:
            return None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = folder / f"{uuid4()}.json"
        beside = file.with_suffix(".part")  # who resumes sees a file whole, or not at all
        beside.write_text(json.dumps(wish, default=datetime.isoformat), "utf-8")
        beside.replace(file)
    except OSError as error:
        log.error("erasure_not_written", error=type(error).__name__, place=place(error))  # noqa: TRY400 -- it goes on
        return None
    return file


def _read(file: Path) -> _Wish:
    """Return what was written down.

    Raises:
        OSError: It can't be read.
        ValueError: It is no file of ours.
        msgspec.DecodeError: It is no wish.
    """
    if not stat.S_ISREG(file.lstat().st_mode):  # a link may lead anywhere, a pipe is waited for
        raise ValueError
    return msgspec.json.decode(file.read_bytes(), type=_Wish)


def _folder() -> Path | None:
    """Return where wishes wait; None where Open WebUI has no data folder."""
    data = Path(os.environ.get("DATA_DIR") or _OFFICIAL_IMAGE)
    return data / "recollect" / "to-erase" if data.is_dir() else None
