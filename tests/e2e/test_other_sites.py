"""A page of another site reaches nothing of a person's memory from their browser.

Chromium leads ``evil.example`` to this machine, as DNS rebinding does. The upstream allows every origin everything, which
is the worst that one can do. Run by ``make e2e-sites``; needs ``apt-get install chromium``.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from playwright.async_api import Browser, Page, Route
from tests.recollect_proxy.settings import proxy_settings
from tests.scripted.upstream import JSON, Answer, ScriptedUpstream, completion_body, whole
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body, extracting_model, running_proxy
from tests.support.browsers import headless_browser
from tests.support.received import Received

SECRET = "Lapsang Souchong"
TEA = f"My favourite tea is {SECRET}."
WHICH_TEA = "Which tea is my favourite?"
PLANTED = "Pays everything through Zantelo"
SIGNING = "5f0c9a1be2d347869c1d0f6a7b8e4c23"

_ARGUMENTS = (
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    # What newer browsers ask their person before; others, and this one once allowed, ask nobody.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
)
_OPEN_TO_ALL = [
    (b"Access-Control-Allow-Origin", b"*"),
    (
        b"Access-Control-Allow-Headers",
        b"*, authorization, content-type, x-openwebui-user-id, x-recollect-include",
    ),
    (b"Access-Control-Allow-Methods", b"*"),
    (b"Access-Control-Allow-Private-Network", b"true"),
    (b"Access-Control-Expose-Headers", b"*"),
]

ATTACK = """
async ([base, user, asked, planted]) => {
  const chat = base + "/v1/chat/completions";
  const body = said => JSON.stringify({model: "scripted", messages: [{role: "user", content: said}]});
  const named = {"X-OpenWebUI-User-Id": user, "X-OpenWebUI-Chat-Id": "evil"};
  const plain = {"Content-Type": "text/plain"};
  const type = {"Content-Type": "application/json"};
  const include = {"X-Recollect-Include": "memories"};
  const patience = 4000;
  const read = async answer => [...answer.headers].join() + await answer.text();
  const ask = (url, how) => fetch(url, {signal: AbortSignal.timeout(patience), ...how}).then(read);
  const xhr = (headers, said) => new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", chat);
    request.timeout = patience;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.onload = () => done(request.getAllResponseHeaders() + request.responseText);
    request.onerror = request.ontimeout = failed;
    request.send(body(said));
  });
  const form = said => new Promise(done => {
    const frame = document.createElement("iframe");
    frame.name = "f" + Math.random();
    const made = document.createElement("form");
    Object.assign(made, {method: "post", enctype: "text/plain", action: chat, target: frame.name});
    const field = document.createElement("input");
    Object.assign(field, {name: body(said).slice(0, -1) + ',"x":"', value: '"}'});
    made.append(field);
    document.body.append(frame, made);
    frame.onload = () => { try { done(frame.contentDocument.body.innerText); } catch (error) { done(""); } };
    setTimeout(() => done(""), patience);
    made.submit();
  });
  const socket = () => new Promise(done => {
    const opened = new WebSocket(base.replace("http", "ws") + "/v1/realtime", ["realtime"]);
    opened.onmessage = event => done(event.data);
    opened.onerror = opened.onclose = () => done("");
    opened.onopen = () => opened.send(body(asked));
    setTimeout(() => done(""), patience);
  });
  const events = url => new Promise(done => {
    const source = new EventSource(url);
    source.onmessage = event => { source.close(); done(event.data); };
    source.onerror = () => { source.close(); done(""); };
    setTimeout(() => done(""), patience);
  });
  const image = url => new Promise(done => {
    const made = new Image();
    made.onload = made.onerror = () => done("");
    setTimeout(() => done(""), patience);
    made.src = url;
  });
  const tries = [];
  for (const said of [asked, planted])
    for (const headers of [{...named, ...type}, {...named, ...plain}, {...named, ...type, ...include}, plain, type])
      tries.push(() => ask(chat, {method: "POST", headers, body: body(said)}),
                 () => ask(chat, {method: "POST", headers, body: body(said), credentials: "include"}),
                 () => ask(chat, {method: "POST", headers: plain, body: body(said), mode: "no-cors"}),
                 () => xhr(headers, said));
  for (const said of [asked, planted]) tries.push(() => form(said));
  tries.push(() => ask(chat, {method: "POST", headers: {...named, ...type},
                              body: JSON.stringify({...JSON.parse(body(asked)), recollect: {include: "memories"}})}));
  const pages = ["", "/", "/health", "/metrics", "/explain", "/users", "/memories?user_id=" + user,
                 "/users/" + user + "/memories", "/users/" + user, "/export?user_id=" + user];
  for (const path of pages)
    for (const method of ["GET", "DELETE", "POST"])
      tries.push(() => ask(base + "/memory" + path, {method, headers: named}),
                 () => ask(base + "/memory" + path, {method: method == "DELETE" ? "GET" : method, mode: "no-cors"}));
  tries.push(socket, () => events(chat), () => events(base + "/memory/users/" + user + "/memories"),
             () => image(base + "/memory/users/" + user + "/memories"), () => image(chat));
  const heard = [];
  for (const each of tries) heard.push(await each().catch(error => "failed: " + error));
  return heard;
}
"""


def allow_everybody(request: Received) -> Answer:
    """Answer any request, and any question of a browser whether it may ask, as openly as can be; say what was asked."""
    echoed = request.body.decode(errors="replace") if request.body else ""
    return whole(completion_body(echoed), headers=[*JSON, *_OPEN_TO_ALL])


@asynccontextmanager
async def page_at(opened: Browser, origin: str) -> AsyncIterator[Page]:
    """Open a page of this origin: its document is ours, whatever else it asks for goes where the name leads."""

    async def answer(route: Route) -> None:
        if route.request.url.rstrip("/") == origin and route.request.resource_type == "document":
            await route.fulfill(body="<!doctype html><body>Free wallpapers", content_type="text/html")
        else:
            await route.continue_()

    page = await opened.new_page()
    await page.route("**/*", answer)
    await page.goto(origin)
    yield page
    await page.close()


def modes() -> dict[str, dict[str, Any]]:
    return {"header": {}, "signed": {"identity": "openwebui-jwt", "openwebui_jwt_secret": SIGNING}}


def own_headers(user: User, mode: str) -> list[tuple[bytes, bytes]]:
    if mode == "header":
        return user.headers(chat="own")
    now = datetime.now(UTC)
    told = {"sub": user.id, "iss": "open-webui", "iat": now, "exp": now + timedelta(minutes=5)}
    token = jwt.encode(told, SIGNING, algorithm="HS256").encode()
    return [*user.headers(chat="own"), (b"X-OpenWebUI-User-Jwt", token)]


@asynccontextmanager
async def remembered(
    mode: str, dsn: str, folder: Path, upstream: ScriptedUpstream, user: User
) -> AsyncIterator[RunningProxy]:
    """Serve a proxy that knows a memory of the user."""
    async with extracting_model() as model:
        settings = proxy_settings(
            upstream=upstream.base_url,
            extraction_base_url=model.base_url,
            extraction_model="scripted",
            database_url=dsn,
            data_dir=folder,
            **modes()[mode],
        )
        async with running_proxy(settings) as proxy:
            await proxy.fetch(b"POST", CHAT, own_headers(user, mode), chat_body(TEA))
            await proxy.memories(user)
            yield proxy


@pytest.mark.parametrize("mode", modes())
async def test_a_page_of_another_site_reaches_no_memory(mode: str, own_dsn: str, tmp_path: Path) -> None:
    user = User("anna")
    async with (
        ScriptedUpstream(allow_everybody) as upstream,
        headless_browser(*_ARGUMENTS) as opened,
        remembered(mode, own_dsn, tmp_path, upstream, user) as proxy,
    ):
        before = await _known(proxy, user)
        sent_before = len(upstream.received)
        targets = [f"http://{name}:{proxy.port}" for name in ("127.0.0.1", "localhost", "evil.example")]
        pages = ["http://evil.example:9", f"http://evil.example:{proxy.port}"]
        heard: list[str] = []
        for origin in pages:
            async with page_at(opened, origin) as page:
                for target in targets:
                    heard += await page.evaluate(ATTACK, [target, user.id, WHICH_TEA, PLANTED])
        await proxy.settle()

        reached = upstream.received[sent_before:]
        assert reached, "nothing came through at all: nothing was tried"
        assert any("scripted" in each for each in heard), "no page read any answer: nothing was tried"
        assert not [each for each in heard if SECRET in each]
        assert not [request for request in reached if SECRET.encode() in request.body]
        assert await _known(proxy, user) == before
        assert (
            await proxy.rows("SELECT FROM recollect.messages WHERE content LIKE '%' || $1 || '%'", PLANTED)
            == []
        )

        own = await proxy.fetch(b"POST", CHAT, own_headers(user, mode), chat_body(WHICH_TEA))
        assert own.header(b"x-recollect-memories") == b"1"
        assert SECRET in upstream.last.body.decode()


async def test_a_page_of_the_proxys_own_address_has_memory_so_that_the_tries_above_could_have_found_it(
    own_dsn: str, tmp_path: Path
) -> None:
    user = User("anna")
    async with (
        ScriptedUpstream(allow_everybody) as upstream,
        headless_browser(*_ARGUMENTS) as opened,
        remembered("header", own_dsn, tmp_path, upstream, user) as proxy,
    ):
        origin = f"http://127.0.0.1:{proxy.port}"
        async with page_at(opened, origin) as page:
            heard = await page.evaluate(ATTACK, [origin, user.id, WHICH_TEA, "Is it late?"])

        assert [each for each in heard if SECRET in each]


async def _known(proxy: RunningProxy, user: User) -> tuple[list[str], list[tuple[str, str]]]:
    """Return what is remembered and logged of a user."""
    memories = [json.dumps([memory.content, str(memory.id)]) for memory in await proxy.memories(user)]
    return sorted(memories), await proxy.logged(user)
