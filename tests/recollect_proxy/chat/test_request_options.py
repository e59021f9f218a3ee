"""What one request asks of its memory, as headers and as the `recollect` object of its body, and what its answer tells."""

import json
from contextlib import suppress
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

from recollect.engine.turns.prepared import RecallOptions
from recollect.model import Placement
from recollect_proxy.chat.request_reader import RefusedError, RequestOptions, read_request_options
from recollect_proxy.web.errors import failure_body


def of_headers(**headers: str) -> RequestOptions:
    named = [
        (b"X-Recollect-" + name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
    ]
    return read_request_options(named, None)


def of_body(options: Any) -> RequestOptions:
    return read_request_options([], msgspec.Raw(json.dumps(options).encode()))


def test_a_request_that_asks_for_nothing_has_it_as_the_settings_have_it() -> None:
    assert (
        read_request_options([(b"x-recollect-task", b"title"), (b"accept", b"*/*")], None) == RequestOptions()
    )
    assert of_body({}) == RequestOptions()
    assert RequestOptions().recall == RecallOptions()


ASKED: list[tuple[str, str, Any, RequestOptions]] = [
    ("top_k_memories", "3", 3, RequestOptions(RecallOptions(limit=3))),
    ("top_k_memories", "0", 0, RequestOptions(RecallOptions(limit=0))),
    ("max_memory_tokens", " 250 ", 250, RequestOptions(RecallOptions(memory_tokens=250))),
    ("max_history_tokens", "100000", 100_000, RequestOptions(RecallOptions(history_tokens=100_000))),
    ("include_history", "on", True, RequestOptions(RecallOptions(history=True))),
    ("include_history", "0", False, RequestOptions(RecallOptions(history=False))),
    ("recall", "OFF", False, RequestOptions(RecallOptions(recall=False))),
    ("placement", "User", "user", RequestOptions(RecallOptions(placement=Placement.USER))),
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


@table("placement", list(Placement))
def test_every_placement_can_be_asked_for(placement: Placement) -> None:
    assert of_headers(placement=placement.value).recall.placement is placement


def test_the_body_goes_before_the_header() -> None:
    headers = [(b"x-recollect-top-k-memories", b"3"), (b"x-recollect-remember", b"off")]

    options = read_request_options(headers, msgspec.Raw(b'{"top_k_memories": 5}'))

    assert options == RequestOptions(RecallOptions(limit=5), remember=False)


def test_a_senseless_header_does_no_harm_where_the_body_says_it() -> None:
    assert read_request_options(
        [(b"x-recollect-recall", b"perhaps")], msgspec.Raw(b'{"recall": false}')
    ) == RequestOptions(RecallOptions(recall=False))


def test_an_empty_header_and_a_null_ask_for_nothing() -> None:
    assert of_headers(session=" ", recall="") == RequestOptions()
    assert of_headers(session="{{CHAT_ID}}") == RequestOptions()
    assert of_body({"session": None, "recall": None}) == RequestOptions()


def test_of_a_header_given_twice_the_last_counts_but_what_to_include_adds_up() -> None:
    name = b"x-recollect-top-k-memories"
    assert read_request_options([(name, b"3"), (name, b"4")], None).recall.limit == 4
    include = b"x-recollect-include"
    assert read_request_options([(include, b"memories"), (include, b"usage")], None).includes_memories


def test_a_session_of_a_header_is_percent_decoded() -> None:
    assert of_headers(session="caf%C3%A9").session == "caf\u00e9"
    assert of_body({"session": "100%25"}).session == "100%25"


@table("value", ["usage", "all-memories", ""])
def test_memories_are_wanted_only_when_asked_for(value: str) -> None:
    assert not of_headers(include=value).includes_memories


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


# -- the headers of the answer --------------------------------------------------------------------------


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
