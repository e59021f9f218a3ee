"""
title: Recollect's events
author: Recollect
version: 0.1.0
license: Apache-2.0
description: Erases the memories of deleted accounts and deleted chats; with the proxy shows new memories.
required_open_webui_version: 0.12.4
It never imports open_webui's own modules, knows SQL, which engine there is, nor keeps anything of one event once it is done.
It needs the package only where the filter does; with the proxy it calls the memory API.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import logging
import re
import sys
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from itertools import chain, repeat
from typing import Annotated, Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

_Secret = Annotated[str, Field(json_schema_extra={"input": {"type": "password"}})]

_DELAYS, _LONG_DELAY = (1.0, 5.0, 30.0), 60.0
_TRYING_SECONDS = 3600.0
"""Between two tries to reach the memory API; and from the first on for how long there is another."""

_WAIT_SECONDS = 300
"""The seconds for which the memory API waits for memories of an answer. The person's next answer shows later ones."""

_CHAT_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
"""A chat of Open WebUI's; one that its API had has no such id."""

_MY_MEMORIES = "title: My memories\nauthor: Recollect\n"
"""By these lines its code is known."""

_NO_IDS = {".", ".."}
"""In a path they name the folder above: all of a user instead of one chat."""

log = logging.getLogger("recollect_openwebui")


class Event:
    """Erases users and chats that are deleted, by the engine of the Recollect filter or by the proxy's memory API."""

    class Valves(BaseModel):
        """The administrator's settings."""

        erase_chats: Annotated[bool, Field(description="Forget what a deleted chat taught, too.")] = True
        memory_api: Annotated[
            str,
            Field(description="With the proxy: http://recollect:8787/memory. Blank: the filter's engine."),
        ] = ""
        key: Annotated[_Secret, Field(description="Of that memory API: recollect key --acting NAME.")] = ""
        show_remembered: Annotated[
            bool, Field(description="With the proxy: show over an answer what it taught, once that is known.")
        ] = True

    def __init__(self) -> None:
        self.valves = self.Valves()
        self._running: set[asyncio.Task[None]] = set()  # the loop itself keeps no task that waits

    async def event(self, event: dict[str, Any]) -> None:
        """Begin to erase a deleted user or chat; whatever else happens is nothing to us."""
        if self.valves.memory_api and self.valves.show_remembered and event.get("event") == "chat.finished":
            self._begin(_tell_taught(self.valves.model_copy(), event.get("data") or {}))
            return
        at = datetime.now(UTC)  # the event's own time is cut to seconds: a chat of this second would stay
        gone = _gone(event, chats=self.valves.erase_chats)
        if gone is None:
            return
        if self.valves.memory_api:
            self._begin(_erase_there(self.valves.model_copy(), *gone, at))
        else:
            await _begin_here(*gone, at)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        begun = asyncio.create_task(work)
        self._running.add(begun)
        begun.add_done_callback(self._running.discard)


def _gone(event: dict[str, Any], *, chats: bool) -> tuple[str, str | None] | None:
    """Return the user, and what of theirs is deleted: "" the account, an id that chat, None all chats; None if nothing is."""
    subject, data = event.get("subject") or {}, event.get("data") or {}
    found = _deletion_in(event, subject, data, chats=chats)
    if found is not None and _NO_IDS & {*found}:
        log.error("Recollect: nothing is erased of what was deleted: a dot or two are no id")
        return None
    return found


def _deletion_in(event: Any, subject: Any, data: Any, *, chats: bool) -> tuple[str, str | None] | None:
    match event.get("event"), subject.get("type"), subject.get("id"):
        case "user.deleted", "user", str(user_id) if user_id:
            return user_id, ""
        case "chat.deleted", "chat", str(chat_id) if chat_id and chats and data.get("owner_id"):
            return str(data["owner_id"]), chat_id
        case "chat.deleted_all", "user", str(user_id) if user_id and chats:
            return user_id, None
        case _:
            return None


async def _begin_here(user_id: str, chat_id: str | None, at: datetime) -> None:
    try:
        await asyncio.to_thread(__import__, "recollect_openwebui")  # may take long, once: others chat
        import recollect_openwebui as openwebui  # noqa: PLC0415 -- Open WebUI must be able to load it without
    except ImportError as error:
        missing = str(error.name).partition(".")[0]
        log.error("Recollect: nothing of user %s is erased, module %s is missing", user_id, missing)  # noqa: TRY400 -- the line says it all
        return
    openwebui.begin_erasing(user_id, chat_id, at if chat_id is None else None)


async def _erase_there(valves: Any, user_id: str, chat_id: str | None, at: datetime) -> None:
    """Call the memory API until it has erased it, or refuses to, or an hour is over."""
    deadline = time.monotonic() + _TRYING_SECONDS
    headers = {"Authorization": f"Bearer {valves.key}"}
    user = f"{valves.memory_api.rstrip('/')}/users/{quote(user_id, safe='')}"
    for delay in chain(_DELAYS, repeat(_LONG_DELAY)):
        try:
            async with httpx.AsyncClient(headers=headers, timeout=60, trust_env=False) as client:
                for url in await _to_delete(client, user, chat_id, at):
                    (await client.delete(url)).raise_for_status()
        except Exception as error:  # noqa: BLE001 -- no one waits for its result
            if time.monotonic() + delay > deadline or not _may_pass(error):
                log.error("Recollect: not all of user %s is erased: %s", user_id, _error_text(error))  # noqa: TRY400 -- an exception's text may hold the address
                return
            await asyncio.sleep(delay)
        else:
            log.info("Recollect: erased what was deleted of user %s", user_id)
            return


async def _to_delete(client: httpx.AsyncClient, user: str, chat_id: str | None, at: datetime) -> list[str]:
    if chat_id is not None:
        return [f"{user}/sessions/{quote(chat_id, safe='')}" if chat_id else user]
    listed = await client.get(f"{user}/sessions", params={"begun_before": at.isoformat()})
    sessions = listed.raise_for_status().json()["sessions"]
    return [f"{user}/sessions/{each}" for each in sessions if _CHAT_ID.fullmatch(each)]


async def _tell_taught(valves: Any, answer: Any) -> None:
    """Show the memories from a message over its answer, as soon as the memory API knows them."""
    user_id, chat_id, answer_id = (
        str(answer.get(each) or "") for each in ("user_id", "chat_id", "message_id")
    )
    if _NO_IDS & {user_id, chat_id} or not (user_id and _CHAT_ID.fullmatch(chat_id) and answer_id):
        return
    try:
        # Open WebUI's own tables and sockets, as they are loaded: an event has neither the request nor a way to show
        # anything.
        chats, socket = (sys.modules[f"open_webui.{each}"] for each in ("models.chats", "socket.main"))
        kept = await chats.Chats.get_message_by_id_and_message_id(chat_id, answer_id)
        asked = {"message": kept["parentId"], "wait": _WAIT_SECONDS, "button": await _button()}
        headers = {"Authorization": f"Bearer {valves.key}"}
        user = f"{valves.memory_api.rstrip('/')}/users/{quote(user_id, safe='')}"
        async with httpx.AsyncClient(headers=headers, timeout=_WAIT_SECONDS + 60, trust_env=False) as client:
            answered = await client.post(f"{user}/sessions/{chat_id}/changes", json=asked)
        if line := answered.raise_for_status().json()["line"]:
            where = {"user_id": user_id, "chat_id": chat_id, "message_id": answer_id}
            emit = await socket.get_event_emitter(where)
            await emit({"type": "status", "data": {"description": line, "done": True}})
    except Exception as error:  # noqa: BLE001 -- the chat's next answer tells it; an exception's text may hold the address
        log.warning("Recollect: what was remembered is not shown: %s", _error_text(error))


async def _button() -> str | None:
    """Return the name of the function My memories; None if it is not switched on."""
    functions = getattr(sys.modules.get("open_webui.models.functions"), "Functions", None)
    actions = [] if functions is None else await functions.get_functions_by_type("action", active_only=True)
    return next((each.name[:64] for each in actions if _MY_MEMORIES in each.content), None)


def _may_pass(error: Exception) -> bool:
    """Return whether another try makes sense."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.is_server_error
    return isinstance(error, (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError))


def _error_text(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"the memory API answers {error.response.status_code}"
    return type(error).__name__
