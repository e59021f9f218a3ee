"""The reply that is heard in an answer, and which answers are JSON to be rewritten."""

from typing import Any

from tests.recollect_proxy.chat.spoken import named_event
from tests.scripted.upstream import DONE, completion_body, event, events
from tests.support.tables import table

from recollect.wire import COMPLETIONS, RESPONSES, Dialect
from recollect_proxy.chat.passthrough import is_json
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.upstream.http1 import Response
from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Headers

STREAM = [(b"Content-Type", b"text/event-stream")]
JSON = [(b"Content-Type", b"application/json")]
RESPONSE = object.__new__(Response)  # it is never looked at
CALL = event({"content": "Let me see.", "tool_calls": [{"index": 0}]}, finish="tool_calls")
CALL_OF_RESPONSES = {
    "type": "response.output_item.done",
    "item": {"type": "function_call", "name": "weather"},
}


def heard(
    dialect: Dialect, status: int, headers: Headers, chunks: list[bytes], **ended: bool
) -> ReplyRecorder:
    recorder = ReplyRecorder(dialect)
    recorder.start(Answer(status, headers, RESPONSE))
    for chunk in chunks:
        recorder.feed(chunk)
    for how, is_so in ended.items():
        setattr(recorder, how, is_so)
    return recorder


@table(
    ("status", "headers", "chunks", "ended", "reply"),
    [
        (200, JSON, [completion_body("Tea.")], {}, "Tea."),
        (200, STREAM, list(events("Te", "a.")), {}, "Tea."),
        (200, STREAM, [event({}, finish="stop"), DONE], {}, ""),
        # as far as it came
        (200, STREAM, [event({"content": "Te"})], {}, "Te"),
        (200, STREAM, [], {}, ""),
        (200, STREAM, [event({"content": "Te"})], {"broke_off": True}, "Te"),
        (200, STREAM, [event({"role": "assistant"})], {"broke_off": True}, None),
        # none
        (200, STREAM, [CALL, DONE], {}, None),
        *((status, JSON, [completion_body("Tea.")], {}, None) for status in (201, 400, 500)),
        (500, JSON, [b"{}"], {"client_left": True}, None),
    ],
)
def test_the_reply_is_what_was_said_as_far_as_it_came(
    status: int, headers: Headers, chunks: list[bytes], ended: dict[str, Any], reply: str | None
) -> None:
    assert heard(COMPLETIONS, status, headers, chunks, **ended).reply() == reply


def test_where_the_server_keeps_the_chat_an_answer_that_calls_tools_is_an_empty_reply() -> None:
    assert heard(RESPONSES, 200, STREAM, [named_event(CALL_OF_RESPONSES)]).reply() == ""


def test_a_user_who_left_before_any_answer_has_said_something_all_the_same() -> None:
    recorder = ReplyRecorder(COMPLETIONS)
    assert recorder.reply() is None

    recorder.client_left = True

    assert recorder.reply() == ""


@table(
    ("headers", "expected"),
    [
        ([(b"content-type", b"application/json")], True),
        ([(b"Content-Type", b"Application/JSON; charset=utf-8")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"identity")], True),
        ([(b"content-type", b"application/json"), (b"content-encoding", b"gzip")], False),
        ([(b"content-type", b"text/event-stream")], False),
        ([(b"content-type", b"application/jsonl")], False),
        ([], False),
    ],
)
def test_json_is_what_says_so_and_is_not_compressed(headers: Headers, *, expected: bool) -> None:
    assert is_json(Answer(200, headers, RESPONSE)) is expected
