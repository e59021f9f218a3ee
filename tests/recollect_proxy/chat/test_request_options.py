"""What one request asks of its memory, as headers and as the `recollect` object of its body, and what its answer tells."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect_proxy.given import TEA, WHICH_TEA, given_memory
from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.own_proxies import named
from tests.scripted.upstream import ScriptedUpstream, completion_stream
from tests.servers.running_proxy import CHAT, RunningProxy, User, chat_body
from tests.support.tables import table

from recollect.engine.turns.prompt_content import RecallOptions
from recollect.model import Placement
from recollect_proxy.chat.request_options import RefusedError, RequestOptions, read_request_options
from recollect_proxy.web.error_answers import failure_body


def of_headers(**headers: str) -> RequestOptions:
    named = [
        (b"X-Recollect-" + name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
    ]
    return read_request_options(named, None)


def of_body(options: Any) -> RequestOptions:
    return read_request_options([], msgspec.Raw(json.dumps(options).encode()))


ASKED: list[tuple[str, str, Any, RequestOptions]] = [
    ("top_k_memories", "3", 3, RequestOptions(RecallOptions(limit=3))),
    ("top_k_memories", "0", 0, RequestOptions(RecallOptions(limit=0))),
    ("max_memory_tokens", " 250 ", 250, RequestOptions(RecallOptions(memory_tokens=250))),
    ("max_history_tokens", "100000", 100_000, RequestOptions(RecallOptions(history_tokens=100_000))),
    ("include_history", "on", True, RequestOptions(RecallOptions(history=True))),
    ("include_history", "0", False, RequestOptions(RecallOptions(history=False))),
    ("recall", "OFF", False, RequestOptions(RecallOptions(recall=False))),
    *(
        ("placement", each.title(), each.value, RequestOptions(RecallOptions(placement=each)))
        for each in Placement
    ),
    ("remember", "false", False, RequestOptions(remember=False)),
    ("mark", "on", True, RequestOptions(mark=True)),
    ("session", "chat-7", "chat-7", RequestOptions(session="chat-7")),
    ("project", "boat", "boat", RequestOptions(project="boat")),
    ("include", "usage, memories", ["usage", "memories"], RequestOptions(includes_memories=True)),
]


@table(("name", "as_header", "in_body", "options"), ASKED)
def test_each_option_can_be_a_header_or_a_member_of_the_body(
    *, name: str, as_header: str, in_body: Any, options: RequestOptions
) -> None:
    assert of_headers(**{name: as_header}) == options
    assert of_body({name: in_body}) == options


NOTHING, FIVE = RequestOptions(), RequestOptions(RecallOptions(limit=5))
LIMIT, INCLUDE, RECALL = b"x-recollect-top-k-memories", b"x-recollect-include", b"x-recollect-recall"


@table(
    ("headers", "body", "options"),
    [
        ([(b"x-recollect-task", b"title"), (b"accept", b"*/*")], None, NOTHING),
        ([], b"{}", NOTHING),
        ([(b"x-recollect-session", b" "), (RECALL, b"")], b'{"session": null, "recall": null}', NOTHING),
        ([(b"x-recollect-session", b"{{CHAT_ID}}")], None, NOTHING),
        *(([(INCLUDE, each)], None, NOTHING) for each in (b"usage", b"all-memories", b"")),
        # the body goes before the header, whatever stands there
        (
            [(LIMIT, b"3"), (b"x-recollect-remember", b"off")],
            b'{"top_k_memories": 5}',
            replace(FIVE, remember=False),
        ),
        ([(RECALL, b"perhaps")], b'{"recall": false}', RequestOptions(RecallOptions(recall=False))),
        # of a header given twice the last counts, but what to include adds up
        ([(LIMIT, b"3"), (LIMIT, b"5")], None, FIVE),
        ([(INCLUDE, b"memories"), (INCLUDE, b"usage")], None, RequestOptions(includes_memories=True)),
        # a session of a header is percent-decoded
        ([(b"x-recollect-session", b"caf%C3%A9")], None, RequestOptions(session="caf\u00e9")),
        ([], b'{"session": "100%25"}', RequestOptions(session="100%25")),
    ],
)
def test_headers_and_the_body_say_what_is_asked(
    headers: list[tuple[bytes, bytes]], body: bytes | None, options: RequestOptions
) -> None:
    assert read_request_options(headers, None if body is None else msgspec.Raw(body)) == options


@table(
    ("name", "value"),
    [
        ("top_k_memories", "-1"),
        ("top_k_memories", "101"),
        ("top_k_memories", "1.5"),
        ("top_k_memories", "\u0663"),
        ("top_k_memories", True),
        ("max_memory_tokens", "100001"),
        ("max_memory_tokens", "9" * 5000),
        ("max_history_tokens", "many"),
        ("max_history_tokens", 2.5),
        ("recall", "perhaps"),
        ("recall", [True]),
        ("remember", 2),
        ("include_history", {"a": 1}),
        ("placement", "top"),
        ("placement", 1),
        ("session", "*"),
        ("session", "a\0b"),
        ("session", "x" * 257),
        ("session", 7),
        ("project", "\n"),
        ("project", "x" * 65),
        ("project", "{{folder}}"),
        ("project", "a\x1fb"),
        ("include", {"memories": True}),
        ("top_k", 3),
        ("", 3),
    ],
)
def test_a_senseless_option_is_refused_and_says_what_would_make_sense(name: str, value: Any) -> None:
    with pytest.raises(RefusedError) as refused:
        of_body({name: value})

    failure = refused.value.failure
    assert (failure.status, failure.code) == (400, "invalid_recollect_option")
    told = json.loads(failure_body(failure))["error"]
    assert f"option {name} must be" in told["message"]
    assert told["code"] == "invalid_recollect_option"
    assert str(value) not in told["message"] or len(str(value)) < 4  # what was sent is not repeated


@table("options", [b"7", b'"on"', b"[]", b"null", b"true", b"[" * 100_000])
def test_what_is_no_object_is_refused(options: bytes) -> None:
    with pytest.raises(RefusedError, match="recollect"):
        read_request_options([], msgspec.Raw(options))


@given(st.dictionaries(st.sampled_from([name for name, *_ in ASKED]) | st.text(), st.text() | st.integers()))
def test_whatever_is_asked_is_read_or_refused(options: dict[str, str | int]) -> None:
    try:
        read = of_body(options)
    except RefusedError:
        return
    assert read.session is None or 0 < len(read.session) <= 256
    assert read.recall.limit is None or 0 <= read.recall.limit <= 100
    assert read.recall.memory_tokens is None or 0 <= read.recall.memory_tokens <= 100_000


@given(st.sampled_from([name for name, *_ in ASKED]), st.binary())
def test_whatever_a_header_says_is_read_or_refused(name: str, value: bytes) -> None:
    with suppress(RefusedError):
        options = read_request_options([(b"x-recollect-" + name.replace("_", "-").encode(), value)], None)
        assert options.recall.limit is None or 0 <= options.recall.limit <= 100


proxy = named("session_listening")


@in_turn("known", [True, False])
@in_turn("given", [{"recollect": {"top_k": 3}}, {"recollect": 7}, {"recollect": {"placement": "top"}}])
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


async def test_a_stream_tells_its_memories_in_a_header(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    await given_memory(proxy, user)
    await given_memory(proxy, user, "My favourite tea cup is t\u00fcrkis \U0001f375.")
    upstream.answers.append(completion_stream("Lapsang."))

    answer = await proxy.say(user, WHICH_TEA, stream=True, extra=[(b"X-Recollect-Include", b"memories")])

    listed = answer.header(b"x-recollect-memory-list")
    assert listed is not None
    assert listed.isascii()
    assert len(listed) <= 6000
    memories = json.loads(listed)
    assert TEA in [memory["preview"] for memory in memories]
    assert all(set(memory) == {"id", "kind", "source", "preview", "score"} for memory in memories)
    assert b"memories" not in answer.body
