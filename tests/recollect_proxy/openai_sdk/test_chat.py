"""Chat completions, as the SDK speaks them: whole, streamed, in parts, with tools, structured."""

import json
from typing import Any

from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import (
    ASK,
    TEA_AS_JSON,
    WHICH_TEA,
    Tea,
    assert_recalled,
)
from tests.scripted.upstream import (
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
    event,
    streamed,
    whole,
)
from tests.servers.running_proxy import RunningProxy, User

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


async def test_the_stream_helper_puts_a_completion_together(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(completion_stream("Lapsang", " Souchong."))

    async with client.chat.completions.stream(model="scripted", messages=ASK) as stream:
        snapshots = [event.snapshot async for event in stream if event.type == "content.delta"]
        final = await stream.get_final_completion()

    assert snapshots[-2:] == ["Lapsang", "Lapsang Souchong."]
    assert final.choices[0].message.content == "Lapsang Souchong."
    assert upstream.last.json["stream"] is True
    assert_recalled(upstream.last, known)


async def test_a_streaming_response_is_read_line_by_line_as_the_upstream_wrote_it(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(streamed(b": keep-alive\n\n", event({"content": "Tea."}), b"data: [DONE]\n\n"))

    asking = client.chat.completions.with_streaming_response
    async with asking.create(model="scripted", messages=ASK, stream=True) as answer:
        lines = [line async for line in answer.iter_lines()]

    assert lines[0] == ": keep-alive"
    assert lines[2] == event({"content": "Tea."}).decode().strip()
    assert lines[4] == "data: [DONE]"
    assert_recalled(upstream.last, known)


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
    upstream.answers.append(completion(TEA_AS_JSON))

    answer = await client.chat.completions.parse(model="scripted", messages=ASK, response_format=Tea)

    assert answer.choices[0].message.parsed == Tea(name="Lapsang Souchong", smoked=True)
    assert upstream.last.json["response_format"]["json_schema"]["name"] == "Tea"
    assert_recalled(upstream.last, known)
