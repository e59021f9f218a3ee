"""Chat completions, as the SDK speaks them: whole, streamed, in parts, with tools, structured."""

from typing import Any

from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import (
    ASK,
    WHICH_TEA,
    assert_recalled,
)
from tests.scripted.upstream import (
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
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
