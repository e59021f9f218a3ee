"""The SDK tries again, as the upstream told it to; to us it is one exchange."""

import openai
import pytest
from tests.recollect_proxy.openai_sdk.application import ASK, WHICH_TEA, assert_recalled, sdk
from tests.scripted.upstream import (
    Fields,
    ScriptedUpstream,
    completion,
    completion_stream,
    failure,
)
from tests.servers.running_proxy import RunningProxy, User

SOON: Fields = [(b"retry-after-ms", b"1")]


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
