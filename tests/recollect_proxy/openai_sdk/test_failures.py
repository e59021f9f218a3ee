"""What goes wrong, as the SDK sees it: error classes, broken streams, timeouts, cancelled streams."""

import asyncio

import openai
import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.openai_sdk.application import ASK, WHICH_TEA, sdk
from tests.scripted.upstream import (
    Answer,
    End,
    ScriptedUpstream,
    events,
    failure,
    streamed,
)
from tests.servers.running_proxy import RunningProxy, User

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
