"""
title: Undo what was remembered
author: Recollect
version: 0.1.0
license: Apache-2.0
description: A button under an answer that takes back what Recollect remembered of that message.
required_open_webui_version: 0.12.4
It never knows open_webui's own modules, SQL, which engine there is, nor keeps anything of one request.
It needs the package only where the filter does; with the proxy it calls the memory API.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import logging
from typing import Annotated, Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

_Secret = Annotated[str, Field(json_schema_extra={"input": {"type": "password"}})]
_ICON = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNC"
    "AyNCIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjNzY3Njc2IiBzdHJva2Utd2lkdGg9IjEuNSIgc3Ryb2tlLWxpbmVjYXA9InJvdW5kIj"
    "48cGF0aCBkPSJNOSAxNCA0IDlsNS01TTQgOWgxMGE2IDYgMCAwIDEgMCAxMmgtMyIvPjwvc3ZnPg=="
)
_FAILED = {
    "en": "This could not be undone just now. Try again in a minute.",
    "de": "Das ließ sich gerade nicht rückgängig machen. Versuche es in einer Minute noch einmal.",
    "fr": "Impossible d’annuler pour le moment. Réessayez dans une minute.",
    "es": "Ahora no se ha podido deshacer. Inténtalo de nuevo en un minuto.",
    "zh": "暂时无法撤销，请一分钟后再试。",
}
_NOTHING = {
    "en": "No memory came from this message.",
    "de": "Aus dieser Nachricht stammt keine Erinnerung.",
    "fr": "Aucun souvenir ne vient de ce message.",
    "es": "Ningún recuerdo viene de este mensaje.",
    "zh": "没有记忆来自此消息。",
}
_ANSWER_SECONDS = 2.0
_NO_IDS = {None, "", ".", "..", "*"}

log = logging.getLogger("recollect_openwebui")


class Action:
    """Undoes the memories from one message, by the engine of the Recollect filter or by the proxy's memory API."""

    class Valves(BaseModel):
        """The administrator's settings."""

        memory_api: Annotated[
            str,
            Field(description="With the proxy: http://recollect:8787/memory. Blank: the filter's engine."),
        ] = ""
        key: Annotated[_Secret, Field(description="Of that memory API: recollect key --acting NAME.")] = ""

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.icon = _ICON

    async def action(
        self, body: Any, __user__: Any = None, __event_emitter__: Any = None, __event_call__: Any = None
    ) -> None:
        """Undo the memories, and report them."""
        language = await _language(__event_call__)
        try:
            if self.valves.memory_api.strip():
                valves = self.valves.model_copy()
                events = await _undone_there(valves, body, (__user__ or {}).get("id"), language)
            else:
                await asyncio.to_thread(__import__, "recollect_openwebui")  # may take long, once: others chat
                import recollect_openwebui as openwebui  # noqa: PLC0415 -- Open WebUI must be able to load it without

                events = await openwebui.undo(body, __user__, language)
        except Exception as error:  # noqa: BLE001 -- its message may quote the chat, and would be shown as it is
            log.error("Recollect: nothing was undone: %s", type(error).__name__)  # noqa: TRY400 -- as above
            events = [_passing(_in(language, _FAILED), "error")]
        for event in events if __event_emitter__ is not None else ():
            await __event_emitter__(event)


async def _language(call: Any) -> str | None:
    """Return the language that the person chose for Open WebUI's page; None if its tab does not say in time."""
    try:
        asked = call({"type": "execute", "data": {"code": "return localStorage.locale"}})
        language = await asyncio.wait_for(asked, _ANSWER_SECONDS)
    except Exception:  # noqa: BLE001 -- its errors are of many kinds, and the words are read instead
        return None
    return language[:35] if isinstance(language, str) and language.strip() else None


def _in(language: str | None, words: dict[str, str]) -> str:
    return words.get((language or "").partition("-")[0].lower(), words["en"])


async def _undone_there(valves: Any, body: Any, user_id: Any, language: str | None) -> list[dict[str, Any]]:
    """Undo it by the memory API, and return the notice to the person."""
    answer_id, said = (
        body.get("id"),
        [each for each in body.get("messages") or () if each.get("role") == "user"],
    )
    ids = [each.get("id") for each in body.get("messages") or ()]
    before = ids[: ids.index(answer_id)] if answer_id in ids else ids
    message = next((each["id"] for each in reversed(said) if each.get("id") in before), None)
    chat_id = body.get("chat_id")
    if not message or {user_id, chat_id} & _NO_IDS:
        return [_passing(_in(language, _NOTHING))]
    user = f"{valves.memory_api.strip().rstrip('/')}/users/{quote(user_id, safe='')}"
    headers = {"Authorization": f"Bearer {valves.key.strip()}"}
    async with httpx.AsyncClient(headers=headers, timeout=30, trust_env=False) as client:
        answer = await client.post(
            f"{user}/sessions/{quote(chat_id, safe='')}/undo", json={"message": message, "language": language}
        )
    if "exchange_not_found" in answer.text:
        return [_passing(_in(language, _NOTHING))]
    undone = answer.raise_for_status().json()
    line = undone["line"]
    if not undone["changes"]:
        return [_passing(line)]
    return [{"type": "status", "data": {"description": line, "done": True}}, _passing(line, "success")]


def _passing(content: str, kind: str = "info") -> dict[str, Any]:
    return {"type": "notification", "data": {"type": kind, "content": content}}
