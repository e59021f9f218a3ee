"""A fact told in one chat is recalled in the next, for the same user only."""

import json

import pytest
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import ScriptedUpstream, completion_body, whole
from tests.servers.running_proxy import RunningProxy, User, chat_body, running_proxy

from recollect_proxy.settings.proxy_settings import ProxySettings


@pytest.fixture
async def drinker(listening_proxy: RunningProxy, user: User) -> User:
    """Someone whose favourite tea is known."""
    return await given_memory(listening_proxy, user, TEA)


async def test_a_told_fact_is_recalled_in_another_chat(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    told = await proxy.say(user, TEA, chat="chat-1")
    await proxy.memories(user)
    asked = await proxy.say(user, WHICH_TEA, chat="chat-2")

    assert told.header(b"x-recollect-memories") == b"0"
    assert told.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert asked.header(b"x-recollect-memories") == b"1"
    assert asked.header(b"x-recollect-skipped") is None
    assert TEA in upstream.last.system


async def test_another_user_never_sees_it(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User, other_user: User
) -> None:
    answer = await listening_proxy.say(other_user, WHICH_TEA, chat="chat-1")

    assert answer.header(b"x-recollect-memories") == b"0"
    assert upstream.last.body == chat_body(WHICH_TEA)
    assert await listening_proxy.memories(drinker)
    assert await listening_proxy.memories(other_user, at_least=0) == []


async def test_memories_are_added_to_a_json_answer_when_they_are_asked_for(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, drinker: User
) -> None:
    body = completion_body("Lapsang Souchong.")
    upstream.answers.append(whole(body))

    answer = await listening_proxy.say(
        drinker, WHICH_TEA, extra=[(b"X-Recollect-Include", b"memories"), (b"Accept-Encoding", b"gzip")]
    )

    [memory] = answer.json["memories"]
    assert memory["preview"] == TEA
    assert memory["kind"] == "fact"
    assert 0.3 < memory["score"] < 2
    told = answer.json
    del told["memories"]
    assert told.pop("used_history_tokens") == 0
    assert told == json.loads(body)
    assert answer.complete
    assert upstream.last.values(b"accept-encoding") == []


async def test_a_temporary_chat_may_recall_but_is_never_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, session_settings: ProxySettings
) -> None:
    await proxy.say(user, TEA)
    await proxy.memories(user)
    async with running_proxy(changed(session_settings, recall_in_temporary=True)) as lenient:
        answer = await lenient.say(user, WHICH_TEA, chat="temporary:1")

        assert answer.header(b"x-recollect-memories") == b"1"
        assert TEA in upstream.last.system
        assert len(await lenient.logged(user)) == len(await proxy.logged(user)) == 2
