"""OpenAI's Responses API, as the SDK speaks it: whole, streamed, helped along, structured."""

from typing import Any

from openai import AsyncOpenAI
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.openai_sdk.application import (
    ASK,
    TEA,
    TEA_AS_JSON,
    WHICH_TEA,
    Tea,
    assert_recalled_in_instructions,
    sdk,
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


async def test_instructions_of_the_applications_own_stay_in_front(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(response("Lapsang Souchong."))

    await client.responses.create(model="scripted", input=ASK, instructions="Be brief.")

    assert upstream.last.json["instructions"].startswith("Be brief.")
    assert upstream.last.json["input"] == ASK
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


async def test_the_stream_helper_puts_a_response_together(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(response_stream("Lapsang", " Souchong."))

    async with client.responses.stream(model="scripted", input=WHICH_TEA) as stream:
        snapshots = [event.snapshot async for event in stream if event.type == "response.output_text.delta"]
        final = await stream.get_final_response()

    assert snapshots == ["Lapsang", "Lapsang Souchong."]
    assert final.output_text == "Lapsang Souchong."
    assert upstream.last.json["stream"] is True
    assert_recalled_in_instructions(upstream.last, known)


async def test_a_structured_response(
    client: AsyncOpenAI, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.answers.append(response(TEA_AS_JSON))

    answer = await client.responses.parse(model="scripted", input=WHICH_TEA, text_format=Tea)

    assert answer.output_parsed == Tea(name="Lapsang Souchong", smoked=True)
    assert upstream.last.json["text"]["format"]["name"] == "Tea"
    assert_recalled_in_instructions(upstream.last, known)


async def test_what_is_said_in_a_response_becomes_a_memory(
    session_proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(session_proxy, user)
    upstream.answers.append(response("Noted."))

    async with sdk(session_proxy, user) as client:
        await client.responses.create(model="scripted", input="My cat is called Miso.")

    memories = await session_proxy.memories(user, at_least=2)
    assert {memory.content for memory in memories} == {TEA, "My cat is called Miso."}


async def test_a_stored_response_is_read_and_deleted_past_us(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(response("Lapsang Souchong."))

    kept = await client.responses.retrieve("resp_1", include=["reasoning.encrypted_content"])
    await client.responses.delete("resp_1")

    assert kept.output_text == "Lapsang Souchong."
    assert [(request.method, request.target) for request in upstream.received] == [
        (b"GET", b"/v1/responses/resp_1?include%5B%5D=reasoning.encrypted_content"),
        (b"DELETE", b"/v1/responses/resp_1"),
    ]
