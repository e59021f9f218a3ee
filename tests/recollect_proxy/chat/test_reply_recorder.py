"""The reply that is heard in an answer, and which answers are JSON to be rewritten."""

import pytest
from tests.recollect_proxy.chat.spoken import named_event
from tests.scripted.upstream import DONE, completion_body, event, events
from tests.support.tables import table

from recollect.wire import COMPLETIONS, RESPONSES
from recollect_proxy.chat.passthrough import is_json
from recollect_proxy.chat.reply_recorder import ReplyRecorder
from recollect_proxy.upstream.http1 import Response
from recollect_proxy.upstream.upstream import Answer

STREAM = [(b"Content-Type", b"text/event-stream")]
JSON = [(b"Content-Type", b"application/json")]


def overheard(
    status: int, headers: list[tuple[bytes, bytes]], *chunks: bytes, response: Response
) -> ReplyRecorder:
    recorder = ReplyRecorder(COMPLETIONS)
    recorder.start(Answer(status, headers, response))
    for chunk in chunks:
        recorder.feed(chunk)
    return recorder


@pytest.fixture
def response() -> Response:
    """A response that is never looked at."""
    return object.__new__(Response)


def test_what_was_said_is_the_reply(response: Response) -> None:
    assert overheard(200, JSON, completion_body("Tea."), response=response).reply() == "Tea."
    assert overheard(200, STREAM, *events("Te", "a."), response=response).reply() == "Tea."


def test_an_answer_that_broke_off_is_a_reply_as_far_as_it_came(response: Response) -> None:
    assert overheard(200, STREAM, event({"content": "Te"}), response=response).reply() == "Te"
    assert overheard(200, STREAM, response=response).reply() == ""


def test_an_answer_that_broke_off_before_its_first_word_failed(response: Response) -> None:
    for pieces, expected in (((event({"content": "Te"}),), "Te"), ((event({"role": "assistant"}),), None)):
        recorder = overheard(200, STREAM, *pieces, response=response)
        recorder.broke_off = True
        assert recorder.reply() == expected


def test_a_whole_answer_without_a_word_is_an_empty_reply(response: Response) -> None:
    assert overheard(200, STREAM, event({}, finish="stop"), DONE, response=response).reply() == ""


def test_an_answer_that_calls_tools_is_none(response: Response) -> None:
    call = event({"content": "Let me see.", "tool_calls": [{"index": 0}]}, finish="tool_calls")

    assert overheard(200, STREAM, call, DONE, response=response).reply() is None


def test_where_the_server_keeps_the_chat_an_answer_that_calls_tools_is_an_empty_reply(
    response: Response,
) -> None:
    call = {"type": "response.output_item.done", "item": {"type": "function_call", "name": "weather"}}
    recorder = ReplyRecorder(RESPONSES)
    recorder.start(Answer(200, STREAM, response))
    recorder.feed(named_event(call))

    assert recorder.reply() == ""


@pytest.mark.parametrize("status", [201, 400, 500])
def test_an_answer_that_failed_is_none(status: int, response: Response) -> None:
    assert overheard(status, JSON, completion_body("Tea."), response=response).reply() is None


def test_a_user_who_left_before_any_answer_has_said_something_all_the_same() -> None:
    recorder = ReplyRecorder(COMPLETIONS)
    assert recorder.reply() is None

    recorder.client_left = True

    assert recorder.reply() == ""


def test_a_user_who_leaves_a_failed_answer_leaves_it_failed(response: Response) -> None:
    recorder = overheard(500, JSON, b"{}", response=response)
    recorder.client_left = True

    assert recorder.reply() is None


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
def test_json_is_what_says_so_and_is_not_compressed(
    headers: list[tuple[bytes, bytes]], *, expected: bool
) -> None:
    assert is_json(Answer(200, headers, object.__new__(Response))) is expected
