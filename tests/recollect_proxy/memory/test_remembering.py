"""Which answers are logged, and which requests are not."""

import json
from typing import Any

import pytest
from tests.recollect_proxy.in_turn import in_turn
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
from tests.servers.running_proxy import CHAT, RunningProxy, User

CAT = "I have a cat called Minka."
WHICH_CAT = "What is my cat called?"
TOOL_CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture
def proxy(listening_proxy: RunningProxy) -> RunningProxy:
    """A proxy that forms no memories, so only its log is tested."""
    return listening_proxy


def said(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | fields


def encoded(body: bytes, encoding: str, content_type: bytes) -> Answer:
    headers = [(b"Content-Type", content_type), (b"Content-Encoding", encoding.encode())]
    return whole(compressed(body, encoding), headers=headers)


# -- answers ---------------------------------------------------------------------------------------


async def test_a_streamed_answer_is_remembered_whole(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    stream = b"".join(events("What a ", "nice n", "\u00e4me."))
    cuts = [stream[at : at + 7] for at in range(0, len(stream), 7)]  # within events, and within letters
    upstream.answers.append(streamed(*cuts))

    answer = await proxy.say(user, CAT, stream=True)

    assert answer.body == stream
    assert await proxy.logged(user) == [("user", CAT), ("assistant", "What a nice n\u00e4me.")]


@in_turn("encoding", ["gzip", "br", "zstd"])
async def test_a_compressed_answer_is_relayed_untouched_and_remembered_all_the_same(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, encoding: str
) -> None:
    stream = b"".join(events("Min", "ka."))
    upstream.answers += [
        encoded(completion_body("Minka!"), encoding, b"application/json"),
        encoded(stream, encoding, b"text/event-stream; charset=utf-8"),
    ]
    accept = [(b"Accept-Encoding", encoding.encode())]

    answer = await proxy.say(user, CAT, extra=accept)
    second = await proxy.say(user, WHICH_CAT, stream=True, extra=accept)

    assert answer.header(b"content-encoding") == encoding.encode()
    assert answer.body == compressed(completion_body("Minka!"), encoding)
    assert second.body == compressed(stream, encoding)
    assert upstream.last.values(b"accept-encoding") == [encoding.encode()]
    assert await proxy.logged(user) == [
        ("user", CAT),
        ("assistant", "Minka!"),
        ("user", WHICH_CAT),
        ("assistant", "Minka."),
    ]


@in_turn("status", [401, 403])
async def test_of_whom_the_upstream_does_not_know_nothing_is_remembered(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, status: int
) -> None:
    upstream.answers.append(failure(status))

    answer = await proxy.say(user, CAT)

    assert answer.status == status
    assert await proxy.logged(user) == []
    await proxy.say(user, CAT)  # with the right key
    assert (await proxy.logged(user))[0] == ("user", CAT)


# -- requests --------------------------------------------------------------------------------------


@in_turn("stream", [False, True])
async def test_of_a_tool_loop_the_final_answer_is_remembered_and_that_once(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, *, stream: bool
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

    await proxy.say(user, [question], stream=stream)
    after_the_call = await proxy.logged(user)
    await proxy.say(user, round_two, stream=stream)

    assert after_the_call == [("user", "What is the weather?")]
    assert await proxy.logged(user) == [("user", "What is the weather?"), ("assistant", "Sunny.")]


async def test_a_body_too_large_to_read_passes_without_memory(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    image = "x" * (33 * 1024 * 1024)
    body = json.dumps({"messages": [said("user", CAT)], "image": image}).encode()

    answer = await proxy.fetch(b"POST", CHAT, user.headers(), body)

    assert answer.status == 200
    assert answer.header(b"x-recollect-skipped") == b"too-large"
    assert upstream.last.body == body
    assert await proxy.logged(user) == []
