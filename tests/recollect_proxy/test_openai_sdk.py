"""The OpenAI SDK through the proxy, as an application uses it: memory on and off, on real sockets."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from tests.running_proxy import RunningProxy, User
from tests.scripted_upstream import (
    Answer,
    End,
    Received,
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
    event,
    events,
    failure,
    streamed,
    whole,
)

TEA = "My favourite tea is Lapsang Souchong."
WHICH_TEA = "Which tea is my favourite?"
ASK: Any = [{"role": "user", "content": WHICH_TEA}]
KEY = "sk-of-the-application"

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER: Any = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
CALLED = {"name": "weather", "arguments": '{"city": "Oslo"}'}
CALL: Any = {"id": "call_1", "type": "function", "function": CALLED}


class Tea(BaseModel):
    """What a structured answer holds."""

    name: str
    smoked: bool


@pytest.fixture(params=["with memory", "without"])
async def known(request: pytest.FixtureRequest, proxy: RunningProxy, user: User) -> User | None:
    """Someone who told us their favourite tea, and then nobody we know."""
    if request.param == "without":
        return None
    await proxy.say(user, TEA)
    await proxy.memories(user)
    return user


def sdk(proxy: RunningProxy, user: User | None, *, retries: int = 0) -> AsyncOpenAI:
    """Return the SDK as an application of this user's has it."""
    headers = {"X-OpenWebUI-User-Id": user.id, "X-OpenWebUI-Chat-Id": "sdk"} if user else {}
    base_url = f"http://127.0.0.1:{proxy.port}/v1"
    return AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=retries, default_headers=headers)


@pytest.fixture
async def client(
    proxy: RunningProxy, known: User | None, upstream: ScriptedUpstream
) -> AsyncIterator[AsyncOpenAI]:
    upstream.forget()
    async with sdk(proxy, known) as client:
        yield client


def assert_recalled(request: Received, known: User | None) -> None:
    """Assert that the user's memory went up, and nobody else's."""
    assert (TEA in request.system) == (known is not None)
    assert request.values(b"authorization") == [b"Bearer " + KEY.encode()]


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


async def test_parts_of_a_message(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    parts: Any = [
        {"type": "text", "text": WHICH_TEA},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]

    answer = await client.chat.completions.create(
        model="scripted", messages=[{"role": "user", "content": parts}]
    )

    assert answer.choices[0].message.content == "All right."
    assert upstream.last.json["messages"][-1]["content"] == parts
    assert_recalled(upstream.last, known)


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


async def test_streamed_tool_calls(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    start = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": piece}} for piece in ('{"ci', 'ty": ', '"Oslo"}')]
    deltas = [event({"tool_calls": [each]}) for each in (start, *pieces)]
    upstream.answers.append(streamed(*deltas, event({}, finish="tool_calls"), b"data: [DONE]\n\n"))

    async with client.chat.completions.stream(model="scripted", messages=ASK, tools=[WEATHER]) as stream:
        final = await stream.get_final_completion()

    calls = final.choices[0].message.tool_calls
    assert calls
    assert json.loads(calls[0].function.arguments) == {"city": "Oslo"}
    assert_recalled(upstream.last, known)


async def test_a_structured_answer(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(completion('{"name": "Lapsang Souchong", "smoked": true}'))

    answer = await client.chat.completions.parse(model="scripted", messages=ASK, response_format=Tea)

    assert answer.choices[0].message.parsed == Tea(name="Lapsang Souchong", smoked=True)
    assert upstream.last.json["response_format"]["json_schema"]["name"] == "Tea"
    assert_recalled(upstream.last, known)


ERRORS: list[tuple[Answer, type[openai.APIStatusError]]] = [
    (failure(400), openai.BadRequestError),
    (failure(401), openai.AuthenticationError),
    (failure(429, headers=[(b"retry-after", b"7")]), openai.RateLimitError),
    (failure(500), openai.InternalServerError),
]


@pytest.mark.parametrize(("answer", "expected"), ERRORS, ids=["400", "401", "429", "500"])
@pytest.mark.parametrize("stream", [False, True])
async def test_errors_arrive_as_the_upstreams_own(
    client: AsyncOpenAI,
    upstream: ScriptedUpstream,
    known: User | None,
    answer: Answer,
    expected: type[openai.APIStatusError],
    *,
    stream: bool,
) -> None:
    upstream.answers.append(answer)

    with pytest.raises(expected) as caught:
        await client.chat.completions.create(model="scripted", messages=ASK, stream=stream)

    error = caught.value
    assert error.code == f"scripted_{error.status_code}"
    assert error.response.headers.get("retry-after") == ("7" if expected is openai.RateLimitError else None)
    assert error.response.headers["x-recollect-memories"] == ("1" if known else "0")


async def test_an_upstream_that_hangs_up_is_an_error_that_says_who_failed(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((End.CLOSE,))

    with pytest.raises(openai.InternalServerError) as caught:
        await client.chat.completions.create(model="scripted", messages=ASK)

    assert caught.value.status_code == 502
    assert caught.value.code == "upstream_broke_off"
    assert caught.value.response.headers["x-recollect-error"] == "upstream"


async def test_a_stream_that_breaks_off_is_an_error_for_the_sdk_too(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(streamed(*list(events("Lap", "sang"))[:3], End.CLOSE))
    said = ""

    async def listen() -> None:
        nonlocal said
        async for chunk in await client.chat.completions.create(model="scripted", messages=ASK, stream=True):
            said += chunk.choices[0].delta.content or ""

    with pytest.raises(openai.APIConnectionError):
        await listen()
    assert said == "Lapsang"


async def test_the_sdk_may_try_again_and_that_is_one_exchange(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers += [failure(429, headers=[(b"retry-after-ms", b"1")]), completion("At last.")]

    async with sdk(proxy, user, retries=1) as client:
        answer = await client.chat.completions.create(model="scripted", messages=ASK)

    assert answer.choices[0].message.content == "At last."
    assert await proxy.logged(user) == [("user", WHICH_TEA), ("assistant", "At last.")]


async def test_a_stream_that_is_cancelled_frees_the_upstream(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None, proxy: RunningProxy
) -> None:
    upstream.answers.append(streamed(*list(events("Lap", "sang"))[:3], End.SILENCE))

    stream = await client.chat.completions.create(model="scripted", messages=ASK, stream=True)
    async for chunk in stream:
        if chunk.choices[0].delta.content == "sang":
            break
    await stream.close()

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    if known:
        assert (await proxy.logged(known))[-2:] == [("user", WHICH_TEA), ("assistant", "Lapsang")]


async def test_other_endpoints_work_as_they_do_without_us(
    client: AsyncOpenAI, upstream: ScriptedUpstream, tmp_path: Path
) -> None:
    models = {
        "object": "list",
        "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "x"}],
    }
    vector = {"object": "embedding", "index": 0, "embedding": [0.25, -1.0]}
    embeddings = {
        "object": "list",
        "data": [vector],
        "model": "e",
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    file = {
        "id": "file-1",
        "object": "file",
        "bytes": 3,
        "created_at": 1,
        "filename": "a.txt",
        "purpose": "batch",
    }
    upstream.answers += [whole(json.dumps(body).encode()) for body in (models, embeddings, file)]
    upload = tmp_path / "a.txt"
    upload.write_bytes(b"\x00\xff\n")

    listed = [model.id async for model in client.models.list()]
    embedded = await client.embeddings.create(model="e", input="tea", encoding_format="float")
    uploaded = await client.files.create(file=upload, purpose="batch")

    assert listed == ["scripted"]
    assert embedded.data[0].embedding == [0.25, -1.0]
    assert uploaded.id == "file-1"
    assert b"\x00\xff\n" in upstream.last.body
    assert [request.target for request in upstream.received] == [
        b"/v1/models",
        b"/v1/embeddings",
        b"/v1/files",
    ]
