"""A server that is named without a path is reached by OpenAI's API below /v1 and by Ollama's own below /api."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.own_proxies import ListeningProxies, OwnProxies
from tests.recollect_proxy.wire.routes import HANDSHAKE
from tests.scripted.upstream import Answer, ScriptedUpstream, streamed, whole
from tests.servers.running_proxy import RunningProxy, User
from tests.support.raw_client import Fields
from tests.support.tables import table

NDJSON = (b"Content-Type", b"application/x-ndjson")
LINES = [
    b'{"model":"llama","message":{"role":"assistant","content":"Lap"},"done":false}\n',
    b'{"model":"llama","message":{"role":"assistant","content":"sang."},"done":false}\n',
    b'{"model":"llama","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":2}\n',
]


def lines() -> Answer:
    return streamed(*LINES, headers=[NDJSON])


def asked(**fields: Any) -> bytes:
    return json.dumps(
        {"model": "llama", "messages": [{"role": "user", "content": WHICH_TEA}], **fields}
    ).encode()


@pytest.fixture
def proxy(whole_server: RunningProxy) -> RunningProxy:
    return whole_server


async def test_a_chat_is_given_memories_and_its_lines_come_as_they_were(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    upstream.answers.append(lines())

    answer = await proxy.fetch(b"POST", b"/api/chat", user.headers(), asked())

    assert (answer.status, answer.body) == (200, b"".join(LINES))
    assert answer.values(b"x-recollect-memories") == [b"1"]
    assert upstream.last.target == b"/api/chat"
    [message] = json.loads(upstream.last.body)["messages"]
    assert message["content"].startswith(WHICH_TEA)
    assert TEA in message["content"]


async def test_a_completion_is_given_memories(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    upstream.answers.append(whole(b'{"response":"Lapsang.","done":true}'))
    body = json.dumps({"model": "llama", "prompt": WHICH_TEA, "stream": False}).encode()

    answer = await proxy.fetch(b"POST", b"/api/generate", user.headers(), body)

    assert answer.values(b"x-recollect-memories") == [b"1"]
    assert TEA in json.loads(upstream.last.body)["prompt"]


async def test_what_is_said_is_remembered(
    own_proxies: OwnProxies, upstream: ScriptedUpstream, user: User
) -> None:
    async with own_proxies.serve(
        upstream=f"http://127.0.0.1:{upstream.port}", formation_quiet_seconds=0
    ) as proxy:
        upstream.answers.append(lines())
        said = {"role": "user", "content": "I have a cat called Minka."}
        await proxy.fetch(b"POST", b"/api/chat", user.headers(), asked(messages=[said]))

        assert [each.content for each in await proxy.memories(user)] == ["I have a cat called Minka."]
        assert await proxy.logged(user) == [("user", said["content"]), ("assistant", "Lapsang.")]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        (b"GET", b"/api/tags"),
        (b"GET", b"/api/version"),
        (b"HEAD", b"/"),
        (b"POST", b"/api/show"),
        (b"POST", b"/api/embed"),
    ],
)
async def test_what_asks_passes_as_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes, path: bytes
) -> None:
    body = b'{"model":"llama"}' if method == b"POST" else None

    answer = await proxy.fetch(method, path, [], body)

    assert answer.status == 200
    assert (upstream.last.target, upstream.last.body) == (path, body or b"")


@table("path", [b"/api/pull", b"/API//%70ull/", b"/v1/../api/pull"])
async def test_no_model_is_changed(proxy: RunningProxy, upstream: ScriptedUpstream, path: bytes) -> None:
    answer = await proxy.fetch(b"POST", path, [], b'{"model":"llama"}')

    assert (answer.status, upstream.received) == (403, [])
    assert "model_changes" in str(json.loads(answer.body)["error"])


async def test_models_are_changed_where_the_operator_allows_it(
    listening_proxies: ListeningProxies, upstream: ScriptedUpstream
) -> None:
    progress = [b'{"status":"pulling"}\n', b'{"status":"success"}\n']
    upstream.answers.append(streamed(*progress, headers=[NDJSON]))
    blob = b"\x00" * 5_000_000

    async with listening_proxies.serve(
        upstream=f"http://127.0.0.1:{upstream.port}", upstreams='[{"model_changes": true}]'
    ) as proxy:
        pulled = await proxy.fetch(b"POST", b"/api/pull", [], b'{"model":"llama"}')
        await proxy.fetch(b"POST", b"/api/blobs/sha256:00", [], blob)

    assert pulled.body == b"".join(progress)
    assert upstream.last.body == blob


@table(
    ("path", "headers", "status"),
    [
        *(
            (each, [], 404)
            for each in (b"/metrics", b"/slots", b"/v1beta/models", b"/apis", b"/v1/../metrics")
        ),
        (b"/metrics/../v1/models", [], 404),  # a server that mounts an application at /metrics reads it so
        (b"/v1/%2e%2e/metrics/%252e%252e/%252e%252e/v1", [], 404),
        *((each, HANDSHAKE, 403) for each in (b"/debug/pprof/heap", b"/api/pull")),
    ],
)
async def test_nothing_else_of_the_server_is_served_and_no_websocket_opens_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, path: bytes, headers: Fields, status: int
) -> None:
    answer = await proxy.fetch(b"GET", path, headers)
    assert (answer.status, upstream.received) == (status, [])


@table(
    ("other", "base", "path", "status"),
    [
        ({"url": "/v1", "models": ["gpt-*"]}, "", b"/slots", 404),
        ({"url": "/api", "path": "/box"}, "/v1", b"/box/pull", 403),
    ],
)
async def test_another_server_is_not_reached_by_another_path_and_changes_no_model_either(
    listening_proxies: ListeningProxies,
    upstream: ScriptedUpstream,
    other: dict[str, Any],
    base: str,
    path: bytes,
    status: int,
) -> None:
    url = f"http://127.0.0.1:{upstream.port}"
    others = json.dumps([{"name": "other", **other, "url": url + other["url"]}])

    async with listening_proxies.serve(upstream=url + base, upstreams=others) as proxy:
        answer = await proxy.fetch(b"POST", path, [], b'{"model":"gpt-6"}')

    assert (answer.status, upstream.received) == (status, [])


async def test_a_failure_has_the_shape_that_ollamas_clients_read(
    listening_proxies: ListeningProxies, user: User
) -> None:
    async with listening_proxies.serve(upstream="http://127.0.0.1:9") as proxy:
        answer = await proxy.fetch(b"POST", b"/api/chat", user.headers(), asked())

    assert (answer.status, json.loads(answer.body)) == (
        502,
        {
            "error": "Recollect could not connect to the LLM's server. Check that it runs, and RECOLLECT_UPSTREAM."
        },
    )
