"""What is told in one chat is logged, and recalled in the next, for the same user only."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.chat.spoken import APIS, Api
from tests.recollect_proxy.given import CAT, TEA, WHICH_CAT, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.settings import changed
from tests.scripted.upstream import (
    Answer,
    ScriptedUpstream,
    completion,
    completion_body,
    completion_stream,
    compressed,
    event,
    events,
    failure,
    streamed,
    whole,
)
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


TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def said(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | fields


def encoded(body: bytes, encoding: str, content_type: bytes) -> Answer:
    headers = [(b"Content-Type", content_type), (b"Content-Encoding", encoding.encode())]
    return whole(compressed(body, encoding), headers=headers)


# -- answers ---------------------------------------------------------------------------------------


@in_turn("api", APIS.values())
@in_turn("as_stream", [False, True])
async def test_an_answer_of_any_api_is_relayed_byte_for_byte_and_a_memory_formed_from_it(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, api: Api, *, as_stream: bool
) -> None:
    stream, whole_answer = (
        b"".join(api.stream("What a ", "nice n", "\u00e4me.")),
        api.whole("What a nice n\u00e4me."),
    )
    cuts = [stream[at : at + 7] for at in range(0, len(stream), 7)]  # within events, and within letters
    upstream.answers.append(streamed(*cuts) if as_stream else whole(whole_answer))

    answer = await proxy.fetch(b"POST", api.path, user.headers(), api.body(CAT, stream=as_stream))

    assert answer.body == (stream if as_stream else whole_answer)
    assert await proxy.logged(user) == [("user", CAT), ("assistant", "What a nice n\u00e4me.")]
    [memory] = await proxy.memories(user)
    assert memory.content == CAT


@in_turn("encoding", ["gzip", "br", "zstd"])
async def test_a_compressed_answer_is_relayed_untouched_and_remembered_all_the_same(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, encoding: str
) -> None:
    stream = b"".join(events("Min", "ka."))
    upstream.answers += [
        encoded(completion_body("Minka!"), encoding, b"application/json"),
        encoded(stream, encoding, b"text/event-stream; charset=utf-8"),
    ]
    accept = [(b"Accept-Encoding", encoding.encode())]

    answer = await listening_proxy.say(user, CAT, extra=accept)
    second = await listening_proxy.say(user, WHICH_CAT, stream=True, extra=accept)

    assert answer.header(b"content-encoding") == encoding.encode()
    assert answer.body == compressed(completion_body("Minka!"), encoding)
    assert second.body == compressed(stream, encoding)
    assert upstream.last.values(b"accept-encoding") == [encoding.encode()]
    assert await listening_proxy.logged(user) == [
        ("user", CAT),
        ("assistant", "Minka!"),
        ("user", WHICH_CAT),
        ("assistant", "Minka."),
    ]


@in_turn("status", [401, 403])
async def test_of_whom_the_upstream_does_not_know_nothing_is_remembered(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, status: int
) -> None:
    upstream.answers.append(failure(status))

    answer = await listening_proxy.say(user, CAT)

    assert answer.status == status
    assert await listening_proxy.logged(user) == []
    await listening_proxy.say(user, CAT)  # with the right key
    assert (await listening_proxy.logged(user))[0] == ("user", CAT)


# -- requests --------------------------------------------------------------------------------------


@in_turn("stream", [False, True])
async def test_of_a_tool_loop_the_final_answer_is_remembered_and_that_once(
    listening_proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *, stream: bool
) -> None:
    calling: Answer = whole(completion_body(None, tool_calls=[TOOL_CALL]))
    if stream:
        calling = streamed(event({"tool_calls": [{"index": 0, **TOOL_CALL}]}, finish="tool_calls"))
    upstream.answers += [calling, completion_stream("Sunny.") if stream else completion("Sunny.")]
    question = said("user", "What is the weather?")
    round_two = [
        question,
        said("assistant", None, tool_calls=[TOOL_CALL]),
        said("tool", '{"sky": "clear"}', tool_call_id="call_1"),
    ]

    await listening_proxy.say(user, [question], stream=stream)
    after_the_call = await listening_proxy.logged(user)
    await listening_proxy.say(user, round_two, stream=stream)

    assert after_the_call == [("user", "What is the weather?")]
    assert await listening_proxy.logged(user) == [("user", "What is the weather?"), ("assistant", "Sunny.")]
