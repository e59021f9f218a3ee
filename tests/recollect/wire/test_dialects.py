"""Responses and Anthropic's messages are read, composed and heard like chat completions."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import Skip
from recollect.wire import MESSAGES, RESPONSES, Additions, ChatBody, Dialect, ReplyReader, SystemStyle
from recollect.wire.turn_detection import DetectedTurn, detect_turn

AT = datetime(2026, 3, 1, tzinfo=UTC)


def heard(dialect: Dialect, **body: Any) -> DetectedTurn:
    return detect_turn(
        json.dumps(body).encode(), user_id="u", session_id=None, message_id=None, at=AT, dialect=dialect
    )


def with_system(dialect: Dialect, chat: ChatBody, text: str) -> bytes:
    composed = dialect.compose(chat, Additions(system=text), SystemStyle.ANY)
    assert composed is not None
    return composed


def reply(dialect: Dialect, *events: dict[str, Any]) -> ReplyReader:
    reader = dialect.listen("text/event-stream", "")
    for event in events:
        reader.feed(b"event: " + event["type"].encode() + b"\ndata: " + json.dumps(event).encode() + b"\n\n")
    return reader


# -- requests --------------------------------------------------------------------------------------


def test_the_input_of_a_response_may_be_a_text() -> None:
    turn = heard(RESPONSES, model="m", input="I live in Porto.").turn

    assert turn is not None
    assert (turn.text, turn.model) == ("I live in Porto.", "m")


def test_the_input_of_a_response_may_be_items() -> None:
    items = [
        {"role": "user", "content": "Hello."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi!"}]},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "I live"},
                {"type": "input_image", "image_url": "data:,"},
            ],
        },
        {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "1"},
        {"type": "function_call_output", "call_id": "1", "output": "my secret output"},
    ]
    turn = heard(RESPONSES, input=items).turn

    assert turn is not None
    assert turn.text == "I live"
    assert [message.text for message in turn.history] == ["Hello.", "Hi!"]


def test_a_second_yes_to_another_response_is_another_turn() -> None:
    first = heard(RESPONSES, input="yes", previous_response_id="resp_1").turn
    second = heard(RESPONSES, input="yes", previous_response_id="resp_2").turn
    again = heard(RESPONSES, input="yes", previous_response_id="resp_2").turn

    assert first is not None
    assert second is not None
    assert again is not None
    assert first.key != second.key
    assert second.key == again.key


@pytest.mark.parametrize("body", [{}, {"input": []}, {"input": 7}, {"input": [1]}])
def test_a_response_without_input_is_unreadable(body: dict[str, Any]) -> None:
    assert heard(RESPONSES, **body).skip is Skip.UNREADABLE


def test_a_conversation_that_the_server_keeps_is_a_chat_of_its_own() -> None:
    one, other = (heard(RESPONSES, model="m", input="yes", conversation=name).turn for name in ("a", "b"))
    linked = heard(RESPONSES, model="m", input="yes", previous_response_id="a").turn

    assert one is not None
    assert other is not None
    assert linked is not None
    assert (one.scope.session_id, other.scope.session_id) == ("a", "b")
    assert one.key != other.key
    assert linked.scope.session_id.startswith("fp:")


def test_numbers_that_no_float_holds_do_no_harm() -> None:
    odd = b'[{"role":"user","content":[{"type":"input_text","text":"hi","n":1e400}]}]'

    assert RESPONSES.read(b'{"input":' + odd + b"}") is not None
    chat = MESSAGES.read(b'{"system":[{"type":"text","text":"Be kind.","n":1e400}],"messages":%b}' % odd)
    assert chat is not None
    assert chat.messages[0].text == "Be kind."


def test_a_response_to_results_of_tools_alone_is_no_turn() -> None:
    items = [{"type": "function_call_output", "call_id": "1", "output": "done"}]

    assert heard(RESPONSES, input=items).skip is Skip.EMPTY


def test_results_of_tools_in_a_message_are_not_the_users_words() -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "What's the weather in my town, Porto?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "weather", "input": {}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "1", "content": "Rain in Oslo."}],
        },
    ]
    turn = heard(MESSAGES, model="m", messages=messages).turn

    assert turn is not None
    assert turn.text == "What's the weather in my town, Porto?"


# -- composing -------------------------------------------------------------------------------------


@table(
    ("dialect", "name", "rest"),
    [
        (RESPONSES, "instructions", b'"input":"Where do I live?"'),
        (MESSAGES, "system", b'"messages":[{"role":"user","content":"Where do I live?"}]'),
    ],
)
@table(
    ("given_member", "then"),
    [
        (None, '"MEMORY"'),
        (b'"Be \\u00e9 brief."', '"Be é brief.\\n\\nMEMORY"'),
        (b"null", '"MEMORY"'),
        (b'""', '"MEMORY"'),
    ],
)
def test_memories_go_to_what_instructs_the_model(
    dialect: Dialect, name: str, rest: bytes, given_member: bytes | None, then: str
) -> None:
    own = b"" if given_member is None else b'"%s" : %s, ' % (name.encode(), given_member)
    body = b'{ "n":1.0, ' + own + rest + b',"x":1e400 }'
    chat = dialect.read(body)
    assert chat is not None

    composed = with_system(dialect, chat, "MEMORY")

    assert json.loads(composed)[name] == json.loads(then)
    assert composed.endswith(rest + b',"x":1e400 }')
    assert b'"n":1.0' in composed


def test_blocks_gain_one_where_the_api_knows_blocks() -> None:
    blocks = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    chat = MESSAGES.read(
        json.dumps({"system": blocks, "messages": [{"role": "user", "content": "Where do I live?"}]}).encode()
    )
    assert chat is not None

    composed = json.loads(with_system(MESSAGES, chat, "MEMORY"))

    assert composed["system"] == [*blocks, {"type": "text", "text": "MEMORY"}]


def test_a_member_given_twice_or_of_another_kind_is_left_alone() -> None:
    for body in (
        b'{"instructions":"a","instructions":"b","input":"c"}',
        b'{"instructions":7,"input":"c"}',
        b'{"instructions":[{"type":"text","text":"a"}],"input":"c"}',
    ):
        chat = RESPONSES.read(body)
        assert chat is not None
        # Nothing is composed at all: what has one certain place does not go without what has none.
        assert RESPONSES.compose(chat, Additions(system="MEMORY"), SystemStyle.ANY) is None
        assert with_system(RESPONSES, chat, "") == body


# -- answers ---------------------------------------------------------------------------------------


def test_a_streamed_response_is_heard() -> None:
    state = {"model": "m", "status": "completed", "usage": {"input_tokens": 3, "output_tokens": 4}}
    heard_reply = reply(
        RESPONSES,
        {"type": "response.created", "response": {"status": "in_progress", "model": "m"}},
        {"type": "response.output_text.delta", "delta": "In "},
        {"type": "response.reasoning_summary_text.delta", "delta": "hmm"},
        {"type": "response.output_text.delta", "delta": "Porto."},
        {"type": "response.output_item.done", "item": {"type": "web_search_call"}},
        {"type": "response.completed", "response": state},
    ).finish()

    assert (heard_reply.text, heard_reply.complete, heard_reply.has_tool_calls) == ("In Porto.", True, False)
    assert (heard_reply.model, heard_reply.prompt_tokens, heard_reply.completion_tokens) == ("m", 3, 4)


def test_a_streamed_response_that_calls_or_fails_is_told_apart() -> None:
    calls = reply(RESPONSES, {"type": "response.output_item.done", "item": {"type": "function_call"}})
    fails = reply(RESPONSES, {"type": "response.failed", "response": {"status": "failed", "error": {"a": 1}}})

    assert calls.finish().has_tool_calls
    assert fails.finish().failed


def test_a_whole_response_is_heard() -> None:
    body = {
        "status": "completed",
        "model": "m",
        "output": [
            {"type": "reasoning", "summary": []},
            {
                "type": "message",
                "content": [{"type": "output_text", "text": "In Porto."}, {"type": "refusal"}],
            },
            {"type": "function_call", "name": "f"},
        ],
    }
    reader = RESPONSES.listen("application/json", "")
    reader.feed(json.dumps(body).encode())
    heard_reply = reader.finish()

    assert (heard_reply.text, heard_reply.has_tool_calls, heard_reply.complete) == ("In Porto.", True, True)


def test_a_streamed_message_is_heard() -> None:
    heard_reply = reply(
        MESSAGES,
        {"type": "message_start", "message": {"model": "m", "content": [], "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "In "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hmm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Porto."}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ).finish()

    assert (heard_reply.text, heard_reply.finish_reason, heard_reply.complete) == (
        "In Porto.",
        "end_turn",
        True,
    )
    assert (heard_reply.model, heard_reply.prompt_tokens, heard_reply.completion_tokens) == ("m", 3, 4)


def test_a_whole_message_is_heard_and_its_tool_use() -> None:
    body = {
        "type": "message",
        "model": "m",
        "content": [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "1"}],
        "stop_reason": "tool_use",
    }
    reader = MESSAGES.listen("application/json", "")
    reader.feed(json.dumps(body).encode())
    heard_reply = reader.finish()

    assert (heard_reply.text, heard_reply.has_tool_calls) == ("Let me look.", True)


def test_a_streamed_error_of_anthropic_is_one() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

    assert reply(MESSAGES, error).finish().failed


# -- nothing ever raises ---------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(
                sorted(
                    [
                        "type",
                        "role",
                        "content",
                        "text",
                        "delta",
                        "response",
                        "item",
                        "output",
                        "usage",
                        "input",
                        "messages",
                        "model",
                        "status",
                        "error",
                        "content_block",
                        "message",
                        "stop_reason",
                        "system",
                        "instructions",
                    ]
                )
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@given(value=JSON, dialect=st.sampled_from([RESPONSES, MESSAGES]))
def test_whatever_json_comes_nothing_raises(value: Any, dialect: Dialect) -> None:
    data = json.dumps(value).encode()

    chat = dialect.read(data)
    if chat is not None:
        dialect.compose(chat, Additions(system="MEMORY"), SystemStyle.ANY)
        detect_turn(data, user_id="u", session_id="s", message_id=None, at=AT, dialect=dialect)
    for content_type in ("application/json", "text/event-stream"):
        reader = dialect.listen(content_type, "")
        reader.feed(b"data: " + data + b"\n\n" if "event" in content_type else data)
        reader.finish()
