"""What goes wrong, as the SDK sees it: error classes, broken streams, timeouts, cancelled streams."""

import asyncio

import openai
import pytest
from openai import AsyncOpenAI
from tests.recollect_proxy.given import given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.openai_sdk.application import ASK, WHICH_TEA, assert_recalled, sdk
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


async def test_the_upstreams_request_id_is_the_errors_and_the_answers(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(failure(400, headers=[(b"x-request-id", b"req_upstream")]))

    with pytest.raises(openai.BadRequestError) as caught:
        await client.chat.completions.create(model="scripted", messages=ASK)

    assert caught.value.request_id == "req_upstream"


async def test_an_upstream_that_hangs_up_is_an_error_that_says_who_failed(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    # Always: an idle connection that turns out to be closed is tried once more.
    upstream.otherwise = lambda _request: (End.CLOSE,)

    with pytest.raises(openai.InternalServerError) as caught:
        await client.chat.completions.create(model="scripted", messages=ASK)

    assert caught.value.status_code == 502
    assert caught.value.code == "upstream_disconnected"
    assert caught.value.response.headers["x-recollect-error"] == "upstream"
    assert 1 <= len(upstream.received) <= 2


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


async def test_an_error_within_a_stream_is_raised_by_the_sdk(
    client: AsyncOpenAI, upstream: ScriptedUpstream
) -> None:
    broken = b'data: {"error": {"message": "Overloaded.", "type": "server_error", "code": "overloaded"}}\n\n'
    upstream.answers.append(streamed(*list(events("Lap"))[:2], broken))

    with pytest.raises(openai.APIError, match=r"Overloaded\.") as caught:
        async for _ in await client.chat.completions.create(model="scripted", messages=ASK, stream=True):
            pass

    assert caught.value.code == "overloaded"


async def test_a_client_whose_patience_ends_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, someone: User
) -> None:
    upstream.answers.append((End.SILENCE,))

    async with sdk(proxy, someone, timeout=2) as client:
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model="scripted", messages=ASK)

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert_recalled(upstream.last, someone)


async def test_a_client_whose_patience_ends_within_a_stream_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream, someone: User
) -> None:
    upstream.answers.append(streamed(*list(events("Lap", "sang"))[:3], End.SILENCE))
    said = ""

    async def listen(client: AsyncOpenAI) -> None:
        nonlocal said
        async for chunk in await client.chat.completions.create(model="scripted", messages=ASK, stream=True):
            said += chunk.choices[0].delta.content or ""

    async with sdk(proxy, someone, timeout=2) as client:
        with pytest.raises(openai.APIConnectionError):
            await listen(client)

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert said == "Lapsang"
    assert (await proxy.logged(someone))[-1] == ("assistant", "Lapsang")


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
