"""Erases users and chats that were deleted in Open WebUI, however long the store is unavailable."""

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

from recollect.assembly.host_engine import running_engine
from recollect.engine import Engine
from recollect.errors import StoreError, raised_at
from recollect.model import Erasure, Scope
from recollect.text.patterns import anchored
from recollect_openwebui.hook_call import in_background

_LOOK_SECONDS, _LOOK_SECONDS_AT_MOST = 1.0, 60.0
"""The first and the longest pause between attempts while there is no engine or its store is unavailable; each is twice the last."""

_OFFICIAL_IMAGE = "/app/backend/data"
_CHAT_ID = anchored(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
"""The id of a chat in Open WebUI; chats of its API have others."""

log = structlog.get_logger(__name__)


class _ErasureRequest(NamedTuple):
    """The extent of an erasure, as ``begin_erasing`` is given it."""

    user_id: str
    chat_id: str | None
    begun_before: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


def begin_erasing(user_id: str, chat_id: str | None, begun_before: datetime | None = None) -> None:
    """Erase in the background, as soon as this process has an engine and the engine its store.

    Until then the request waits as a file in Open WebUI's data folder, where a later process finds it at its first chat.

    Args:
        user_id: The user.
        chat_id: The chat to erase, with the memories learned from it alone; None: all chats of Open WebUI, whose ids are
            UUIDs, so that chats of its API stay; "": everything of the user.
        begun_before: With all chats, the erasure spares those begun later, since it may run hours after the request.
    """
    in_background(_once_possible(_ErasureRequest(user_id, chat_id, begun_before)))


def resume_erasing() -> None:
    """Start the erasures that an earlier process could not finish.

    Raises:
        OSError: The folder of waiting requests can't be read.
    """
    folder = _folder()
    for file in sorted(folder.glob("*.json")) if folder is not None else ():
        try:
            request = _read_request(file)
        except FileNotFoundError:
            continue  # another process has done it
        except (OSError, ValueError, msgspec.DecodeError) as error:
            log.error("erasure_read_failed", file=file.name, error=type(error).__name__)  # noqa: TRY400 -- the file is named
            continue
        in_background(_once_possible(request, file))


async def _once_possible(request: _ErasureRequest, file: Path | None = None) -> None:
    is_done, seconds = await _erased(request), _LOOK_SECONDS
    if not is_done and file is None:
        file = _written(request)
        log.warning(
            "erasure_postponed", user_id=request.user_id, reason="no engine or its store is there yet"
        )
    while not is_done:
        await asyncio.sleep(seconds)
        is_done, seconds = await _erased(request), min(2 * seconds, _LOOK_SECONDS_AT_MOST)
    if file is not None:
        with suppress(OSError):  # the next process does it again, and finds nothing
            file.unlink(missing_ok=True)


async def _erased(request: _ErasureRequest) -> bool:
    live = running_engine()
    if live is None or live.engine is None:
        return False
    try:
        await _erase(live.engine, request)
    except StoreError:
        return False
    return True


async def _erase(engine: Engine, request: _ErasureRequest) -> None:
    if request.chat_id == "":
        _log_erasure(await engine.erase(request.user_id))
        return
    for scope in await engine.scopes_of(request.user_id):
        if request.chat_id is not None:
            _log_erasure(await engine.erase_session(Scope(scope, request.chat_id)))
            continue
        for each in await engine.sessions(scope, begun_before=request.begun_before):
            if _CHAT_ID.fullmatch(each):
                _log_erasure(await engine.erase_session(Scope(scope, each)))


def _log_erasure(erasure: Erasure) -> None:
    log.info("data_erased", erasure_id=str(erasure.id), rows=sum(count for _, count in erasure.rows))


def _written(request: _ErasureRequest) -> Path | None:
    """Write a request to a file; return None if that is impossible: then it is lost with the process."""
    try:
        folder = _folder()
        if folder is None:
            return None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = folder / f"{uuid4()}.json"
        beside = file.with_suffix(".part")  # after a crash the file is whole, or missing
        beside.write_text(json.dumps(request, default=datetime.isoformat), "utf-8")
        beside.replace(file)
    except OSError as error:
        log.error("erasure_save_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- it goes on
        return None
    return file


def _read_request(file: Path) -> _ErasureRequest:
    """Return the request in a file.

    Raises OSError if it can't be read, ValueError if it is no regular file, DecodeError if it holds none.
    """
    if not stat.S_ISREG(file.lstat().st_mode):  # a link may lead anywhere, a pipe is waited for
        raise ValueError
    return msgspec.json.decode(file.read_bytes(), type=_ErasureRequest)


def _folder() -> Path | None:
    """Return the folder of waiting requests; None if Open WebUI has no data folder."""
    data = Path(os.environ.get("DATA_DIR") or _OFFICIAL_IMAGE)
    return data / "recollect" / "to-erase" if data.is_dir() else None
