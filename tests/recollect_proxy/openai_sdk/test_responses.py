"""OpenAI's Responses API, as the SDK speaks it: whole, streamed, helped along, structured."""

from typing import Any

from openai import AsyncOpenAI
from tests.recollect_proxy.openai_sdk.application import (
    WHICH_TEA,
    assert_recalled_in_instructions,
)
from tests.scripted.dialects import response, response_stream
from tests.scripted.upstream import ScriptedUpstream
from tests.servers.running_proxy import RunningProxy, User


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
