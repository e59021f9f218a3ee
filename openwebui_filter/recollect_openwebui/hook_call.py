"""The call of a hook by Open WebUI: who speaks, and their turn; and work that goes on after it, for which no chat waits.

It knows no engine, raises into a chat only where an argument is missing, and logs nothing that anybody said.
"""

import asyncio
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog

from recollect.errors import raised_at
from recollect.model import LONGEST_TITLE, ROOT, TEAM, project_name, project_scope, team_name
from recollect.model.local_time import zone_named
from recollect.text.normalization import is_unfilled
from recollect.wire.turn import DetectedTurn, detect_turn

_NOT_A_PERSON = ("task", "internal", "automation_id")
"""The metadata of background tasks, sub-agents and automations."""

_PROJECT = "recollect_project"
"""The key under which the hooks of a request keep the project of its chat: "" for none, None if it is unknown."""

_OFF = "recollect_off"
"""The key that the filter `recollect_off`, a chat's switch, sets in the metadata of a request."""


@dataclass(frozen=True, slots=True)
class Call:
    """Open WebUI's arguments of a hook besides the body; None for missing ones.

    Attributes:
        user: The user: their id, and their settings as ``valves``.
        metadata: The metadata of the request; the same object for all its hooks.
        request: The web request; the same object for all models that a message goes to.
        emit: Shows an event with the answer, and stores it there.
    """

    user: Any = None
    metadata: Any = None
    request: Any = field(default=None, repr=False)
    emit: Any = field(default=None, repr=False)

    def has_switched_on(self, setting: str) -> bool:
        """Return whether the user switched this on; False if Open WebUI failed to read their settings, which may say "off"."""
        return bool(getattr((self.user or {}).get("valves"), setting, False))

    @property
    def shows(self) -> bool:
        """Whether there is an answer in a chat to show a status with, and the user wants one."""
        known = self.metadata or {}
        has_answer = bool(known.get("chat_id") and known.get("message_id"))
        return self.emit is not None and has_answer and self.has_switched_on("show_status")

    def off(self, messages: list[Any]) -> str:
        """Return which notice says that the user switched memory off: for this message, or as the chat begins; "" for none."""
        if (self.metadata or {}).get(_OFF):
            return "off.here"
        recalls, remembers = map(self.has_switched_on, ("recall", "remember"))
        if any(each.get("role") == "assistant" for each in messages) or (recalls and remembers):
            return ""
        return "off.record" if recalls else "off.recall" if remembers else "off.all"

    @property
    def language(self) -> Any:
        """The language of the user's page; None where Open WebUI names none."""
        return ((self.metadata or {}).get("variables") or {}).get("{{USER_LANGUAGE}}")

    def detect_turn(self, body: Any, messages: list[Any], *, setting: str) -> DetectedTurn:
        """Return the user's turn, as the proxy reads it, of the messages up to and including their own.

        There is none if no user is named, or this setting of theirs is off: ``recall`` or ``remember``.
        """
        user, known = self.user or {}, self.metadata or {}
        sent = known.get("user_message") or {}
        # A model's text is marked: timers and sub-agents speak as the user.
        written = (sent.get("meta") or {}).get("internal")
        if written or is_unfilled(user.get("id") or "") or not self.has_switched_on(setting):
            return DetectedTurn()
        if any(map(known.get, (*_NOT_A_PERSON, _OFF))) or known.get(_PROJECT, "") is None:
            return DetectedTurn()
        request = {"model": body.get("model"), "messages": messages, "stream": body.get("stream", False)}
        detected = detect_turn(
            msgspec.json.encode(request),
            user_id=project_scope(user["id"], known.get(_PROJECT, "")),
            session_id=known.get("chat_id"),
            message_id=known.get("user_message_id"),
            at=datetime.now(UTC),
            parent_id=(sent["parentId"] or ROOT) if "parentId" in sent else None,
            is_whole=True,
        )
        if detected.turn is None:
            return detected
        return replace(detected, turn=replace(detected.turn, zone=_zone(user, known)))


async def note_folder(call: Call) -> None:
    """Note the folder of a chat as its project, if the user wants that, once for all hooks of a request.

    A folder named `team:` and the id of a team is the user's part of that team, if they are in it; else nothing has a memory there.
    Where Open WebUI can't tell the folder, the message has no memory: it might be the wrong one.
    """
    known, user_id = call.metadata, (call.user or {}).get("id")
    if not isinstance(known, dict) or _PROJECT in known or not call.has_switched_on("folders"):
        return
    known[_PROJECT] = None
    folder = await _folder_of(known, user_id)
    team = team_named(await _name_of(folder, user_id)) if folder else None
    known[_PROJECT] = team or (project_name(folder) if folder else folder)


async def _folder_of(known: dict[str, Any], user_id: Any) -> str | None:
    """Return the id of a chat's folder, "" for none; None if nothing tells it.

    A call of Open WebUI's API that belongs to no chat names its folder. The database knows it for a chat, whatever the request says.
    """
    chat_id = known.get("chat_id")
    if not chat_id:
        return known.get("folder_id") or ""
    chats = getattr(sys.modules.get("open_webui.models.chats"), "Chats", None)
    if chats is None:
        return None
    folder: str | None = await chats.get_chat_folder_id(chat_id, user_id)
    if folder is None:  # also of a chat that Open WebUI failed to read: then there is no chat, either
        chat = await chats.get_chat_by_id_and_user_id(chat_id, user_id)
        folder = None if chat is None else chat.folder_id or ""
    return folder


async def folder_title(call: Call) -> tuple[str, str] | None:
    """Return the folder of a request's chat and its name, as Open WebUI shows it; None without one of the user's own."""
    folder_id, user_id = (call.metadata or {}).get(_PROJECT), (call.user or {}).get("id")
    name = await _name_of(folder_id, user_id) if folder_id else ""
    return (str(folder_id), name[:LONGEST_TITLE]) if name else None


async def _name_of(folder_id: str, user_id: Any) -> str:
    """Return the name of a folder of the user's own, as Open WebUI shows it; "" if there is none."""
    folders = getattr(sys.modules.get("open_webui.models.folders"), "Folders", None)
    folder = None if folders is None else await folders.get_folder_by_id_and_user_id(folder_id, user_id)
    return "" if folder is None else str(folder.name)


def team_named(folder: str) -> str | None:
    """Return the project of the team that the name of a folder tells; None if it tells none."""
    kind, _, name = folder.partition(":")
    team = team_name(name) if kind.strip().casefold() == TEAM.removesuffix(":") else None
    return None if team is None else f"{TEAM}{team}"


def _zone(user: Any, metadata: Any) -> str:
    """Return the time zone of the user's browser, or of their profile; "" where Open WebUI tells none."""
    zones = (metadata.get("variables") or {}).get("{{CURRENT_TIMEZONE}}"), user.get("timezone")
    return next((name for name in zones if isinstance(name, str) and zone_named(name) is not None), "")


log = structlog.get_logger(__name__)

_running: set[asyncio.Task[None]] = set()
"""The event loop holds only weak references to its tasks."""


def in_background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Run ``work`` as a background task; if it fails, the log has one line."""
    task = asyncio.create_task(_quietly(work))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 -- no caller waits for it
        log.warning("openwebui_notification_failed", error=type(error).__name__, raised_at=raised_at(error))
