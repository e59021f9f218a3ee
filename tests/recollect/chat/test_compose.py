import json
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from recollect.chat import ChatBody, add_to_system, read_body

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
TEXT = 'Likes "tea"\\\n\tund Gemüse 🍅 \x07'
USER = b'{"role":"user","content":"hi"}'


def read(body: bytes) -> ChatBody:
    chat = read_body(body)
    assert chat is not None
    return chat


def composed(messages: bytes) -> bytes:
    """The messages after adding; nothing else may have changed."""
    before, after = b'{"n":1e400,"n":[ ],\n"messages" : ', b' ,"stream":true}\n'
    body = add_to_system(read(before + messages + after), TEXT)
    assert body.startswith(before)
    assert body.endswith(after)
    return body[len(before) : -len(after)]


def encoded(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode()


def test_text_is_appended_to_the_first_message_of_the_system() -> None:
    system = b'[ {"content" :"Be \\u006bind.\\/","role": "system" ,"x":1e400} , %s]' % USER

    assert composed(system) == system.replace(b'\\/"', b"\\/" + encoded("\n\n" + TEXT)[1:])


def test_the_developer_is_taken_for_the_system_where_it_speaks_first() -> None:
    messages = b'[{"role":"developer","content":"a"},{"role":"system","content":"b"},%s]' % USER

    assert [m["content"] for m in json.loads(composed(messages))] == ["a\n\n" + TEXT, "b", "hi"]


def test_a_system_message_is_found_wherever_it_stands() -> None:
    messages = (
        b'[%s,{"role":"developer","content":"a"},{"role":"system","content":"b"},'
        b'{"role":"system","content":"c"}]' % USER
    )

    assert [m["content"] for m in json.loads(composed(messages))] == ["hi", "a", "b\n\n" + TEXT, "c"]


def test_without_a_system_message_one_is_put_in_front() -> None:
    messages = b'[ %s,{"role":"developer","content":"a"}]' % USER

    added = b'{"role":"system","content":' + encoded(TEXT) + b"},"
    assert composed(messages) == b"[" + added + messages[1:]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (b'"content":""', TEXT),
        (b'"content":"  "', "  \n\n" + TEXT),
        (b'"content":"a\\\\"', "a\\\n\n" + TEXT),
        (b'"content":null', TEXT),
        (b'"x":null', TEXT),
        (b'"content":[]', [{"type": "text", "text": TEXT}]),
        (b'"content":[ ]', [{"type": "text", "text": TEXT}]),
        (b'"content":[{"type":"image_url"} ]', [{"type": "image_url"}, {"type": "text", "text": TEXT}]),
    ],
)
def test_any_kind_of_content_takes_the_text(content: bytes, result: object) -> None:
    messages = b'[{"role":"system",%s},%s]' % (content, USER)

    assert json.loads(composed(messages))[0]["content"] == result


@pytest.mark.parametrize(
    "message",
    [
        b'{"role":"system","content":5}',
        b'{"role":"system","content":{"text":"a"}}',
        b'{"role":"system","content":"a","content":"b"}',
        b'{"role":"system","content":"a","c\\u006fntent":"b"}',
        b'{"role":"system","content":"a","\xff":"b"}',
    ],
)
def test_a_content_that_cant_take_text_is_left_alone(message: bytes) -> None:
    messages = b"[" + message + b"," + USER + b"]"

    assert composed(messages) == messages


def test_nothing_to_add_leaves_the_body_as_it_is() -> None:
    chat = read(b'{"messages":[' + USER + b"]}")

    assert add_to_system(chat, "") is chat.raw


def test_half_a_surrogate_pair_is_replaced() -> None:
    chat = read(b'{"messages":[' + USER + b"]}")

    assert json.loads(add_to_system(chat, "a\ud83db"))["messages"][0]["content"] == "a?b"


def in_deep(calls: int, chat: ChatBody) -> bytes:
    return in_deep(calls - 1, chat) if calls else add_to_system(chat, TEXT)


def test_a_body_too_deep_for_the_calls_under_way_is_left_alone() -> None:
    depth = sys.getrecursionlimit() // 2
    chat = read(b'{"messages":[{"role":"system","x":' + b"[" * depth + b"]" * depth + b"}]}")

    assert add_to_system(chat, TEXT) != chat.raw
    assert in_deep(depth, chat) is chat.raw


SPACE = st.text(" \t\r\n", max_size=2)
SCALAR = st.one_of(
    st.sampled_from(["null", "true", "1e400", "-0.0", "12345678901234567890123", "0.10000000000000000001"]),
    st.integers().map(str),
    st.text(max_size=5).map(json.dumps),
    st.text(max_size=5).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(['"\\u00e9\\/\\\\"', '"[{"', '"}]"', '":"', '"\\"messages\\":["']),
)


@st.composite
def _array(draw: st.DrawFn, items: st.SearchStrategy[str], least: int = 0) -> str:
    drawn = draw(st.lists(items, min_size=least, max_size=4))
    return "[" + ",".join(draw(SPACE) + item + draw(SPACE) for item in drawn) + draw(SPACE) + "]"


KEY = st.sampled_from(["a", "b", "messages", "content", "role", "é"]) | st.text(max_size=3)


@st.composite
def _object(draw: st.DrawFn, values: st.SearchStrategy[str], own: tuple[str, ...] = ()) -> str:
    """An object in which keys may repeat; ``own`` are members it has besides, once, anywhere."""
    reserved = {json.loads(member.partition(":")[0]) for member in own}
    drawn = draw(st.lists(st.tuples(KEY, values), max_size=4))
    members = [f"{json.dumps(k)}{draw(SPACE)}:{draw(SPACE)}{v}" for k, v in drawn if k not in reserved]
    members = draw(st.permutations([*members, *own]))
    return "{" + draw(SPACE) + ",".join(draw(SPACE) + m + draw(SPACE) for m in members) + "}"


VALUE = st.recursive(SCALAR, lambda inner: _array(inner) | _object(inner), max_leaves=6)
PART = _object(VALUE, ('"type":"text"',)) | VALUE
CONTENT = st.text(max_size=9).map(json.dumps) | st.just("null") | _array(PART)


@st.composite
def _message(draw: st.DrawFn) -> str:
    role = draw(st.sampled_from(["system", "developer", "user", "assistant", "tool", "critic"]))
    content = draw(st.none() | CONTENT)
    own = (f'"role":"{role}"', *([f'"content":{content}'] if content else []))
    return draw(_object(VALUE, (*own, '"name":"Ann"')) if content else _object(VALUE, own))


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    messages = draw(_array(_message(), 1))
    body = (
        draw(SPACE)
        + draw(_object(VALUE, (f'"messages"{draw(SPACE)}:{draw(SPACE)}{messages}',)))
        + draw(SPACE)
    )
    return body.encode()


def exactly(body: bytes) -> Any:
    """Decode so that nothing is lost: repeated keys, their order, and numbers as they are written."""
    return json.loads(
        body, object_pairs_hook=lambda pairs: ["object", *pairs], parse_float=str, parse_int=str
    )


def _target(messages: list[list[Any]]) -> list[Any] | None:
    roles = [dict(message[1:]).get("role") for message in messages]
    if roles[0] in {"system", "developer"}:
        return messages[0]
    return messages[roles.index("system")] if "system" in roles else None


def _expected(body: bytes, text: str) -> Any:
    """What adding should do, said with decoded values."""
    decoded = exactly(body)
    messages = dict(decoded[1:])["messages"]
    target = _target(messages)
    if target is None:
        messages.insert(0, ["object", ("role", "system"), ("content", text)])
        return decoded
    at = next((n for n, pair in enumerate(target) if pair[0] == "content"), None)
    if at is None:
        target.append(("content", text))
        return decoded
    content = target[at][1]
    if isinstance(content, list):
        if content[:1] == ["object"]:
            return decoded
        content.append(["object", ("type", "text"), ("text", text)])
    else:
        target[at] = ("content", f"{content}\n\n{text}" if content else text)
    return decoded


@CALM
@given(bodies(), st.text(min_size=1, max_size=9))
@example(b'{"messages":[{"role":"system"}]}', "a")
@example(b'{"messages":[{"role":"system","content":null}]}', "a")
@example(b'{"a":["[{",":","}]"],"messages":[{",":","}]}', "a")
def test_only_the_text_is_added_and_every_other_byte_stays(body: bytes, text: str) -> None:
    chat = read(body)

    after = add_to_system(chat, text)

    assert exactly(after) == _expected(body, text)
    if b"null" not in body:
        added = len(after) - len(body)
        assert any(after[:at] + after[at + added :] == body for at in range(len(body) + 1))
