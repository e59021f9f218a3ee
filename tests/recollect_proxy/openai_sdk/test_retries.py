"""The SDK tries again, as the upstream told it to; to us it is one exchange."""

from types import SimpleNamespace

import openai
import pytest
from tests.recollect_proxy.openai_sdk.application import ASK, WHICH_TEA, assert_recalled, sdk
from tests.scripted.upstream import (
    Answer,
    End,
    Fields,
    ScriptedUpstream,
    completion,
    completion_stream,
    failure,
)
from tests.servers.running_proxy import RunningProxy, User

SOON: Fields = [(b"retry-after-ms", b"1")]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the SDK would have waited before each further try: it does not wait."""
    found: list[float] = []

    async def note(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(openai._base_client, "anyio", SimpleNamespace(sleep=note))
    return found


@pytest.mark.parametrize("status", [408, 429, 500])
@pytest.mark.parametrize("stream", [False, True])
async def test_it_is_tried_again_until_it_succeeds(
    proxy: RunningProxy, upstream: ScriptedUpstream, known: User | None, status: int, *, stream: bool
) -> None:
    answer = completion_stream("At", " last.") if stream else completion("At last.")
    upstream.answers += [failure(status, headers=SOON), failure(status, headers=SOON), answer]

    async with sdk(proxy, known, retries=2) as client:
        said = await client.chat.completions.create(model="scripted", messages=ASK, stream=stream)
        text = (
            said.choices[0].message.content
            if isinstance(said, openai.types.chat.ChatCompletion)
            else "".join([chunk.choices[0].delta.content or "" async for chunk in said])
        )

    assert text == "At last."
    counts = [request.values(b"x-stainless-retry-count") for request in upstream.received]
    assert counts == [[b"0"], [b"1"], [b"2"]]
    assert len({request.body for request in upstream.received}) == 1
    assert_recalled(upstream.last, known)
    if known:
        assert (await proxy.logged(known))[-2:] == [("user", WHICH_TEA), ("assistant", "At last.")]


async def test_a_second_that_the_upstream_asks_for_is_what_the_sdk_is_told(
    proxy: RunningProxy, upstream: ScriptedUpstream, known: User | None, waits: list[float]
) -> None:
    upstream.answers += [failure(429, headers=[(b"retry-after", b"1")]), completion("At last.")]

    async with sdk(proxy, known, retries=1) as client:
        answer = await client.chat.completions.with_raw_response.create(model="scripted", messages=ASK)

    assert answer.retries_taken == 1
    assert waits == [1]
    assert len(upstream.received) == 2


VERDICTS: list[tuple[Answer, int]] = [
    (failure(500, headers=[(b"x-should-retry", b"false")]), 1),
    (failure(400, headers=[(b"x-should-retry", b"true"), *SOON]), 3),
    (failure(400), 1),
]


@pytest.mark.parametrize(("answer", "tries"), VERDICTS, ids=["not this 500", "this 400 too", "no 400 else"])
async def test_whether_to_try_again_is_the_upstreams_to_say(
    proxy: RunningProxy, upstream: ScriptedUpstream, known: User | None, answer: Answer, tries: int
) -> None:
    upstream.otherwise = lambda _request: answer

    async with sdk(proxy, known, retries=2) as client:
        with pytest.raises(openai.APIStatusError):
            await client.chat.completions.create(model="scripted", messages=ASK)

    assert len(upstream.received) == tries


@pytest.mark.usefixtures("waits")
async def test_an_answer_of_our_own_is_tried_again_too(
    proxy: RunningProxy, upstream: ScriptedUpstream, known: User | None
) -> None:
    upstream.otherwise = lambda request: (
        completion("At last.") if request.values(b"x-stainless-retry-count") == [b"1"] else (End.CLOSE,)
    )

    async with sdk(proxy, known, retries=1) as client:
        answer = await client.chat.completions.create(model="scripted", messages=ASK)

    assert answer.choices[0].message.content == "At last."
    assert_recalled(upstream.last, known)


async def test_tries_that_all_fail_leave_no_answer_in_the_log(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.otherwise = lambda _request: failure(500, headers=SOON)

    async with sdk(proxy, user, retries=2) as client:
        with pytest.raises(openai.InternalServerError):
            await client.chat.completions.create(model="scripted", messages=ASK)

    assert len(upstream.received) == 3
    assert "assistant" not in [role for role, _ in await proxy.logged(user)]


async def test_the_same_question_again_is_one_exchange(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    upstream.answers += [failure(429, headers=SOON), completion("At last.")]

    async with sdk(proxy, user, retries=1) as client:
        await client.chat.completions.create(model="scripted", messages=ASK)

    assert await proxy.logged(user) == [("user", WHICH_TEA), ("assistant", "At last.")]
