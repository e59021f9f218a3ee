"""Responses and Anthropic's messages are read, and heard to their end, like chat completions."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.support.tables import table

from recollect.model import Skip, Turn
from recollect.wire import COMPLETIONS, MESSAGES, RESPONSES, DetectedTurn, Dialect, Reply, detect_turn

CAT = "I have a cat called Minka."
DOG = "I have a dog called Rex."


def read(dialect: Dialect, **body: Any) -> DetectedTurn:
    written, at = json.dumps(body).encode(), datetime(2026, 3, 1, tzinfo=UTC)
    return detect_turn(written, user_id="u", session_id=None, message_id=None, at=at, dialect=dialect)


def turn(dialect: Dialect, **body: Any) -> Turn:
    found = read(dialect, **body).turn
    assert found is not None
    return found


def heard(dialect: Dialect, *events: dict[str, Any], named: bool = False) -> Reply:
    reader = dialect.listen("text/event-stream", "")
    for event in events:
        name = b"event: " + event["type"].encode() + b"\n" if named else b""
        reader.feed(name + b"data: " + json.dumps(event).encode() + b"\n\n")
    return reader.finish()


def heard_whole(dialect: Dialect, answer: dict[str, Any]) -> Reply:
    reader = dialect.listen("application/json", "")
    reader.feed(json.dumps(answer).encode())
    return reader.finish()


# -- requests --------------------------------------------------------------------------------------


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def input_text(words: str) -> dict[str, Any]:
    return {"type": "input_text", "text": words}


FILE = {"type": "input_file", "file_id": DOG}
CALLED = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": DOG}}]}
ITEMS: dict[str, list[dict[str, Any]]] = {
    "a message": [user(CAT)],
    "a typed message": [{"type": "message", **user([input_text(CAT)])}],
    "behind the developer's": [{"role": "developer", "content": DOG}, user(CAT)],
    "before the developer's": [user(CAT), {"role": "developer", "content": [input_text(DOG)]}],
    "behind the system's": [{"role": "system", "content": DOG}, user(CAT)],
    "with an image and a file": [user([{"type": "input_image", "image_url": DOG}, input_text(CAT), FILE])],
    "before a call and its result": [
        user(CAT),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": DOG}]},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": DOG},
        {"type": "function_call_output", "call_id": "1", "output": DOG},
    ],
    "before a result in parts": [
        user(CAT),
        {"type": "function_call_output", "call_id": "1", "output": [input_text(DOG)]},
        {"type": "custom_tool_call_output", "call_id": "2", "output": DOG},
        {"type": "computer_call_output", "call_id": "3", "output": {"type": "computer_screenshot"}},
        {"type": "item_reference", "id": "x"},
    ],
    "with a role that a result bears": [user(CAT), {"type": "function_call_output", **user(DOG)}],
}

DOCUMENTS = [
    {"type": "document", "source": {"type": "text", "data": DOG}, "title": DOG, "context": DOG},
    {"type": "search_result", "source": DOG, "title": DOG, "content": [text(DOG)]},
    {"type": "image", "source": {"type": "base64", "data": DOG}},
]
THOUGHTS = [
    {"type": "thinking", "thinking": DOG, "signature": "x"},
    {"type": "redacted_thinking", "data": DOG},
]
RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "1", "content": DOG}
MESSAGE_LISTS: dict[str, list[dict[str, Any]]] = {
    "a text": [user(CAT)],
    "a block": [user([text(CAT) | {"cache_control": {"type": "ephemeral"}}])],
    "with documents": [user([*DOCUMENTS, text(CAT)])],
    "behind thoughts": [
        user("Hello."),
        {"role": "assistant", "content": [*THOUGHTS, text("Hi!")]},
        user(CAT),
    ],
    "before a result": [user(CAT), CALLED, user([RESULT | {"content": [text(DOG)]}])],
    "beside a result": [CALLED, user([RESULT, text(CAT)])],
    "before a prefilled answer": [user(CAT), {"role": "assistant", "content": "Minka"}],
}


@table(
    ("dialect", "member", "given"),
    [
        (RESPONSES, "input", CAT),
        *((RESPONSES, "input", items) for items in ITEMS.values()),
        *((MESSAGES, "messages", given) for given in MESSAGE_LISTS.values()),
    ],
)
def test_the_users_words_are_theirs_alone(dialect: Dialect, member: str, given: Any) -> None:
    said = turn(dialect, model="scripted", **{member: given})

    assert (said.text, said.model) == (CAT, "scripted")
    assert not any(DOG in message.text for message in said.history)


def test_the_answers_of_a_response_are_history() -> None:
    output = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi!"}]}
    history = turn(RESPONSES, input=[user("Hello."), output, user(CAT)]).history

    assert [each.text for each in history] == ["Hello.", "Hi!"]


def test_what_the_server_keeps_tells_turns_and_chats_apart() -> None:
    first, second, again = (
        turn(RESPONSES, input="yes", previous_response_id=name) for name in ("a", "b", "b")
    )
    one, other = (turn(RESPONSES, input="yes", conversation=name) for name in ("a", "b"))

    assert first.key != second.key == again.key
    assert one.key != other.key
    assert (one.scope.session_id, other.scope.session_id) == ("a", "b")
    assert first.scope.session_id.startswith("fp:")


@table("body", [{}, {"input": []}, {"input": 7}, {"input": [1]}])
def test_a_response_without_input_is_unreadable(body: dict[str, Any]) -> None:
    assert read(RESPONSES, **body).skip is Skip.UNREADABLE


def test_a_response_to_results_of_tools_alone_is_no_turn() -> None:
    items = [{"type": "function_call_output", "call_id": "1", "output": "done"}]

    assert read(RESPONSES, input=items).skip is Skip.EMPTY


def test_numbers_that_no_float_holds_do_no_harm() -> None:
    odd = b'[{"role":"user","content":[{"type":"input_text","text":"hi","n":1e400}]}]'

    assert RESPONSES.read(b'{"input":' + odd + b"}") is not None
    chat = MESSAGES.read(b'{"system":[{"type":"text","text":"Be kind.","n":1e400}],"messages":%b}' % odd)
    assert chat is not None
    assert chat.messages[0].text == "Be kind."


# -- answers ---------------------------------------------------------------------------------------

PORTO = Reply("In Porto.", model="m", prompt_tokens=3, completion_tokens=4, complete=True)


def test_a_streamed_answer_is_heard() -> None:
    usage, ended = {"input_tokens": 3, "output_tokens": 4}, {"model": "m", "status": "completed"}
    of_response = heard(
        RESPONSES,
        {"type": "response.created", "response": {"status": "in_progress", "model": "m"}},
        {"type": "response.output_text.delta", "delta": "In "},
        {"type": "response.reasoning_summary_text.delta", "delta": "hmm"},
        {"type": "response.output_text.delta", "delta": "Porto."},
        {"type": "response.completed", "response": ended | {"usage": usage, "id": "r"}},
        named=True,
    )
    of_message = heard(
        MESSAGES,
        {"type": "message_start", "message": {"model": "m", "content": [], "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hmm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Porto."}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
        named=True,
    )

    assert of_response == replace(PORTO, finish_reason="completed", answer_id="r")
    assert of_message == replace(PORTO, finish_reason="end_turn")


def test_a_whole_answer_is_heard_and_its_call_of_a_tool() -> None:
    spoken = {
        "type": "message",
        "content": [{"type": "output_text", "text": "In Porto."}, {"type": "refusal"}],
    }
    output = [{"type": "reasoning", "summary": []}, spoken, {"type": "function_call", "name": "f"}]
    content = [text("In Porto."), {"type": "tool_use", "id": "1"}]

    of_response = heard_whole(RESPONSES, {"status": "completed", "model": "m", "output": output})
    of_message = heard_whole(
        MESSAGES, {"type": "message", "model": "m", "content": content, "stop_reason": "tool_use"}
    )

    plain = Reply("In Porto.", has_tool_calls=True, model="m", complete=True)
    assert of_response == replace(plain, finish_reason="completed")
    assert of_message == replace(plain, finish_reason="tool_use")


@table(
    ("dialect", "error"),
    [
        (RESPONSES, {"type": "error", "code": "x", "message": "No.", "param": None, "sequence_number": 1}),
        (RESPONSES, {"type": "response.failed", "response": {"error": {"a": 1}}}),
        (MESSAGES, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ],
)
def test_a_streamed_error_is_one_with_a_name_and_without(dialect: Dialect, error: dict[str, Any]) -> None:
    assert heard(dialect, error).failed
    assert heard(dialect, error, named=True).failed


_ANSWERED_BY_CLIENT = """
    function_call custom_tool_call computer_call local_shell_call shell_call apply_patch_call mcp_approval_request
"""
_ANSWERED_BY_SERVER = "web_search_call file_search_call code_interpreter_call image_generation_call mcp_call"


@table(
    ("kind", "is_call"),
    [
        *((kind, True) for kind in _ANSWERED_BY_CLIENT.split()),
        *((kind, False) for kind in _ANSWERED_BY_SERVER.split()),
    ],
)
def test_a_call_that_the_client_has_to_answer_is_one(kind: str, *, is_call: bool) -> None:
    item = {"type": kind}

    assert heard(RESPONSES, {"type": "response.output_item.done", "item": item}).has_tool_calls is is_call
    assert heard_whole(RESPONSES, {"status": "completed", "output": [item]}).has_tool_calls is is_call


@table(
    ("status", "failed"),
    [("completed", False), ("incomplete", False), ("cancelled", False), ("failed", True)],
)
def test_how_a_response_ended_is_told(status: str, *, failed: bool) -> None:
    streamed = heard(
        RESPONSES,
        {"type": "response.output_text.delta", "delta": "Min"},
        {"type": f"response.{status}", "response": {"status": status}},
    )
    output = [{"content": [{"type": "output_text", "text": "Min"}]}]
    whole = heard_whole(RESPONSES, {"status": status, "output": output})

    assert (streamed.failed, whole.failed) == (failed, failed)
    assert (streamed.text, whole.text) == ("Min", "Min")
    assert whole.complete


@table("background", [True, False, None])
def test_only_a_response_in_the_background_is_awaited_behind_its_stream(*, background: bool | None) -> None:
    begun = {"status": "in_progress", "background": background}

    assert heard(RESPONSES, {"type": "response.created", "response": begun}).awaited is (background is True)
    assert heard_whole(RESPONSES, {"status": "queued", "background": True, "output": []}) == Reply(
        finish_reason="queued", complete=True, awaited=True
    )


HEARD, PIECES = "The Leie and the Scheldt.", ("The Leie ", "and the Scheldt.")


def completion(name: str, audio: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, name: {"role": "assistant", "content": None, "audio": audio}}]}


def delta(piece: str) -> dict[str, Any]:
    return {"type": "response.output_audio_transcript.delta", "delta": piece}


def in_sound(transcript: str) -> dict[str, Any]:
    content = [{"type": "output_audio", "transcript": transcript}]
    return {"id": "r", "status": "completed", "output": [{"type": "message", "content": content}]}


@table(
    ("dialect", "whole", "streamed"),
    [
        (
            COMPLETIONS,
            completion("message", {"id": "a", "data": "UklGRg", "transcript": HEARD}),
            [completion("delta", {"transcript": each}) for each in PIECES],
        ),
        (RESPONSES, in_sound(HEARD), [delta(each) for each in PIECES]),
    ],
)
def test_sound_has_a_text(dialect: Dialect, whole: dict[str, Any], streamed: list[dict[str, Any]]) -> None:
    assert (heard_whole(dialect, whole).text, heard(dialect, *streamed).text) == (HEARD, HEARD)
