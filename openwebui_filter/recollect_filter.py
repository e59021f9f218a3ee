"""
title: Recollect
author: Recollect
version: 0.1.0
license: Apache-2.0
description: Long-term memory: recalls facts from a user's earlier chats, and remembers new ones.
required_open_webui_version: 0.12.4
It never imports open_webui's own modules, knows no HTTP, SQL, prompts, nor keeps anything of one request.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import logging
import os
import sys
import traceback
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

if TYPE_CHECKING:
    from recollect.engine.live.live_engine import LiveEngine

_Secret = Annotated[str, Field(json_schema_extra={"input": {"type": "password"}})]
_IMPORT_SECONDS = 1.0
"""How long the first chats of a process wait for the package; then they go without memory, and are remembered all the same."""

_STARTING = {
    "en": "Memory is starting",
    "de": "Das Gedächtnis startet",
    "fr": "La mémoire démarre",
    "es": "La memoria se está iniciando",
    "zh": "记忆正在启动",
}

_Placement = Literal["stable", "system", "user", "off"]

log = logging.getLogger("recollect_openwebui")
_log_once = lru_cache(maxsize=16)(log.error)
_importing: list[asyncio.Task[Any]] = []
_opening: set[asyncio.Task[None]] = set()


def _data_dir() -> str:
    kept = Path(os.environ.get("DATA_DIR") or "/app/backend/data")  # the official image's volume
    return str(kept.resolve() / "recollect") if kept.is_dir() else ""


class Filter:
    """Recalls before an answer and remembers after it; whatever fails, the chat goes on."""

    class Valves(BaseModel):
        """The administrator's settings. Blank is the default of the engine's setting of that name."""

        priority: Annotated[int, Field(description="Order among the filters: lower runs first.")] = 0
        database_url: Annotated[_Secret, Field(description="postgresql://..., blank: embedded.")] = ""
        data_dir: Annotated[str, Field(description="Of the embedded one; keep it on a volume.")] = _data_dir()
        embedder: Annotated[str, Field(description="Of the log: openai:MODEL; blank: local.")] = ""
        embedder_base_url: Annotated[str, Field(description="For openai:MODEL, as https://host/v1.")] = ""
        embedder_api_key: Annotated[_Secret, Field(description="For openai:MODEL.")] = ""
        extraction_base_url: Annotated[str, Field(description="Of the LLM that extracts memories.")] = ""
        extraction_model: Annotated[str, Field(description="Its model: needed with that LLM.")] = ""
        extraction_api_key: Annotated[_Secret, Field(description="Its key.")] = ""
        record: Annotated[bool, Field(description="Off: of nobody is kept, or logged, what they say.")] = True
        recall_deadline_ms: Annotated[int, Field(gt=0, description="A chat waits no longer for it.")] = 300
        recall_gate: Annotated[float | None, Field(ge=-1, le=1, description="Blank: the embedder's.")] = None
        memory_tokens: Annotated[int, Field(ge=50, description="Tokens the memories of a turn take.")] = 1000
        placement: Annotated[_Placement, Field(description="Where in the prompt; stable: caches hold.")] = (
            "stable"
        )

    class UserValves(BaseModel):
        """Each user's own settings."""

        recall: Annotated[bool, Field(description="Use what I said in earlier chats.")] = True
        remember: Annotated[bool, Field(description="Remember what I say; off: not even logged.")] = True
        folders: Annotated[bool, Field(description="Keep what I say in a folder's chats to that folder.")] = (
            False
        )
        show_status: Annotated[bool, Field(description="Show what was recalled and remembered.")] = True
        hide_known: Annotated[bool, Field(description="Don't list what every chat knows of me.")] = True

    def __init__(self) -> None:
        # As the administrator has it, so that the first chat finds an open engine.
        self.valves = self.Valves()
        try:
            opening = asyncio.get_running_loop().create_task(_open(self.Valves))
        except RuntimeError:
            return  # no event loop runs at load time: the first chat opens it
        _opening.add(opening)
        opening.add_done_callback(_opening.discard)

    async def request(
        self,
        body: dict[str, Any],
        __user__: Any = None,
        __metadata__: Any = None,
        __request__: Any = None,
        __event_emitter__: Any = None,
    ) -> dict[str, Any]:
        """Add memories that help with this turn to the prompt.

        By then Open WebUI has made its own requests (searches, its task models), which get no memory.
        """
        try:
            openwebui = await _package(_IMPORT_SECONDS)
            if openwebui is None:
                await _tell_starting(__user__, __metadata__, __event_emitter__)
                return body
            call = openwebui.Call(__user__, __metadata__, __request__, __event_emitter__)
            await openwebui.recall(body, call, self._engine)
        except Exception as error:  # noqa: BLE001 -- whatever escapes here ends the user's chat
            _report(error)
        return body

    async def outlet(
        self,
        body: dict[str, Any],
        __user__: Any = None,
        __metadata__: Any = None,
        __request__: Any = None,
        __event_emitter__: Any = None,
    ) -> dict[str, Any]:
        """Remember the exchange in the background."""
        try:
            openwebui = await _package()
            call = openwebui.Call(__user__, __metadata__, __request__, __event_emitter__)
            await openwebui.remember(body, call, self._engine)
        except Exception as error:  # noqa: BLE001 -- whatever escapes here keeps later filters from running
            _report(error)
        return body

    async def _engine(self) -> "LiveEngine":
        engine: LiveEngine = await (await _package()).engine_with(self.valves)
        return engine


async def _open(valves: Any) -> None:
    """Open the engine as Open WebUI keeps the valves, which it hands over with the first chat alone."""
    functions = getattr(sys.modules.get("open_webui.models.functions"), "Functions", None)
    try:
        if functions is not None:
            await (await _package()).open_as_kept(functions, __name__, valves)
    except Exception as error:  # noqa: BLE001 -- the first chat tries again, and reports a failure
        _report(error)


async def _tell_starting(user: Any, metadata: Any, emit: Any) -> None:
    """Say that there is no memory yet, where there is an answer in a chat to say it over."""
    known, shows_status = metadata or {}, getattr((user or {}).get("valves"), "show_status", False)
    if emit is not None and shows_status and known.get("chat_id") and known.get("message_id"):
        language = str((known.get("variables") or {}).get("{{USER_LANGUAGE}}")).partition("-")[0].lower()
        line = _STARTING.get(language, _STARTING["en"])
        await emit({"type": "status", "data": {"description": line, "done": True}})


async def _package(seconds: float | None = None) -> Any:
    """Return the package, imported in a thread: others chat meanwhile, and Open WebUI disables a filter that fails to load.

    Args:
        seconds: How long to wait for it at most; after them it is None.
    """
    if not _importing:
        _importing.append(asyncio.create_task(asyncio.to_thread(import_module, "recollect_openwebui")))
    importing = _importing[0]
    await asyncio.wait({importing}, timeout=seconds)
    if not importing.done():
        return None
    if importing.exception() is not None and importing in _importing:
        # The next chat tries again: it may be installed by then. Others who waited for this import remove no newer one.
        _importing.remove(importing)
    return importing.result()


def _report(error: Exception) -> None:
    """Log what failed, by name and place: an exception's own message may quote the chat or a key."""
    if isinstance(error, ImportError):
        missing = str(error.name).partition(".")[0]
        _log_once("Recollect: no chat has memory, module %s is missing: see the README.", missing)
    elif isinstance(error, ValidationError):
        wrong = ", ".join(
            str((mistake["loc"] or ("valves",))[0]) for mistake in error.errors(include_input=False)
        )
        log.error("Recollect: a valve makes no sense, no chat has memory: %s", wrong)
    else:
        place = traceback.extract_tb(error.__traceback__)[-1]
        log.error("Recollect: a chat had no memory: %s in %s", type(error).__name__, place.name)
