"""
title: My memories
author: Recollect
version: 0.1.0
license: Apache-2.0
description: A button under an answer that shows people what Recollect remembers of them, and lets them correct it.
required_open_webui_version: 0.12.4
It never knows open_webui's own modules, SQL, nor lets a memory's text run or get into the chat.
It needs the package only where the filter does; with the proxy it calls the memory API.
"""  # noqa: D205, D212 -- Open WebUI reads its metadata here, and only from the second line on

import asyncio
import json
import logging
import re
import secrets
import time
from typing import Annotated, Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

_Secret = Annotated[str, Field(json_schema_extra={"input": {"type": "password"}})]

_ICON = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNC"
    "AyNCIgZmlsbD0ibm9uZSIgc3Ryb2tlPSIjNzY3Njc2IiBzdHJva2Utd2lkdGg9IjEuNSIgc3Ryb2tlLWxpbmVjYXA9InJvdW5kIj"
    "48cGF0aCBkPSJNNyA0aDEwdjE2bC01LTQtNSA0ek0xMCA4aDRNMTAgMTFoNCIvPjwvc3ZnPg=="
)

_ANSWER_SECONDS, _IDLE_SECONDS = 40.0, 1800.0
"""How long the browser may take to answer (after 20 seconds it answers `wait`); how long the page stays open without a request."""

_LANGUAGE_SECONDS = 2.0
"""How long the browser may take to name the language; then it is English."""

_TOKEN_SECONDS = 1800.0
"""How long a token of the person's own is used; it holds for an hour."""

_PAGE, _CHANGES, _MOST, _HELD = 200, 50, 200, 500
"""Memories that the page reads at once; changes that it shows; memories that are forgotten, and decided, at once."""

_LONGEST = 8000
"""Characters of a memory's text."""

_NO_IDS = {"", ".", "..", "*"}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)

_KNOWN = {"away", "gone", "duplicate", "not_undoable", "invalid", "key"}
"""Why something can't be done; the page has the words."""

_OF_ONE = {"gone", "duplicate", "not_undoable"}
"""The reasons that concern one memory of several: the others still change."""

_REFUSALS = {400: "invalid", 401: "key", 403: "key", 404: "gone", 409: "not_undoable", 422: "invalid"}
_NOT_SET_UP = {
    "en": "Nobody has said yet where the memories are. An administrator has to set the valves of this function, "
    "`memory_api` and `key`, or to switch on the Recollect filter.",
    "de": "Noch hat niemand gesagt, wo die Erinnerungen sind. Ein Administrator muss die Valves dieser Funktion setzen, "
    "`memory_api` und `key`, oder den Filter Recollect einschalten.",
    "fr": "Personne n’a encore dit où sont les souvenirs. Un administrateur doit régler les valves de cette fonction, "
    "`memory_api` et `key`, ou activer le filtre Recollect.",
    "es": "Nadie ha dicho aún dónde están los recuerdos. Un administrador tiene que poner las valves de esta función, "
    "`memory_api` y `key`, o activar el filtro Recollect.",
    "zh": "尚未设置记忆的位置。请管理员设置此函数的 Valves（`memory_api` 和 `key`），或开启 Recollect 过滤器。",
}
_NOT_SHOWN = {
    "en": "Your memories could not be shown. Try again in a minute.",
    "de": "Deine Erinnerungen ließen sich nicht zeigen. Versuche es in einer Minute noch einmal.",
    "fr": "Impossible d’afficher vos souvenirs. Réessayez dans une minute.",
    "es": "No se han podido mostrar tus recuerdos. Inténtalo de nuevo en un minuto.",
    "zh": "无法显示您的记忆，请一分钟后再试。",
}

log = logging.getLogger("recollect_openwebui")
_js = json.dumps  # in ASCII; it becomes a script, not HTML


class Action:
    """Shows people their own memories, by the engine of the Recollect filter or by the proxy's memory API."""

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
        self._running: set[asyncio.Task[None]] = set()  # the loop itself keeps no task that waits

    async def action(
        self, body: Any, __user__: Any = None, __event_emitter__: Any = None, __event_call__: Any = None
    ) -> None:
        """Open the page for who pressed the button, whatever ``body`` says; it lives on when this has returned."""
        del body  # it comes from the browser, so it proves nothing
        user_id = (__user__ or {}).get("id")
        text = _NOT_SHOWN
        try:
            found = await _memories_of(user_id, self.valves.model_copy())
            if found is not None and __event_call__ is not None:
                showing = asyncio.create_task(_show(found, __event_call__, __event_emitter__))
                self._running.add(showing)
                showing.add_done_callback(self._running.discard)
                return
            text = _NOT_SET_UP
        except Exception as error:  # noqa: BLE001 -- Open WebUI would show its text as it is
            log.error("Recollect: no memories are shown: %s", type(error).__name__)  # noqa: TRY400 -- its text may hold the address
        await _tell(__event_emitter__, text, await _language(__event_call__))


async def _tell(emit: Any, told: dict[str, str], language: str) -> None:
    if emit is not None:
        content = told.get(language.partition("-")[0].lower(), told["en"])
        await emit({"type": "notification", "data": {"type": "error", "content": content}})


async def _language(call: Any) -> str:
    """Return the language that the person chose for Open WebUI's page; English if its tab does not say in time."""
    try:
        asked = call({"type": "execute", "data": {"code": "return localStorage.locale"}})
        language = await asyncio.wait_for(asked, min(_LANGUAGE_SECONDS, _ANSWER_SECONDS))
    except Exception:  # noqa: BLE001 -- its errors are of many kinds
        return "en"
    return language[:35] if isinstance(language, str) and language.strip() else "en"


async def _memories_of(user_id: Any, valves: Any) -> Any:
    """Return a person's memories, by the API or the filter's engine; None if there is neither, or no person is named."""
    if not isinstance(user_id, str) or user_id in _NO_IDS:
        return None
    if valves.memory_api.strip():
        return _ByApi(user_id, valves.memory_api, valves.key)
    try:
        await asyncio.to_thread(__import__, "recollect_openwebui")  # may take long, once: others chat
        import recollect_openwebui as openwebui  # noqa: PLC0415 -- Open WebUI must be able to load it without
    except ImportError:
        return None
    return openwebui.my_memories(user_id)


class RefusedError(LookupError):
    """It can't be done; its only argument is one of ``_KNOWN``. The filter's engine refuses by a LookupError, too."""


class _ByApi:
    """A person's memories by the memory API. It returns the same as ``recollect_openwebui.my_memories``."""

    def __init__(self, user_id: str, memory_api: str, key: str) -> None:
        self._base = f"{memory_api.strip().rstrip('/')}/users/{quote(user_id, safe='')}"
        self._key, self._token, self._made_at = key.strip(), "", 0.0

    async def html(self, language: str) -> str:
        return str(await self._ask("GET", "/openwebui-page", params={"language": language}))

    async def page(self, **query: Any) -> Any:
        given = {name: each for name, each in query.items() if each}
        return await self._ask("GET", "/memories", params=given)

    async def add(self, content: str) -> str:
        return str((await self._ask("POST", "/memories", json={"content": content}))["id"])

    async def correct(self, memory_id: str, content: str) -> None:
        await self._ask("PATCH", f"/memories/{memory_id}", json={"content": content})

    async def forget(self, memory_id: str) -> None:
        await self._ask("DELETE", f"/memories/{memory_id}")

    async def changes(self, *, limit: int, memory_id: str | None = None) -> Any:
        path = f"/memories/{memory_id}/changes" if memory_id else "/memories/changes"
        return (await self._ask("GET", path, params={"limit": limit}))["changes"]

    async def undo(self, change_id: str) -> None:
        await self._ask("POST", f"/memories/changes/{change_id}/undo")

    async def is_on(self) -> bool:
        flags = (await self._ask("GET", "/settings"))["effective"]
        return flags["recall"] is not False and flags["record"] is not False

    async def switch(self, *, on: bool) -> None:
        await self._ask("PATCH", "/settings", json=dict.fromkeys(("recall", "record"), None if on else False))

    async def instructions(self) -> str:
        return (await self._ask("GET", "/settings"))["own"]["instructions"] or ""

    async def instruct(self, text: str) -> None:
        await self._ask("PATCH", "/settings", json={"instructions": text or None})

    async def held(self) -> Any:
        found = (await self._ask("GET", "/held"))["held"]
        return [
            {"id": each["memory"]["id"], "content": each["memory"]["content"], "reason": each["reason"]}
            for each in found
        ]

    async def decide(self, memory_id: str, *, approved: bool) -> None:
        path = f"/held/{memory_id}"
        await (self._ask("POST", f"{path}/approve") if approved else self._ask("DELETE", path))

    async def erase(self) -> Any:
        return (await self._ask("DELETE"))["rows"]

    async def link(self) -> str | None:
        """Return the address of this person's own page; None where the proxy has none."""
        try:
            url = (await self._ask("POST", "/page-links"))["url"]
        except (LookupError, TypeError):
            return None
        return url if isinstance(url, str) and url.startswith(("https://", "http://")) else None

    async def _ask(self, method: str, path: str = "", **given: Any) -> Any:
        """Ask with a token of the person, so that their actions here count as their own."""
        if not self._token or time.monotonic() - self._made_at > _TOKEN_SECONDS:
            made = await self._sent("POST", "/tokens", self._key)
            self._token, self._made_at = made["token"], time.monotonic()
        return await self._sent(method, path, self._token, **given)

    async def _sent(self, method: str, path: str, token: str, **given: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        try:
            async with httpx.AsyncClient(headers=headers, timeout=30, trust_env=False) as client:
                answer = await client.request(method, self._base + path, **given)
            if answer.is_success:
                is_page = answer.headers.get("content-type", "").startswith("text/html")
                return answer.text if is_page else answer.json() if answer.content else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            raise RefusedError("away") from None
        is_known = "duplicate_memory" in answer.text
        raise RefusedError("duplicate" if is_known else _REFUSALS.get(answer.status_code, "away"))


async def _show(memories: Any, call: Any, emit: Any) -> None:
    """Open the page in the person's browser, and carry out its requests until the person closes it.

    Each turn is a call by Open WebUI to that browser tab, which returns with the page's next request. So the page needs no
    other access, and nothing of it is stored with the chat.
    """
    key, nonce = (f"recollect-{secrets.token_urlsafe(16)}" for _ in range(2))
    language = await _language(call)
    try:
        page = (await memories.html(language)).replace("NONCE", nonce)
    except LookupError as refused:
        log.error("Recollect: no memories are shown: %s", refused)  # noqa: TRY400 -- it is one of _KNOWN
        await _tell(emit, _NOT_SHOWN, language)
        return
    code, requested_at, is_open = f"return await ({_SHELL})({_js(key)}, {_js(page)})", time.monotonic(), False
    try:
        while time.monotonic() - requested_at < _IDLE_SECONDS:
            calling = call({"type": "execute", "data": {"code": code}})
            request = await asyncio.wait_for(calling, _ANSWER_SECONDS)
            if not isinstance(request, dict) or request.get("request") in {None, "close"}:
                break
            is_open, reply = True, None
            if request["request"] != "wait":
                requested_at, reply = time.monotonic(), await _reply(memories, request)
            code = f"const turn = window[{_js(key)}]; return turn ? await turn({_js(reply)}) : null"
    except TimeoutError:
        request = None
    if not is_open and request is None:
        await _tell(emit, _NOT_SHOWN, language)


async def _reply(memories: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a request, and return the reply for the page; if it fails, the reply says why."""
    try:
        answer = await _fulfilled(memories, request)
    except LookupError as refused:
        why = str(refused.args[0]) if refused.args else ""
        answer = {"failed": why if why in _KNOWN else "failed"}
    except Exception as error:  # noqa: BLE001 -- the page goes on; the error's text may quote a memory
        log.error("Recollect: a request of My memories failed: %s", type(error).__name__)  # noqa: TRY400 -- as above
        answer = {"failed": "failed"}
    return answer | {"n": request.get("n")}


async def _fulfilled(memories: Any, request: dict[str, Any]) -> dict[str, Any]:  # noqa: C901, PLR0911, PLR0912 -- one for each kind of request
    match request:
        case {"request": "state"}:
            on, link = await memories.is_on(), await memories.link()
            return {"on": on, "link": link, "held": len(await memories.held())}
        case {"request": "held"}:
            return {"held": await memories.held()}
        case {"request": "decide", "approved": bool(approved), "ids": [*ids]} if len(ids) <= _HELD:
            await _of_each(ids, lambda known: memories.decide(known, approved=approved))
            return {}
        case {"request": "list", "after": after}:
            return dict(await memories.page(limit=_PAGE, after=after and _named(after)))
        case {"request": "add", "content": str(content)}:
            return {"change": await _last_change(memories, await memories.add(_text(content)))}
        case {"request": "correct", "id": known, "content": str(content)}:
            await memories.correct(_named(known), _text(content))
            return {"change": await _last_change(memories, known)}
        case {"request": "forget", "ids": [*ids]} if len(ids) <= _MOST:
            return {"changes": await _of_each(ids, lambda known: _forgotten(memories, known))}
        case {"request": "changes"}:
            return {"changes": await memories.changes(limit=_CHANGES)}
        case {"request": "undo", "ids": [*ids]} if len(ids) <= _MOST:
            await _of_each(ids, memories.undo)
            return {}
        case {"request": "switch", "on": bool(on)}:
            await memories.switch(on=on)
            return {"on": await memories.is_on()}
        case {"request": "instructions"}:
            return {"text": await memories.instructions()}
        case {"request": "instruct", "text": str(text)}:
            await memories.instruct(_text(text) if text.strip() else "")
            return {}
        case {"request": "erase"}:
            return await _erased(memories)
    raise RefusedError("unknown")


async def _erased(memories: Any) -> dict[str, Any]:
    """Erase everything; who had switched memory off has it off afterwards, too."""
    was_on = await memories.is_on()
    rows = await memories.erase()
    if not was_on:
        await memories.switch(on=False)
    return {"rows": rows, "on": was_on}


async def _of_each(ids: list[Any], work: Any) -> list[Any]:
    """Do something with each that is still there and may be changed; it fails if none is."""
    done, refusal = [], None
    for known in ids:
        try:
            done.append(await work(_named(known)))
        except LookupError as refused:
            if str(refused.args[0]) not in _OF_ONE:
                raise
            refusal = refused
    if refusal is not None and not done:
        raise refusal
    return done


def _named(known: Any) -> str:
    if not isinstance(known, str) or _ID.fullmatch(known) is None:
        raise RefusedError("gone")
    return known


async def _last_change(memories: Any, memory_id: str) -> str | None:
    changes = await memories.changes(limit=1, memory_id=memory_id)
    return changes[0]["id"] if changes else None


async def _forgotten(memories: Any, memory_id: str) -> str | None:
    """Forget a memory, and return the change that undoes it."""
    await memories.forget(memory_id)
    return await _last_change(memories, memory_id)


def _text(content: str) -> str:
    if not 0 < len(content.strip()) <= _LONGEST or "\0" in content:
        raise RefusedError("invalid")
    return content.strip()


_SHELL = r"""(key, page) => {
  const title = new DOMParser().parseFromString(page, "text/html").title;
  const dialog = document.createElement("dialog"), frame = document.createElement("iframe");
  const {port1: port, port2: theirs} = new MessageChannel(), requests = [];
  let wake = () => {}, isClosed = false, isWaiting = false, since = Date.now(), link = "";
  const look = () => { if (!isWaiting && Date.now() - since > 40000) port.postMessage({lost: true}); }, watch = setInterval(look, 5000);
  const close = () => { if (!isClosed) { isClosed = true; clearInterval(watch); port.close(); dialog.close(); dialog.remove(); wake(); } };
  const show = (address) => window.open(address, "_blank", "noopener,noreferrer");
  port.onmessage = ({data}) => {
    if (data.request === "close") close();
    else if (data.request === "chat") { if (/^[\w-]{8,64}$/.test(data.id)) show("/c/" + data.id); }
    else if (data.request === "download") {
      const save = document.createElement("a"), file = URL.createObjectURL(new Blob([data.text], {type: "application/json"}));
      save.href = file; save.download = "my-memories.json"; save.click(); setTimeout(() => URL.revokeObjectURL(file), 10000);
    }
    else if (data.request === "link") { if (/^https?:\/\//.test(link)) show(link); }
    else { requests.push(data); wake(); }
  };
  const turn = async (reply) => {
    if (reply && !isClosed) { link = reply.link ?? link; port.postMessage(reply); }
    if (!requests.length && !isClosed) {
      isWaiting = true; await new Promise((done) => { wake = done; setTimeout(done, 20000); }); isWaiting = false;
    }
    since = Date.now(); if (isClosed) { delete window[key]; return {request: "close"}; }
    return requests.shift() ?? {request: "wait"};
  };
  window[key] = turn; dialog.setAttribute("aria-label", title);
  dialog.style.cssText = "position:fixed;inset:0;margin:auto;padding:0;border:0;overflow:hidden;width:min(52rem,100vw);height:min(48rem,100dvh);" +
    "max-width:100vw;max-height:100dvh;border-radius:1rem;background:transparent;box-shadow:0 1rem 3rem rgb(0 0 0/.4)";
  frame.style.cssText = "width:100%;height:100%;border:0;display:block";
  frame.title = title; frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = page.replace("THEME", document.documentElement.classList.contains("dark") ? "dark" : "light");
  const font = () => fetch("/assets/fonts/Inter-Variable.ttf").then((got) => got.ok ? got.arrayBuffer() : null).catch(() => null);
  const begin = () => {
    frame.contentWindow.postMessage("memories", "*", [theirs]); frame.focus();
    font().then((read) => read && port.postMessage({font: read}, [read]));
  };
  frame.addEventListener("load", begin, {once: true}); dialog.addEventListener("cancel", close);
  dialog.append(frame); document.body.append(dialog); dialog.showModal(); return turn();
}"""
"""Runs in Open WebUI's page: opens the dialog, and passes requests and replies on. Memories stay within the frame."""
