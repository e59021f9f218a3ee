"""However long a chat, as much of it is read as matters; and of what is read all is as it always was."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.wire.fuzzing import dialects
from tests.recollect.wire.test_fuzz_bodies import written
from tests.support.tables import table

from recollect.model import Skip, Turn
from recollect.wire import (
    COMPLETIONS,
    MESSAGES,
    RESPONSES,
    Additions,
    DetectedTurn,
    Dialect,
    SystemStyle,
    detect_turn,
    reading_limits,
    take_options,
)
from recollect.wire import (
    request_body as bodies,
)
from recollect.wire.raw_json import find_member

AT = datetime(2026, 3, 1, tzinfo=UTC)
HEAVY = {"LIGHT_BYTES": 0, "PLAIN_BYTES": 4}
"""As if every request, and each of its messages, were a large one."""


def heard(body: bytes, dialect: Dialect = COMPLETIONS) -> DetectedTurn:
    return detect_turn(body, dialect=dialect, user_id="anna", session_id=None, message_id=None, at=AT)


def turn_of(body: bytes) -> Turn:
    turn = heard(body).turn
    assert turn is not None
    return turn


def chat(contents: list[Any], **others: Any) -> bytes:
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": content} for number, content in enumerate(contents)]
    return json.dumps({"model": "m", **others, "messages": messages}).encode()


def many(count: int) -> bytes:
    return chat([f"message {number}" for number in range(count)])


@given(dialect=dialects, body=written())
def test_a_large_request_is_read_as_a_small_one(dialect: Dialect, body: bytes) -> None:
    light = heard(body, dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_limits, "LIGHT_BYTES", 0)
        heavy = heard(body, dialect)

    assert heavy == light


contents = st.text() | st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url"])}, optional={"text": st.text()})
)


@given(said=st.lists(contents, min_size=1, max_size=5))
def test_of_a_large_message_the_texts_are_read_as_of_a_small_one(said: list[Any]) -> None:
    body = chat(said)
    light = heard(body)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in HEAVY.items():
            patch.setattr(reading_limits, name, value)
        heavy = heard(body)

    assert (heavy.turn, heavy.skip) == (light.turn, light.skip)


class Counting:
    """A decoder of one message, and how often it was asked."""

    def __init__(self, decoder: "msgspec.json.Decoder[Any]") -> None:
        self.decoder = decoder
        self.asked = 0

    def decode(self, source: Any) -> Any:
        self.asked += 1
        return self.decoder.decode(source)


def test_of_a_long_chat_as_many_messages_are_decoded_as_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.wire import request_body as completions  # noqa: PLC0415 -- what is watched

    counting = Counting(completions._MESSAGES._one)
    monkeypatch.setattr(completions._MESSAGES, "_one", counting)

    turn = turn_of(many(20_001))

    assert turn.text == "message 20000"
    assert counting.asked == reading_limits.FIRST + reading_limits.LAST
    assert len(turn.history) < counting.asked
    assert len(turn.anchors) <= counting.asked


def test_a_long_chat_has_the_key_session_and_anchor_it_has_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    body = many(5_001)
    short = turn_of(body)
    monkeypatch.setattr(reading_limits, "LAST", 10_000)
    whole = turn_of(body)

    assert (short.key, short.scope, short.anchor) == (whole.key, whole.scope, whole.anchor)
    assert short.anchors[-500:] == whole.anchors[-500:]
    assert short.history[0] == whole.history[0]
    assert len(short.history) < len(whole.history)


def test_one_message_more_of_a_long_chat_is_another_turn() -> None:
    assert turn_of(chat(["yes"] * 9_001)).key != turn_of(chat(["yes"] * 9_003)).key


@table("dialect", [COMPLETIONS, RESPONSES, MESSAGES])
def test_what_is_added_to_a_long_chat_stands_where_it_belongs(dialect: Dialect) -> None:
    name = "input" if dialect is RESPONSES else "messages"
    body = many(4_001).replace(b'"messages"', f'"{name}"'.encode())
    read = heard(body, dialect)
    assert read.body is not None
    assert read.turn is not None
    position = read.turn.anchors[-1][0]

    composed = dialect.compose(read.body, Additions(beside={position: "tea"}), SystemStyle.ANY)

    assert composed is not None
    before, after = json.loads(body)[name], json.loads(composed)[name]
    assert after[:-1] == before[:-1]
    assert "tea" in str(after[-1])


LONG = "x" * reading_limits.LONGEST_TEXT
STRUCTURE = b'{"messages":[{"role":"user","content":"hi"}],"x":['


@table(
    "body",
    [
        chat([LONG]),
        chat(["hello", "hi", LONG]),
        chat([LONG, "I see.", "And now?"]),
        chat([[{"type": "text", "text": LONG}]]),
        chat([[{"type": "text", "text": LONG[: len(LONG) // 2]}] * 2]),
        chat([[{"type": "text", "text": "a"}] * (reading_limits.MOST_PARTS + 1)]),
        STRUCTURE + b"[]," * reading_limits.MOST_OPENINGS + b"[]]}",
        STRUCTURE + b"1," * (reading_limits.MOST_COMMAS + 1) + b"1]}",
    ],
)
def test_what_would_take_long_to_read_has_no_memory_and_says_so(body: bytes) -> None:
    assert heard(body).skip is Skip.TOO_LARGE


def test_a_chat_whose_user_said_nothing_for_thousands_of_messages_is_not_taken_for_an_older_turn() -> None:
    rounds = [{"role": "tool", "content": "done"}] * (reading_limits.FIRST + reading_limits.LAST)
    body = json.dumps({"messages": [{"role": "user", "content": "Begin."}, *rounds]}).encode()

    assert heard(body).skip is Skip.TOO_LARGE


def test_of_images_only_the_text_beside_them_is_decoded() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBO" * 1_500_000}}

    assert turn_of(chat([[{"type": "text", "text": "What is this?"}, image]])).text == "What is this?"


def test_a_member_nobody_knows_may_be_large_and_hold_anything() -> None:
    others = json.dumps({"note": '\\"]}' * 80_000, "tools": [{"a": '{"'}] * 20_000})[:-1].encode()
    body = others + b',"messages":[{"role":"user","content":"hello"}]}'
    read = heard(body)

    assert read.body is not None
    span = read.body.messages_span
    assert json.loads(body[span.start : span.end]) == [{"role": "user", "content": "hello"}]


def steps_of(work: Callable[[], object]) -> int:
    """Return how many functions, of Python's and of C's, are called at work."""
    called = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return called


SAID = b'"messages":[{"role":"user","content":"hi"}]'
FEW_STEPS = 400_000


@table(
    "others",
    [
        b'"x":"' + b'\\"' * 1_000_000 + b'"',
        b'"x":["' + b'\\"' * 1_000_000 + b'"],"x":1',
        b'"x":[' + b'"",' * 500_000 + b'""],"x":1',
        b'"x":[' + b"[]," * 900_000 + b"[]]",
        b",".join(b'"%d":"\\""' % number for number in range(600_000)),
        b'"again":1,' * 600_000 + b'"x":1',
    ],
)
@table("asks", [False, True])
def test_what_stands_beside_the_messages_takes_few_steps_to_pass(others: bytes, *, asks: bool) -> None:
    body = b"{" + others + (b',"recollect":{},' if asks else b",") + SAID + b"}"

    def read() -> None:
        kept = take_options(body).body
        if kept is not None:
            heard(kept)

    assert steps_of(read) < FEW_STEPS


@table(
    ("others", "is_read"),
    [
        (b'"x":"' + b'\\"' * 2_000_000 + b'"', True),
        (b'"x":[' + b'{"a":["\\"}"]},' * 100_000 + b"1]", True),
        (b'"x":["' + b'\\\\\\"' * 2_000_000 + b'"],"x":1', True),
        (b'"x":[' + b"[]," * 900_000 + b"[]]", False),
        (b",".join(b'"%d":1' % number for number in range(20_000)), False),
    ],
)
def test_what_is_passed_over_changes_nothing_that_is_said_or_asked(others: bytes, *, is_read: bool) -> None:
    body = b"{" + others + b',"recollect":{"recall":false},' + SAID + b"}"

    kept, options = take_options(body)

    assert bytes(options or b"") == b'{"recall":false}'
    if not is_read:
        assert kept is None
        return
    assert kept == b"{" + others + b"," + SAID + b"}"
    assert turn_of(kept).text == "hi"


def test_members_without_end_are_not_walked_through() -> None:
    body = b"{" + b'"a":1,' * 20_000 + b'"wanted":2}'

    assert find_member(body, 0, {}, "wanted") is None


def test_a_text_too_long_is_one_thing_of_its_own() -> None:
    content_of, parts = bodies.content_of, b'["a", {"type": "text", "text": "b"}]'

    assert content_of(msgspec.Raw(b'"' + b"x" * reading_limits.LONGEST_TEXT + b'"')) is bodies.TOO_LONG
    assert content_of(msgspec.Raw(parts)) == json.loads(parts)
