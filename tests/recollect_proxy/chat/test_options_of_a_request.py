"""Options of one request apply to it, and are not sent on."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.scripted.upstream import ScriptedUpstream, completion_stream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body

TEAS = [TEA, "Green tea is what I drink in the evening.", "My mother's favourite tea is Darjeeling."]


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms no memories, so only recall is tested."""
    return listening_proxy


@pytest.fixture
async def drinker(proxy: RunningProxy, user: User) -> User:
    for tea in TEAS:
        await given_memory(proxy, user, tea)
    return user


@in_turn("known", [True, False])
@in_turn(
    "given",
    [{"recollect": {"top_k": 3}}, {"recollect": 7}, {"recollect": {"placement": "top"}}],
)
async def test_a_senseless_option_is_refused_and_nothing_is_sent_on(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, given: dict[str, Any], *, known: bool
) -> None:
    headers = user.headers() if known else [(b"Content-Type", b"application/json")]

    answer = await proxy.fetch(b"POST", CHAT, headers, chat_body("Hello.", **given))

    assert answer.status == 400
    error = answer.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] == "invalid_recollect_option"
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert upstream.received == []
    if known:
        assert await proxy.logged(user) == []


# -- the headers of the answer --------------------------------------------------------------------------


async def test_a_stream_tells_its_memories_in_a_header(
    proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User
) -> None:
    await given_memory(proxy, drinker, "My favourite tea cup is t\u00fcrkis \U0001f375.")
    upstream.answers.append(completion_stream("Lapsang."))

    answer = await proxy.say(drinker, WHICH_TEA, stream=True, extra=[(b"X-Recollect-Include", b"memories")])

    listed = answer.header(b"x-recollect-memory-list")
    assert listed is not None
    assert listed.isascii()
    assert len(listed) <= 6000
    memories = json.loads(listed)
    assert TEA in [memory["preview"] for memory in memories]
    assert all(set(memory) == {"id", "kind", "source", "preview", "score"} for memory in memories)
    assert b"memories" not in answer.body
