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

_PAGE, _LOOK, _LOOKS, _CHANGES = 10, 200, 5, 20
"""Memories on a page; memories that a search reads at once, and how often before it shows its results; changes that are shown."""

_LONGEST, _MOST_WORDS = 8000, 8
"""Characters of a memory's text, and words that are searched for."""

_NO_IDS = {"", ".", "..", "*"}
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)

_WHY = {
    "away": "The memory is not at hand just now. Try again in a minute.",
    "gone": "That is not there any more, or it is shared with others and can't be changed here.",
    "duplicate": "There is a memory with that text already.",
    "not_undoable": "That can't be undone: something was changed since.",
    "invalid": f"A memory has 1 to {_LONGEST} characters.",
    "key": "The memory does not take this function's key. An administrator has to look at its valves.",
}
_REFUSALS = {400: "invalid", 401: "key", 403: "key", 404: "gone", 409: "not_undoable", 422: "invalid"}
_FAILED = "That did not work. The log of Open WebUI says why."
_NOT_SET_UP = """Nobody has said yet where the memories are. An administrator has to set the valves `memory_api` and `key` of \
the function My memories, or to switch on the Recollect filter."""
_NOT_SHOWN = "Your memories could not be shown: this browser tab did not answer."

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
        key: Annotated[_Secret, Field(description="Of that memory API: one that may act for users.")] = ""

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
        told = _FAILED
        try:
            found = await _memories_of(user_id, self.valves.model_copy())
            if found is not None and __event_call__ is not None:
                showing = asyncio.create_task(_show(found, __event_call__, __event_emitter__))
                self._running.add(showing)
                showing.add_done_callback(self._running.discard)
                return
            told = _NOT_SET_UP
        except Exception as error:  # noqa: BLE001 -- Open WebUI would show its text as it is
            log.error("Recollect: no memories are shown: %s", type(error).__name__)  # noqa: TRY400 -- its text may hold the address
        await _tell(__event_emitter__, told)


async def _tell(emit: Any, told: str) -> None:
    if emit is not None:
        await emit({"type": "notification", "data": {"type": "error", "content": told}})


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
    """It can't be done; its only argument is a key of ``_WHY``. The filter's engine refuses by a LookupError, too."""


class _ByApi:
    """A person's memories by the memory API. It returns the same as ``recollect_openwebui.my_memories``."""

    def __init__(self, user_id: str, memory_api: str, key: str) -> None:
        self._base = f"{memory_api.strip().rstrip('/')}/users/{quote(user_id, safe='')}"
        self._headers = {"Authorization": f"Bearer {key.strip()}"}

    async def page(self, **query: Any) -> Any:
        return await self._ask(
            "GET", "/memories", params={name: each for name, each in query.items() if each}
        )

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
        try:
            async with httpx.AsyncClient(headers=self._headers, timeout=30, trust_env=False) as client:
                answer = await client.request(method, self._base + path, **given)
            if answer.is_success:
                return answer.json() if answer.content else None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            raise RefusedError("away") from None
        raise RefusedError(_refusal(answer))


def _refusal(answer: httpx.Response) -> str:
    return "duplicate" if "duplicate_memory" in answer.text else _REFUSALS.get(answer.status_code, "away")


async def _show(memories: Any, call: Any, emit: Any) -> None:
    """Open the page in the person's browser, and carry out its requests until the person closes it.

    Each turn is a call by Open WebUI to that browser tab, which returns with the page's next request. So the page needs no
    other access, and nothing of it is stored with the chat.
    """
    key, nonce = (f"recollect-{secrets.token_urlsafe(16)}" for _ in range(2))
    page = _HTML.replace("NONCE", nonce)
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
        await _tell(emit, _NOT_SHOWN)


async def _reply(memories: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a request, and return the reply for the page; if it fails, the reply says why."""
    try:
        told = await _fulfilled(memories, request)
    except LookupError as refused:
        told = {"failed": _WHY.get(str(refused.args[0]) if refused.args else "", _FAILED)}
    except Exception as error:  # noqa: BLE001 -- the page goes on; the error's text may quote a memory
        log.error("Recollect: a request of My memories failed: %s", type(error).__name__)  # noqa: TRY400 -- as above
        told = {"failed": _FAILED}
    return told | {"n": request.get("n")}


async def _fulfilled(memories: Any, request: dict[str, Any]) -> dict[str, Any]:  # noqa: PLR0911 -- one for each kind of request
    match request:
        case {"request": "state"}:
            return {"on": await memories.is_on(), "link": await memories.link()}
        case {"request": "list", "words": str(words), "after": after}:
            return await _listed(memories, words.casefold().split()[:_MOST_WORDS], after and _named(after))
        case {"request": "correct", "id": known, "content": str(content)}:
            if not 0 < len(content.strip()) <= _LONGEST or "\0" in content:
                raise RefusedError("invalid")
            await memories.correct(_named(known), content.strip())
            return {"change": await _last_change(memories, known)}
        case {"request": "forget", "id": known}:
            await memories.forget(_named(known))
            return {"change": await _last_change(memories, known)}
        case {"request": "changes"}:
            return {"changes": await memories.changes(limit=_CHANGES)}
        case {"request": "undo", "id": known}:
            await memories.undo(_named(known))
            return {}
        case {"request": "switch", "on": bool(on)}:
            await memories.switch(on=on)
            return {"on": await memories.is_on()}
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


def _named(known: Any) -> str:
    if not isinstance(known, str) or _ID.fullmatch(known) is None:
        raise RefusedError("gone")
    return known


async def _last_change(memories: Any, memory_id: str) -> str | None:
    changes = await memories.changes(limit=1, memory_id=memory_id)
    return changes[0]["id"] if changes else None


async def _listed(memories: Any, words: list[str], after: str | None) -> dict[str, Any]:
    """Return a page of the memories, newest first; with ``words``, only memories that have all of them."""
    if not words:
        return dict(await memories.page(limit=_PAGE, after=after))
    found: list[Any] = []
    for _ in range(_LOOKS):
        page = await memories.page(limit=_LOOK, after=after)
        for each in page["memories"]:
            if len(found) == _PAGE:
                return {"memories": found, "next": after}
            after = each["id"]
            text = f"{each['content']} {each['provenance']['evidence'] or ''}".casefold()
            if all(word in text for word in words):
                found.append(each)
        if page["next"] is None:
            return {"memories": found, "next": None}
    return {"memories": found, "next": after}


_SHELL = r"""(key, page) => {
  const dialog = document.createElement("dialog"), frame = document.createElement("iframe");
  const {port1: port, port2: theirs} = new MessageChannel(), requests = [];
  let wake = () => {}, isClosed = false, isWaiting = false, since = Date.now(), link = "";
  const look = () => { if (!isWaiting && Date.now() - since > 40000) port.postMessage({lost: true}); }, watch = setInterval(look, 5000);
  const close = () => { if (!isClosed) { isClosed = true; clearInterval(watch); port.close(); dialog.close(); dialog.remove(); wake(); } };
  const show = (address) => window.open(address, "_blank", "noopener,noreferrer");
  port.onmessage = ({data}) => {
    if (data.request === "close") close();
    else if (data.request === "chat") { if (/^[\w-]{8,64}$/.test(data.id)) show("/c/" + data.id); }
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
  window[key] = turn; dialog.setAttribute("aria-label", "My memories");
  dialog.style.cssText = "position:fixed;inset:0;margin:auto;padding:0;border:0;overflow:hidden;width:min(44rem,100vw);height:min(46rem,100dvh);" +
    "max-width:100vw;max-height:100dvh;border-radius:1rem;background:transparent;box-shadow:0 1rem 3rem rgb(0 0 0/.4)";
  frame.style.cssText = "width:100%;height:100%;border:0;display:block";
  frame.title = "My memories"; frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = page.replace("THEME", document.documentElement.classList.contains("dark") ? "dark" : "light");
  const begin = () => { frame.contentWindow.postMessage("memories", "*", [theirs]); frame.focus(); };
  frame.addEventListener("load", begin, {once: true}); dialog.addEventListener("cancel", close);
  dialog.append(frame); document.body.append(dialog); dialog.showModal(); return turn();
}"""
"""Runs in Open WebUI's page: opens the dialog, and passes requests and replies on. Memories stay within the frame."""

_HTML = r"""<!doctype html><html lang="en" class="THEME"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="
 default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'nonce-NONCE'; script-src 'nonce-NONCE'">
<meta name="viewport" content="width=device-width"><title>My memories</title><style nonce="NONCE">
:root { color-scheme: light; --back: #fff; --card: #f5f5f5; --ink: #171717; --soft: #5f5f5f; --line: #d4d4d4; --bad: #b42318 }
:root.dark { color-scheme: dark; --back: #171717; --card: #262626; --ink: #ececec; --soft: #a8a8a8; --line: #454545; --bad: #ff8a80 } * { box-sizing: border-box } [hidden] { display: none !important }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: var(--back); color: var(--ink); font: 15px/1.45 system-ui, sans-serif }
header, .bar, footer, #told { padding: .6rem 1rem; display: flex; gap: .5rem; align-items: center; flex-wrap: wrap }
h1 { font-size: 1.1rem; margin: 0; flex: 1 } h2 { font-size: 1rem; margin: .2rem 0 .6rem } input { flex: 1; min-width: 0 }
main { flex: 1; overflow-y: auto; padding: 0 1rem } footer { border-top: 1px solid var(--line) } .bar { padding-top: 0; flex-wrap: nowrap }
#told { min-height: 2.8rem; padding-block: .2rem; color: var(--soft) } #told.bad { color: var(--bad) }
input, textarea { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .45rem .7rem; width: 100% }
textarea { min-height: 5rem; resize: vertical; background: var(--back) } button { font: inherit; font-size: .9rem; color: inherit; background: none; border: 1px solid var(--line); border-radius: .6rem;
padding: .35rem .75rem; min-height: 2.2rem; cursor: pointer } button:hover { background: var(--card) } :focus-visible { outline: 2px solid #3b82f6; outline-offset: 1px } .risky { color: var(--bad) }
.strong { background: var(--ink); color: var(--back) } li button.strong:hover { background: var(--soft) } #close { border: 0; font-size: 1.3rem }
ul { list-style: none; margin: 0; padding: 0 } li button:hover { background: var(--back) } li { background: var(--card); border-radius: .8rem; padding: .7rem .9rem; margin-bottom: .6rem }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere } .meta { margin: .2rem 0 .4rem; color: var(--soft); font-size: .85rem }
.row { display: flex; gap: .4rem; flex-wrap: wrap; margin-top: .5rem } summary { cursor: pointer; color: var(--soft); font-size: .85rem }
blockquote { margin: .4rem 0; padding-left: .7rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere }
</style></head><body><header><h1>My memories</h1><button id="close" aria-label="Close">&times;</button></header><div class="bar" role="search">
<input id="words" type="search" aria-label="Search" placeholder="Search" maxlength="200"><button id="find">Search</button></div>
<div id="told" role="status"></div><main id="main"></main><footer><button id="changes">Changes</button>
<button id="link" hidden>Open my page</button><button id="switch" hidden></button><button id="erase" class="risky">Erase everything</button></footer>
<script nonce="NONCE">"use strict";
const at = (id) => document.getElementById(id), waiting = new Map(), some = (list) => list.filter((each) => each);
const LOST = "The connection is lost. Close this, and open it again."; let port, count = 0, isOn = true;
const made = (tag, {on, ...attributes}, ...inside) => {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  if (on) one.addEventListener("click", on);
  one.append(...some(inside)); return one;
};
const show = (...parts) => at("main").replaceChildren(...some(parts));
const tell = (told, {bad, undo} = {}) => {
  at("told").className = bad ? "bad" : "";
  at("told").replaceChildren(...some([told, undo && made("button", {on: () => undone(undo)}, "Undo")]));
};
const ask = async (request) => {
  at("main").inert = request.request !== "state";  // what is pressed meanwhile would be drawn over
  const reply = await new Promise((done) => { waiting.set(++count, done); port.postMessage({...request, n: count}); });
  at("main").inert = false; return reply.failed ? tell(reply.failed, {bad: true}) : reply;
};
const day = (time) => new Date(time).toLocaleDateString(undefined, {dateStyle: "medium"}), short = (text) => text.length > 50 ? text.slice(0, 49) + "\u2026" : text;
const SOURCES = {manual: "written by hand", import: "imported", global: "for everybody"}, KINDS = {fact: "Fact", preference: "Preference", insight: "Insight", decision: "Decision", todo: "To do", profile: "Profile",
  entity: "Person or thing", summary: "Summary of a chat", qa_turn: "Question and answer"};
const origin = ({observed_at, provenance: {session_id: chat, evidence: quote}, source}) => made("details", {}, made("summary", {}, "Where from?"),
  quote && made("blockquote", {}, quote),
  made("p", {class: "meta"}, `${quote ? "You said so" : SOURCES[source] ? "It was " + SOURCES[source] : "It was noted"} on ${day(observed_at)}.`),
  /^[0-9a-f-]{36}$/i.test(chat ?? "") && made("button", {on: () => port.postMessage({request: "chat", id: chat})}, "Open that chat"));
const card = (memory) => {
  const shown = made("li", {}), named = short(memory.content);
  const plain = () => shown.replaceChildren(made("p", {class: "text"}, memory.content),
    made("p", {class: "meta"}, some([KINDS[memory.kind] ?? memory.kind, day(memory.observed_at), SOURCES[memory.source]]).join(" \u00b7 ")),
    origin(memory), made("div", {class: "row"}, made("button", {on: correct, "aria-label": "Correct: " + named}, "Correct"),
      made("button", {on: forget, "aria-label": "Forget: " + named}, "Forget")));
  const leave = () => { plain(); shown.querySelector(".row button").focus(); };
  const correct = () => {
    const field = made("textarea", {"aria-label": "What it says", maxlength: 8000}), save = async () => {
      const reply = await ask({request: "correct", id: memory.id, content: field.value});
      if (!reply) return field.focus();
      memory.content = field.value.trim(); leave(); tell("Corrected.", {undo: reply.change});
    };
    field.value = memory.content; field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
      if (event.key === "Escape") { event.stopPropagation(); leave(); }
    });
    const buttons = [made("button", {class: "strong", on: save}, "Save"), made("button", {on: leave}, "Cancel")];
    shown.replaceChildren(field, made("div", {class: "row"}, ...buttons)); field.focus();
  };
  const forget = async () => {
    const reply = await ask({request: "forget", id: memory.id});
    if (reply) { shown.remove(); tell("Forgotten.", {undo: reply.change}); at("told").querySelector("button")?.focus(); }
  };
  plain(); return shown;
};
const list = async (after = null, rows = made("ul", {"aria-label": "Memories"})) => {
  const words = at("words").value.trim(), reply = await ask({request: "list", words, after});
  if (!reply) return;
  const cards = reply.memories.map(card);
  rows.append(...cards);
  const none = words ? "No memory has these words." : "Nothing is remembered of you yet.", go = () => list(reply.next, rows);
  show(rows, !rows.children.length && made("p", {}, none), reply.next && made("button", {on: go}, words ? "Look further" : "Show more"));
  if (after) cards[0]?.querySelector("summary").focus();
};
const VERBS = {add: "Remembered", replace: "Replaced", edit: "Corrected", retire: "Forgotten"};
const changes = async () => {
  const told = (await ask({request: "changes"}))?.changes, gone = new Set(told?.map((each) => each.undoes));
  if (!told) return;
  const rows = told.filter((each) => VERBS[each.action] && !each.undoes && !gone.has(each.id)).map((each) => made("li", {},
    made("p", {class: "text"}, `${VERBS[each.action]}: ${some([each.before, each.after]).join(" \u2192 ")}`),
    made("p", {class: "meta"}, day(each.at)), made("button", {on: () => undone(each.id, changes)}, "Undo")));
  show(made("h2", {}, "Changes"), made("ul", {"aria-label": "Changes"}, ...rows), !rows.length && made("p", {}, "Nothing was changed."),
    made("button", {on: () => list()}, "Back to the memories"));
  at("main").querySelector("button").focus();
};
const undone = async (id, then = list) => { if (await ask({request: "undo", id})) { await then(); tell("Undone."); } };
const erased = async () => {
  const {rows, on} = await ask({request: "erase"}) ?? {}, many = (count, one, more) => `${count} ${count === 1 ? one : more}`;
  if (!rows) return;
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  at("words").value = ""; await list(); state({on}); tell(`Everything is erased: ${many(rows.users_vectors ?? 0, "memory", "memories")}, ${many(rows.messages ?? 0, "message", "messages")}, ` +
    `${many(all, "record", "records")} in all.`);
};
const erase = () => {
  const keep = made("button", {on: () => list()}, "Keep them"); tell("");
  show(made("h2", {}, "Erase everything?"), made("p", {}, "All that is remembered of you goes, and all that you said in any chat is no longer " +
    "there to be recalled. Nobody can undo that. Your chats in Open WebUI stay as they are."),
    made("div", {class: "row"}, keep, made("button", {class: "risky", on: erased}, "Yes, erase everything")));
  keep.focus();
};
const state = (reply) => {
  if (!reply) return;
  isOn = reply.on; at("switch").hidden = false; at("switch").textContent = `Switch memory ${isOn ? "off" : "on"} for me`;
  if ("link" in reply) at("link").hidden = !reply.link;
  if (!isOn) tell("Memory is off for you: nothing is recalled, and nothing you say is kept.");
};
at("switch").onclick = async () => {
  const wanted = !isOn, reply = await ask({request: "switch", on: wanted});
  if (!reply) return;
  tell("Memory is on again."); state(reply);
  if (wanted && !reply.on) tell("It stays off: an administrator switched it off for everybody.", {bad: true});
};
for (const request of ["link", "close"]) at(request).onclick = () => port.postMessage({request});
at("changes").onclick = () => { tell(""); changes(); }; at("erase").onclick = erase; at("find").onclick = () => { tell(""); list(); };
at("words").addEventListener("keydown", (event) => { if (event.key === "Enter") at("find").click(); });
addEventListener("keydown", (event) => { if (event.key === "Escape" && port) port.postMessage({request: "close"}); });
addEventListener("message", async (event) => {
  if (port || event.source !== parent || !event.ports[0]) return;
  port = event.ports[0];
  port.onmessage = ({data}) => { data.lost ? tell(LOST, {bad: true}) : waiting.get(data.n)?.(data); waiting.delete(data.n); };
  at("words").focus(); tell("Looking\u2026"); await list();
  if (at("told").textContent === "Looking\u2026") tell("");
  state(await ask({request: "state"}));
});
</script></body></html>"""
"""The page itself, in a frame of no origin: what runs in it is this script alone, and texts go in as texts."""
