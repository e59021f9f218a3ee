"""OpenAI's SDK speaks through the proxy as without it: chats, responses, tools, files, errors, sockets."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import openai
import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.doctor.openwebui_frontend import spoken_for
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.openai_sdk.application import (
    ASK,
    KEY,
    assert_recalled,
    assert_recalled_in_instructions,
    assert_untouched,
    sdk,
)
from tests.recollect_proxy.own_proxies import OwnProxies
from tests.scripted.dialects import response, response_stream
from tests.scripted.realtime import RealtimeUpstream, realtime_upstream
from tests.scripted.upstream import (
    Answer,
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
    failure,
    whole,
)
from tests.servers.running_proxy import RunningProxy, User, somebody

from recollect.model import Action, Actor, News, Reason, Update
from recollect_proxy.chat import openwebui_status

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
CALLED = {"name": "weather", "arguments": '{"city": "Oslo"}'}
CALL: Any = {"id": "call_1", "type": "function", "function": CALLED}


async def test_a_completion(client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None) -> None:
    upstream.answers.append(completion("Lapsang Souchong."))

    answer = await client.chat.completions.with_raw_response.create(
        model="scripted", messages=ASK, temperature=0.5
    )

    assert answer.parse().choices[0].message.content == "Lapsang Souchong."
    assert answer.headers["x-recollect-memories"] == ("1" if known else "0")
    assert upstream.last.json["temperature"] == 0.5
    assert_recalled(upstream.last, known)


async def test_a_streamed_completion(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None, proxy: RunningProxy
) -> None:
    upstream.answers.append(completion_stream("Lapsang", " Souchong."))

    stream = await client.chat.completions.create(model="scripted", messages=ASK, stream=True)
    said = [chunk.choices[0].delta.content async for chunk in stream]

    assert [text for text in said if text] == ["Lapsang", " Souchong."]
    assert_recalled(upstream.last, known)
    if known:
        assert (await proxy.logged(known))[-2:] == [("user", WHICH_TEA), ("assistant", "Lapsang Souchong.")]


async def test_a_tool_loop(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None, proxy: RunningProxy
) -> None:
    upstream.answers += [whole(completion_body(None, tool_calls=[CALL])), completion("Rain in Oslo.")]
    messages: list[Any] = [{"role": "user", "content": f"{WHICH_TEA} And the weather in Oslo?"}]

    first = await client.chat.completions.create(model="scripted", messages=messages, tools=[WEATHER])
    message = first.choices[0].message
    assert message.tool_calls
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "rain"}]
    second = await client.chat.completions.create(model="scripted", messages=messages, tools=[WEATHER])

    assert message.tool_calls[0].to_dict() == CALL
    assert second.choices[0].message.content == "Rain in Oslo."
    assert upstream.last.json["tools"] == [WEATHER]
    assert_recalled(upstream.last, known)
    if known:
        assert (await proxy.logged(known))[-1] == ("assistant", "Rain in Oslo.")


async def test_a_response(client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None) -> None:
    upstream.answers.append(response("Lapsang Souchong."))

    answer = await client.responses.with_raw_response.create(model="scripted", input=WHICH_TEA, store=False)

    assert answer.parse().output_text == "Lapsang Souchong."
    assert answer.headers["x-recollect-memories"] == ("1" if known else "0")
    assert upstream.last.target == b"/v1/responses"
    assert (upstream.last.json["input"], upstream.last.json["store"]) == (WHICH_TEA, False)
    assert_recalled_in_instructions(upstream.last, known)


async def test_a_streamed_response(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None, proxy: RunningProxy
) -> None:
    upstream.answers.append(response_stream("Lapsang", " Souchong."))

    stream = await client.responses.create(model="scripted", input=WHICH_TEA, stream=True)
    events: list[Any] = [event async for event in stream]

    assert [event.delta for event in events if event.type == "response.output_text.delta"] == [
        "Lapsang",
        " Souchong.",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].response.output_text == "Lapsang Souchong."
    assert_recalled_in_instructions(upstream.last, known)
    if known:
        assert (await proxy.logged(known))[-2:] == [("user", WHICH_TEA), ("assistant", "Lapsang Souchong.")]


def answer_with(upstream: ScriptedUpstream, *bodies: dict[str, Any]) -> None:
    upstream.answers += [whole(json.dumps(body).encode()) for body in bodies]


def file_named(name: str) -> dict[str, Any]:
    """Return what the API tells of a file."""
    return {"id": name, "object": "file", "bytes": 3, "created_at": 1, "filename": name, "purpose": "batch"}


async def test_the_models_are_listed(client: AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "x"}
    answer_with(upstream, {"object": "list", "data": [model]}, model)

    listed = [model.id async for model in client.models.list()]
    found = await client.models.retrieve("ft:scripted:a/b c")

    assert (listed, found.id) == (["scripted"], "scripted")
    assert [request.target for request in upstream.received] == [
        b"/v1/models",
        b"/v1/models/ft:scripted:a%2Fb%20c",
    ]
    assert_untouched(upstream.last)


async def test_a_file_goes_up_and_comes_down_byte_for_byte(
    client: AsyncOpenAI, upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    content = bytes(range(256)) * 2000
    upload = tmp_path / "tea ☕.bin"
    upload.write_bytes(content)
    answer_with(upstream, file_named("file-1"))
    upstream.answers.append(whole(content, headers=[(b"Content-Type", b"application/octet-stream")]))

    uploaded = await client.files.create(file=upload, purpose="batch")
    downloaded = await client.files.content("file-1")

    assert uploaded.id == "file-1"
    assert downloaded.content == content
    up, _ = upstream.received
    assert content in up.body
    assert 'filename="tea ☕.bin"'.encode() in up.body
    assert up.values(b"content-type")[0].startswith(b"multipart/form-data; boundary=")
    assert_untouched(up)


ERRORS: list[tuple[Answer, type[openai.APIStatusError]]] = [
    (failure(400), openai.BadRequestError),
    (failure(401), openai.AuthenticationError),
    (failure(403), openai.PermissionDeniedError),
    (failure(404), openai.NotFoundError),
    (failure(409), openai.ConflictError),
    (failure(422), openai.UnprocessableEntityError),
    (failure(429, headers=[(b"retry-after", b"7")]), openai.RateLimitError),
    (failure(500), openai.InternalServerError),
]


@in_turn(("answer", "expected"), ERRORS)
@in_turn("stream", [False, True])
@in_turn("is_known", [True, False])
async def test_errors_arrive_as_the_upstreams_own(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    answer: Answer,
    expected: type[openai.APIStatusError],
    *,
    stream: bool,
    is_known: bool,
) -> None:
    known = await given_memory(proxy, user) if is_known else None
    upstream.answers.append(answer)

    async with sdk(proxy, known) as client:
        with pytest.raises(expected) as caught:
            await client.chat.completions.create(model="scripted", messages=ASK, stream=stream)

    error = caught.value
    assert error.code == f"scripted_{error.status_code}"
    assert error.response.headers.get("retry-after") == ("7" if expected is openai.RateLimitError else None)
    assert error.response.headers["x-recollect-memories"] == ("1" if known else "0")
    assert "x-recollect-error" not in error.response.headers


@pytest.fixture(scope="module")
async def realtime() -> AsyncIterator[RealtimeUpstream]:
    async with realtime_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
async def speaking(realtime: RealtimeUpstream, own_proxies: OwnProxies) -> AsyncIterator[AsyncOpenAI]:
    """The SDK, before a proxy before the realtime model."""
    async with own_proxies.serve(upstream=realtime.base_url) as proxy, sdk(proxy, somebody()) as client:
        yield client


@pytest.fixture
def _fresh(realtime: RealtimeUpstream) -> None:
    realtime.handshakes.clear()
    realtime.events.clear()


def assert_handshake(realtime: RealtimeUpstream, path: str) -> None:
    """Assert that one socket was asked for, with the SDK's key and without our headers."""
    [handshake] = realtime.handshakes
    assert handshake.path == path
    assert handshake.headers["Authorization"] == f"Bearer {KEY}"
    assert not [name for name in handshake.headers if "openwebui" in name or "recollect" in name]


@pytest.mark.usefixtures("_fresh")
async def test_a_realtime_conversation(speaking: AsyncOpenAI, realtime: RealtimeUpstream) -> None:
    said = []

    async with speaking.realtime.connect(model="scripted") as connection:
        created = await connection.recv()
        await connection.response.create(response={"instructions": "Name a tea."})
        async for event in connection:
            if event.type == "response.output_text.delta":
                said.append(event.delta)
            if event.type == "response.done":
                break

    assert created.type == "session.created"
    assert said == ["Lapsang", " Souchong."]
    assert [event["response"] for event in realtime.events] == [{"instructions": "Name a tea."}]
    assert_handshake(realtime, "/v1/realtime?model=scripted")
    async with asyncio.timeout(20):
        assert await realtime.closed.get() == (1000, "")


@pytest.mark.usefixtures("_fresh")
async def test_responses_over_a_socket(speaking: AsyncOpenAI, realtime: RealtimeUpstream) -> None:
    said = ""

    async with speaking.responses.connect() as connection:
        await connection.response.create(model="scripted", input="Name a tea.")
        async for event in connection:
            if event.type == "response.completed":
                said = event.response.output_text
                break

    assert said == "Lapsang Souchong."
    assert realtime.events[0]["input"] == "Name a tea."
    assert_handshake(realtime, "/v1/responses")
    async with asyncio.timeout(20):
        await realtime.closed.get()


@pytest.fixture
def proxy(session_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms what is said, and shows it."""
    return session_proxy


@pytest.fixture(autouse=True)
def _news(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it is looked, something was learned meanwhile."""

    async def look(_: openwebui_status.StatusEvents) -> News:
        at, ids = datetime.now(UTC), uuid4()
        return News(
            "", (), (Update(ids, at, Action.ADD, Actor.FORMATION, Reason.NEW, ids, after="Has a cat."),)
        )

    monkeypatch.setattr(openwebui_status.StatusEvents, "_look", look)


async def test_a_stream_with_a_status_is_read_as_any_other(
    proxy: RunningProxy, upstream: ScriptedUpstream, someone: User
) -> None:
    upstream.answers.append(completion_stream("Lapsang", " Souchong."))
    named = {name.decode(): value.decode() for name, value in spoken_for(someone)}

    async with sdk(proxy, someone) as client:
        stream = await client.chat.completions.create(
            model="scripted", messages=ASK, stream=True, extra_headers=named
        )
        chunks = [chunk async for chunk in stream]

    told = [(chunk.model_extra or {})["event"] for chunk in chunks if not chunk.choices]
    said = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert "".join(said) == "Lapsang Souchong."
    assert told[0]["data"]["description"] == "Recalled 1 memory"
    assert told[1]["data"]["document"] == [TEA]
    assert told[2]["data"]["description"] == "Meanwhile remembered: Has a cat."
    assert_recalled(upstream.last, someone)
