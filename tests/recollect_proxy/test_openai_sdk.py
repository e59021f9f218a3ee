"""The current OpenAI SDK finds no difference through us but the memory."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from pydantic import BaseModel
from tests.running_proxy import KEY, RunningProxy, User
from tests.scripted_upstream import (
    DONE,
    End,
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
TOOL: Any = {
    "type": "function",
    "function": {"name": "brew", "parameters": {"type": "object", "properties": {}}},
}
CALL: Any = {"id": "call_1", "type": "function", "function": {"name": "brew", "arguments": '{"minutes": 3}'}}


class Tea(BaseModel):
    name: str
    minutes: int


@pytest.fixture(params=["without identity", "with memory"])
async def client(
    request: pytest.FixtureRequest, proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> AsyncIterator[openai.AsyncOpenAI]:
    headers = {}
    if request.param == "with memory":
        headers = {"X-OpenWebUI-User-Id": user.id, "X-OpenWebUI-Chat-Id": "sdk"}
        await proxy.say(user, TEA, chat="before")
        await proxy.memories(user)
        upstream.forget()
    key = KEY.decode().removeprefix("Bearer ")
    base_url = f"http://127.0.0.1:{proxy.port}/v1"
    async with openai.AsyncOpenAI(
        base_url=base_url, api_key=key, default_headers=headers, max_retries=0
    ) as sdk:
        yield sdk


def ask(text: str = WHICH_TEA) -> list[openai.types.chat.ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


def remembers(client: openai.AsyncOpenAI) -> bool:
    return "X-OpenWebUI-User-Id" in client.default_headers


async def test_an_answer_at_once(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    raw = await client.chat.completions.with_raw_response.create(model="scripted", messages=ask())
    answer = raw.parse()

    assert answer.choices[0].message.content == "All right."
    assert answer.usage is not None
    assert answer.usage.total_tokens == 2
    assert (TEA in upstream.last.system) is remembers(client)
    assert raw.headers["x-recollect-memories"] == ("1" if remembers(client) else "0")


async def test_a_streamed_answer(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    upstream.answers.append(completion_stream("Lap", "sang 茶", "!"))

    stream = await client.chat.completions.create(model="scripted", messages=ask(), stream=True)
    said = [chunk.choices[0].delta.content or "" async for chunk in stream]

    assert "".join(said) == "Lapsang 茶!"
    assert (TEA in upstream.last.system) is remembers(client)


async def test_the_streaming_helper(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    upstream.answers.append(completion_stream("Lap", "sang"))

    async with client.chat.completions.stream(model="scripted", messages=ask()) as stream:
        final = await stream.get_final_completion()

    assert final.choices[0].message.content == "Lapsang"


async def test_tool_calls(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    upstream.answers.append(whole(completion_body(None, tool_calls=[CALL])))
    upstream.answers.append(completion("It is brewed."))

    called = await client.chat.completions.create(model="scripted", messages=ask(), tools=[TOOL])
    calls = called.choices[0].message.tool_calls
    assert calls is not None
    done = await client.chat.completions.create(
        model="scripted",
        messages=[
            *ask(),
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
        ],
        tools=[TOOL],
    )

    assert calls[0].id == "call_1"
    assert upstream.last.json["tools"] == [TOOL]
    assert upstream.last.json["messages"][-2]["tool_calls"] == [CALL]
    assert done.choices[0].message.content == "It is brewed."


async def test_streamed_tool_calls(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    pieces = [
        {
            "tool_calls": [
                {
                    "index": 0,
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "brew", "arguments": ""},
                }
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"minutes"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ": 3}"}}]},
    ]
    upstream.answers.append(streamed(*map(event, pieces), event({}, finish="tool_calls"), DONE))

    async with client.chat.completions.stream(model="scripted", messages=ask(), tools=[TOOL]) as stream:
        final = await stream.get_final_completion()

    calls = final.choices[0].message.tool_calls
    assert calls is not None
    assert calls[0].function.arguments == '{"minutes": 3}'


async def test_multimodal_parts(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    parts: Any = [
        {"type": "text", "text": WHICH_TEA},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
    ]

    await client.chat.completions.create(
        model="scripted",
        messages=[{"role": "user", "content": parts}],
    )

    assert upstream.last.json["messages"][-1]["content"] == parts
    assert (TEA in upstream.last.system) is remembers(client)


async def test_structured_output(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    upstream.answers.append(completion(json.dumps({"name": "Lapsang", "minutes": 3})))

    parsed = await client.chat.completions.parse(model="scripted", messages=ask(), response_format=Tea)

    assert parsed.choices[0].message.parsed == Tea(name="Lapsang", minutes=3)
    assert upstream.last.json["response_format"]["json_schema"]["name"] == "Tea"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, openai.AuthenticationError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
async def test_errors_of_the_upstream(
    client: openai.AsyncOpenAI, upstream: ScriptedUpstream, status: int, error: type[openai.APIStatusError]
) -> None:
    upstream.answers.append(failure(status, headers=[(b"Retry-After", b"7")], message="Not now."))

    with pytest.raises(error) as caught:
        await client.chat.completions.create(model="scripted", messages=ask())

    assert caught.value.status_code == status
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.code == f"scripted_{status}"
    assert "Not now." in caught.value.message


async def test_the_sdk_retries_through_us(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers.append(failure(429, headers=[(b"Retry-After-Ms", b"1")]))
    upstream.answers.append(completion("At last."))
    headers = {"X-OpenWebUI-User-Id": user.id}
    base_url = f"http://127.0.0.1:{proxy.port}/v1"
    async with openai.AsyncOpenAI(base_url=base_url, api_key="sk-a", default_headers=headers) as sdk:
        answer = await sdk.chat.completions.create(model="scripted", messages=ask(TEA))

    assert answer.choices[0].message.content == "At last."
    assert await proxy.logged(user) == [("user", TEA), ("assistant", "At last.")]


async def test_a_stream_that_is_left_midway_closes_the_upstream_and_is_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    first, second, *_ = events("I would ", "say")
    upstream.answers.append(streamed(first, second, End.SILENCE))
    headers = {"X-OpenWebUI-User-Id": user.id}
    base_url = f"http://127.0.0.1:{proxy.port}/v1"
    async with openai.AsyncOpenAI(base_url=base_url, api_key="sk-a", default_headers=headers) as sdk:
        stream = await sdk.chat.completions.create(model="scripted", messages=ask(TEA), stream=True)
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        await stream.close()

    async with asyncio.timeout(10):
        await upstream.last.client_left.wait()
    assert await proxy.logged(user) == [("user", TEA), ("assistant", "I would ")]


async def test_the_list_of_models_passes(client: openai.AsyncOpenAI, upstream: ScriptedUpstream) -> None:
    listed = {"object": "list", "data": [{"id": "a", "object": "model", "created": 1, "owned_by": "b"}]}
    upstream.answers.append(whole(json.dumps(listed).encode()))

    assert [model.id async for model in client.models.list()] == ["a"]
