"""The reply as it is heard, from bytes as they come over the wire."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import brotli
import pytest
import zstandard
from tests.support.tables import table

from recollect.wire import Reply, ReplyReader

STREAM = "text/event-stream; charset=utf-8"
MEBI = 1024 * 1024


def heard(content_type: str, *chunks: bytes, encoding: str = "") -> Reply:
    reader = ReplyReader(content_type, encoding)
    for chunk in chunks:
        reader.feed(chunk)
    return reader.finish()


def chunk(delta: Any = None, **choice: Any) -> dict[str, Any]:
    return {"id": "c1", "model": "gpt-5", "choices": [{"index": 0, "delta": delta, **choice}]}


def event(data: Any) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def said(*texts: str) -> bytes:
    return b"".join(event(chunk({"content": text})) for text in texts)


DONE = b"data: [DONE]\n\n"
STOP = event(chunk({}, finish_reason="stop"))
USAGE = event({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}})
ANSWER = (
    b": ping\n\n"
    + event(chunk({"role": "assistant", "content": ""}, logprobs=None, finish_reason=None))
    + said("Grüß ", "dich 🍅", "!")
    + STOP
    + USAGE
    + DONE
)
REPLY = Reply("Grüß dich 🍅!", False, "stop", "gpt-5", 12, 3, False, True)  # noqa: FBT003 - all fields, in order
WHOLE = json.dumps(
    {
        "model": "gpt-5",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": REPLY.text}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }
).encode()


ERROR = {"error": {"message": "overloaded", "code": 529}}
ODD: tuple[Any, ...] = (None, 5, {})
SAID_A = Reply("a", model="gpt-5")
CALLED = Reply(has_tool_calls=True, finish_reason="tool_calls", model="gpt-5", complete=True)


def only(delta: Any, **choice: Any) -> bytes:
    return event(chunk(delta, **choice))


STOPPED = Reply(finish_reason="stop", model="gpt-5", complete=True)
NO_TEXT = ("reasoning_content", "reasoning", "refusal")
CALLS = ({"tool_calls": [{"index": 0, "id": "1"}]}, {"function_call": {"name": "f"}})
CHOICES: list[list[Any]] = [
    [{"index": 1, "delta": {"content": "x", "tool_calls": [1]}, "finish_reason": "stop"}],
    [{"index": 1, "delta": {"content": "y"}}, {"index": 0, "delta": {"content": "a"}}],
    [{"delta": {"content": "b"}}, {"delta": {"content": "z"}}, None, 5],
]
NO_EVENTS = (b"", b"{", b"[]", b"7", b"[DONE", b'{"choices":[{"delta":{"content":"\xff"}}]}')
FAILURES = (
    *(event(ERROR), b'event: error\ndata: "overloaded"\n\n', b"event:error\n" + event({})),
    event({**chunk(), **ERROR}),
)


@table(
    ("stream", "reply"),
    [
        (ANSWER, REPLY),
        # Cut off; ended without a reason; a reason is a word.
        (said("Once", " a ti") + b'data: {"choices":[{"delta":{"con', replace(SAID_A, text="Once a ti")),
        (said("a") + DONE, replace(SAID_A, complete=True)),
        *((only({"content": "a"}, finish_reason=reason), SAID_A) for reason in ("", *ODD)),
        # Reasoning and refusals are no text.
        *((only({"content": None, name: "hm"}) + STOP, STOPPED) for name in NO_TEXT),
        # Calls of tools.
        *((only(call) + only({}, finish_reason="tool_calls") + said(""), CALLED) for call in CALLS),
        (only({"tool_calls": []}), Reply(model="gpt-5")),
        # Only the first choice counts.
        (b"".join(event({"choices": each}) for each in CHOICES), Reply("ab")),
        # What is odd is passed over: deltas, fields, events.
        *((only(delta), Reply(model="gpt-5")) for delta in ("a", [], *ODD)),
        *((event({name: odd}) + said("a"), SAID_A) for name in ("model", "choices") for odd in ("", 5, None)),
        *((b"data: " + data + b"\n\n" + said("a"), SAID_A) for data in NO_EVENTS),
        # An error amid a stream is a failure; an event without data is none.
        *((said("a") + failure, replace(SAID_A, failed=True)) for failure in FAILURES),
        (b"event: error\n\n" + said("a"), SAID_A),
    ],
)
def test_a_streamed_reply_is_heard_for_what_it_says(stream: bytes, reply: Reply) -> None:
    reader = ReplyReader(STREAM)
    reader.feed(stream)

    assert reader.finish() == reply
    reader.feed(said("later"))
    assert reader.finish() == reply


def test_an_error_instead_of_a_reply_is_a_failure() -> None:
    assert heard("application/json", json.dumps(ERROR).encode()) == Reply(failed=True, complete=True)
    assert not heard("application/json", b'{"error":null}').failed


@table("content_type", ["application/json", "application/json; charset=utf-8", ""])
def test_a_whole_reply_is_heard(content_type: str) -> None:
    assert heard(content_type, WHOLE) == REPLY


@table(
    "stream",
    [
        ANSWER.replace(b"\n", b"\r\n"),
        ANSWER.replace(b"\n", b"\r"),
        ANSWER.replace(b"data: ", b"data:"),
        ANSWER.replace(b"data: ", b"event: message\nid: 7\nretry: 1\nunknown\ndata: "),
        ANSWER.replace(b'"model"', b'\ndata:\ndata: "model"'),
        ANSWER.replace(b"\n\n", b"\n\n\n: ping\n\n"),
        ANSWER.replace(DONE, b""),
        ANSWER.replace(STOP, b"").replace(b'"finish_reason": null', b'"finish_reason": "stop"'),
        ANSWER.rstrip(b"\n"),
        ANSWER.replace(b"\n\n", b"\n"),
        b"\xef\xbb\xbf" + ANSWER,
        b"\xef\xbb\xbf" + ANSWER.removeprefix(b": ping\n\n"),
    ],
)
def test_every_way_to_write_a_stream_is_heard_alike(stream: bytes) -> None:
    assert heard(STREAM.upper(), stream) == REPLY


@table(
    ("content", "text"),
    [
        ("a", "a"),
        (None, ""),
        (5, ""),
        ({}, ""),
        (
            [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b"},
                5,
            ],
            "ab",
        ),
    ],
)
def test_any_content_is_heard(content: object, text: str) -> None:
    message = {"choices": [{"message": {"content": content}}]}

    assert heard(STREAM, event(chunk({"content": content}))).text == text
    assert heard("", json.dumps(message).encode()).text == text


@table(
    "usage",
    [
        None,
        5,
        [],
        {},
        {"prompt_tokens": None},
        {"prompt_tokens": "12"},
        {"prompt_tokens": True, "completion_tokens": 3.5},
    ],
)
def test_usage_that_is_no_number_is_not_heard(usage: object) -> None:
    reply = heard(STREAM, USAGE + event({"usage": usage}))

    assert (reply.prompt_tokens, reply.completion_tokens) == (12, 3)
    assert heard("", json.dumps({"usage": usage}).encode()) == Reply(complete=True)


@table("body", [b"", b"null", b"[]", b'"hi"', b"<html>", WHOLE[:-1], WHOLE + b"}", b"\xff\xfe"])
def test_a_body_that_is_no_json_object_is_not_heard(body: bytes) -> None:
    assert heard("application/json", body) == Reply()


def read_in_slabs(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("recollect.wire.reply._SLAB", size)


@table("ends", [b"\n", b"\r\n", b"\r"])
def test_a_stream_cut_anywhere_is_heard_alike(ends: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_slabs(monkeypatch, 1)
    stream = b"\xef\xbb\xbf" + ANSWER.replace(b'"model"', b'\ndata: "model"').replace(b"\n", ends)

    for at in range(len(stream) + 1):
        assert heard(STREAM, stream[:at], stream[at:]) == REPLY
    assert heard(STREAM, *(stream[n : n + 1] for n in range(len(stream)))) == REPLY


def _deflate_raw(data: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "identity": bytes,
    "gzip": lambda data: gzip.compress(data, 1),
    "X-GZip": lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:]),
    "deflate": lambda data: zlib.compress(data, 1),
    "Deflate": _deflate_raw,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstandard.compress,
    "ZSTD": lambda data: zstandard.compress(data[:50]) + zstandard.compress(data[50:]),
    "gzip, br": lambda data: brotli.compress(gzip.compress(data, 1), quality=4),
    "zstd,deflate, identity": lambda data: zlib.compress(zstandard.compress(data)),
    " , gzip ,": lambda data: gzip.compress(data, 9),
}


@table("encoding", PACKED)
def test_every_encoding_is_undone(encoding: str) -> None:
    assert heard(STREAM, PACKED[encoding](ANSWER), encoding=encoding) == REPLY
    assert heard("", PACKED[encoding](WHOLE), encoding=encoding) == REPLY


@table("encoding", PACKED)
def test_an_encoded_stream_cut_anywhere_is_heard_so(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_slabs(monkeypatch, 1)
    stream = PACKED[encoding](ANSWER)

    for at in range(len(stream) + 1):
        assert heard(STREAM, stream[:at], stream[at:], encoding=encoding) == REPLY
    assert heard(STREAM, *(stream[n : n + 1] for n in range(len(stream))), encoding=encoding) == REPLY


@table("encoding", [name for name in PACKED if name != "identity"])
def test_more_than_a_slab_is_undone(encoding: str) -> None:
    words = [f"{n:05} " for n in range(5_000)]
    stream = PACKED[encoding](said(*words) + DONE)

    reply = heard(STREAM, *(stream[n : n + 1500] for n in range(0, len(stream), 1500)), encoding=encoding)

    assert (reply.text, reply.complete) == ("".join(words), True)


@table("encoding", ["gzip", "deflate", "Deflate", "br", "zstd"])
def test_what_came_before_the_damage_is_heard(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_slabs(monkeypatch, 1)
    packed = PACKED[encoding](ANSWER)

    assert heard(STREAM, packed, b"\x00damage", packed, encoding=encoding) == REPLY


@table("encoding", ["compress", "gzip, aws-chunked", "gzip br", ", ".join(["gzip"] * 6)])
def test_an_unknown_encoding_is_not_heard(encoding: str) -> None:
    assert heard(STREAM, ANSWER, ANSWER, encoding=encoding) == Reply()
    assert heard(STREAM, ANSWER * 1000, ANSWER, encoding=encoding) == Reply()


def test_a_window_larger_than_the_web_allows_is_not_heard() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()

    assert heard(STREAM, packer.compress(ANSWER) + packer.flush(), encoding="zstd") == Reply()


def test_an_event_may_be_a_megabyte() -> None:
    text = "x" * (MEBI - 1)
    stream = said(text) + DONE

    reply = heard(STREAM, *(stream[n : n + 4096] for n in range(0, len(stream), 4096)))

    assert (reply.text, reply.complete, reply.truncated) == (text, True, False)


def test_more_text_than_a_reply_holds_is_dropped_and_said_so() -> None:
    reply = heard(STREAM, said("ab", "ü" * MEBI, "c") + STOP)

    assert reply.text == "ab" + "ü" * (MEBI - 2)
    assert (reply.complete, reply.truncated) == (True, True)
    assert heard(STREAM, said("ü" * MEBI)).truncated is False


def test_a_body_larger_than_is_read_is_dropped_and_said_so() -> None:
    body = WHOLE[:-1] + b" " * (16 * MEBI) + b"}"

    assert heard("", *(body[n : n + MEBI] for n in range(0, len(body), MEBI))) == Reply(truncated=True)


@table(
    "large",
    [
        b"data: " + b"x" * (16 * MEBI) + b"\n\n",
        (b"data: " + b"x" * MEBI + b"\n") * 17 + b"\n",
        b": " + b"x" * (16 * MEBI) + b"\n" + event(chunk({"content": "lost"})),
    ],
)
@table("size", [50_000, 40 * MEBI])
def test_an_event_larger_than_is_read_is_left_out_and_said_so(large: bytes, size: int) -> None:
    stream = said("a") + large + said("b") + DONE

    reply = heard(STREAM, *(stream[n : n + size] for n in range(0, len(stream), size)))

    assert reply == Reply(text="ab", model="gpt-5", complete=True, truncated=True)


def test_a_stream_that_ends_amid_too_large_an_event_says_so() -> None:
    reply = heard(STREAM, said("a"), b"data: " + b"x" * (17 * MEBI))

    assert reply == Reply(text="a", model="gpt-5", truncated=True)


@table("encoding", ["gzip", "deflate", "Deflate", "br", "zstd", "gzip, br"])
def test_a_bomb_is_not_unpacked(encoding: str) -> None:
    bomb = PACKED[encoding](ANSWER + b" " * (40 * MEBI))

    tracemalloc.start()
    reply = heard(STREAM, bomb, ANSWER, encoding=encoding)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert reply == replace(REPLY, truncated=True)
    assert peak < 24 * MEBI


@table(("encoding", "size"), [("zstd, gzip", 70 * MEBI), ("gzip, gzip", 2 * MEBI)])
def test_a_bomb_of_nothing_is_not_unpacked(encoding: str, size: int) -> None:
    """Two megabytes of empty members are a hundred thousand, which take time and no room."""
    nothing = PACKED[encoding.partition(",")[0]](b"")
    bomb = gzip.compress(nothing * (size // len(nothing)), 1)

    assert heard(STREAM, bomb, encoding=encoding) == Reply(truncated=True)


@table("size", [7, 10_000])
def test_more_lines_than_are_read_are_left_out_and_told(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read_in_slabs(monkeypatch, 1)
    monkeypatch.setattr("recollect.wire.reply._MOST_LINES", 1000)
    stream = ANSWER + b"\n" * (1000 - ANSWER.count(b"\n") - 2) + said("a", "b")

    reply = heard(STREAM, *(stream[n : n + size] for n in range(0, len(stream), size)))

    assert reply == replace(REPLY, text=REPLY.text + "a", truncated=True)


def test_memory_stays_bounded_over_a_long_stream() -> None:
    piece = said("x" * 1000) * 10
    reader = ReplyReader(STREAM)

    tracemalloc.start()
    for _ in range(1500):
        reader.feed(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 8 * MEBI
    assert reader.finish().truncated
