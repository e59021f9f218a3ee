import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.wire import ChatBody, read_body
from recollect.wire.request_body import AmbiguousModelError, named_model

HELLO = {"role": "user", "content": "hello"}


def read(body: bytes | dict[str, Any]) -> ChatBody:
    chat = read_body(body if isinstance(body, bytes) else json.dumps(body).encode())
    assert chat is not None
    return chat


def stand(chat: ChatBody) -> list[Any]:
    """What stands at the spans the body names, decoded."""
    return [json.loads(message.decode(errors="replace")) for message in messages_of(chat)]


def messages_of(chat: ChatBody) -> list[bytes]:
    spans = chat.message_spans()
    assert spans is not None
    assert len(spans) == len(chat.messages)
    return [chat.raw[slice(*span)] for span in spans if span]


def test_a_chat_is_read() -> None:
    body = {"model": "gpt-5", "stream": True, "messages": [{"role": "system", "content": "Be kind."}, HELLO]}

    chat = read(body)

    assert (chat.model, chat.shape.stream) == ("gpt-5", True)
    assert [(each.role, each.content) for each in chat.messages] == [
        ("system", "Be kind."),
        ("user", "hello"),
    ]
    assert json.loads(chat.raw[slice(*chat.messages_span)]) == body["messages"]
    assert stand(chat) == body["messages"]


@table(
    ("member", "model"),
    [({}, ""), ({"model": None}, ""), ({"model": 5}, ""), ({"model": ["a"]}, ""), ({"model": "ü"}, "ü")],
)
def test_the_model_is_a_name_or_none(member: dict[str, Any], model: str) -> None:
    assert read({**member, "messages": [HELLO]}).model == model


@table("stream", [None, False, 1, "true", {}, []])
def test_only_true_asks_for_a_stream(stream: object) -> None:
    assert not read({"stream": stream, "messages": [HELLO]}).shape.stream
    assert not read({"messages": [HELLO]}).shape.stream


@table(
    ("content", "texts"),
    [
        ("hello", ["hello"]),
        ("", [""]),
        (None, []),
        (5, []),
        ({"type": "text", "text": "hello"}, []),
        ([], []),
        (["hello", 5, None, [], {}], []),
        (
            [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "file", "file": {"file_id": "f1"}, "text": "not said"},
                {"type": "refusal", "refusal": "no"},
                {"type": ["text"], "text": "odd"},
                {"type": "text", "text": ["odd"]},
                {"type": "text"},
                {"type": "text", "text": "here"},
            ],
            ["look", "here"],
        ),
    ],
)
def test_the_texts_of_any_content_are_read(content: object, texts: list[str]) -> None:
    [message] = read({"messages": [{"role": "user", "content": content}]}).messages

    assert message.texts == texts
    assert message.text == "\n".join(texts)


def test_a_message_may_be_anything_that_is_an_object() -> None:
    critic = {"role": "critic", "content": None, "name": "Ann", "x": 1}
    messages = [{}, critic, {"role": 5, "name": 6}, {"role": {}}]

    chat = read({"messages": messages})

    assert [message.role for message in chat.messages] == [None, "critic", 5, {}]
    assert [message.name for message in chat.messages] == [None, "Ann", 6, None]
    assert stand(chat) == messages


@table(
    ("message", "calls"),
    [
        ({"tool_calls": [{"id": "1"}]}, True),
        ({"function_call": {"name": "f"}}, True),
        ({"tool_calls": []}, False),
        ({"tool_calls": None, "function_call": None}, False),
        ({}, False),
    ],
)
def test_a_message_tells_whether_it_calls_tools(message: dict[str, Any], *, calls: bool) -> None:
    assert read({"messages": [message]}).messages[0].has_tool_calls is calls


def test_numbers_no_float_holds_and_escapes_do_no_harm() -> None:
    body = (
        b' {"seed" : 123456789012345678901234567890,"a":1e400, "b":0.10000000000000000001,"x":-0.0E+1 ,'
        b'"m\\u006fdel":"gp\\u0074","\\ud83d\\ude00":[true,false,null],"messages"\r\n:\t[ {"ro\\u006ce":"user",'
        b'"content":"caf\\u00e9\\/","t":1e400} ,\n{"role":"tool","name":1e400} ] } \n'
    )

    chat = read(body)

    assert chat.model == "gpt"
    assert [(each.role, each.content) for each in chat.messages] == [("user", "café/"), ("tool", None)]
    assert chat.raw[slice(*chat.messages_span)].startswith(b'[ {"ro')
    assert messages_of(chat) == [
        b'{"ro\\u006ce":"user","content":"caf\\u00e9\\/","t":1e400}',
        b'{"role":"tool","name":1e400}',
    ]


ARRAY = b'[{",":","}]'  # shifted by one string, its bytes are part of the list ["[{", ":", "}]"]


@table(
    "body",
    [
        *(b'{"other":%s,"messages":%s}', b'{"messages":%s,"other":%s}'),
        *(b'{"other":{"messages":%s},"messages":%s}', b'{"other":["[{",":","}]",%s],"messages":%s}'),
        *(b'{"other":[],"other":%s,"messages":%s}', b'{"other":%s,"other":[],"messages":%s}'),
    ],
)
def test_equal_bytes_elsewhere_are_not_taken_for_the_messages(body: bytes) -> None:
    filled = body % (ARRAY, ARRAY)

    chat = read(filled)

    before = b'"messages":'
    at = filled.index(before) if body.startswith(b'{"messages"') else filled.rindex(before)
    assert chat.messages_span == (at + len(before), at + len(before) + len(ARRAY))


@table(
    "repeated",
    [
        *(b'"k":1 ,"k":12', b'"k":12,"k":1', b'"k":"a\\"]}","k":null'),
        *(b'"k":{"a":["]","\\\\"],"b":{}},"k":true', b'"k":[{"messages":[1]}],"k":-1.5e3'),
        *(b'"k":null,"k":[[]]', b'"k":"1","k":"1"', b'"k":[],"k":[],"\\u006b":{}'),
    ],
)
def test_other_keys_may_come_twice(repeated: bytes) -> None:
    chat = read(b"{" + repeated + b' , "messages":[{"role":"user"}],' + repeated + b"}")

    assert chat.raw[slice(*chat.messages_span)] == b'[{"role":"user"}]'
    assert stand(chat) == [{"role": "user"}]


@table(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b'"messages"', b"{}", b'{"messages":null}', b'{"messages":[]}'),
        *(b'{"messages":{}}', b'{"messages":"[{}]"}', b'{"messages":["hello"]}', b'{"messages":[{},null]}'),
        *(b'{"messages":[{}],}', b'{"messages":[{}]} {}', b'{"messages":[{}],"messages":[{}]}'),
        *(b'{"messages":[{}],"m\\u0065ssages":[{}]}', b'\xef\xbb\xbf{"messages":[{}]}'),
        '{"messages":[{}]}'.encode("utf-16"),
        '{"messages":[{}]}'.encode("utf-16-le"),
        *('{"messages":[{}]}'.encode("utf-32-be"), b"{'messages':[{}]}"),
        *(b'{"messages":[{}],"temperature":NaN}', b'{"messages":[{}],"temperature":Infinity}'),
        *(b'{"messages":[{"content":"\\ud83d"}]}', b'{"messages":[{"content":"\xed\xa0\xbd"}]}'),
        *(b'{"messages":[{"content":"\xff"}]}', b'{"\xff":1,"messages":[{}]}'),
        b'{"messages":[{"content":"line\nend"}]}',
        b'{"messages":[{}],"deep":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_cant_be_read_with_certainty_is_not_read(body: bytes) -> None:
    assert read_body(body) is None


@given(st.integers(0, 200), st.binary(max_size=3))
def test_a_damaged_body_is_not_read_or_read_as_it_stands(at: int, damage: bytes) -> None:
    whole = b'{"model":"m","n":{"messages":[{}]},"messages":[{"role":"user","content":"a\\u00e9b"},{"role":"tool"}]}'
    damaged = whole[:at] + damage + whole[at + 1 :]

    chat = read_body(damaged)

    if chat is not None:
        decoded = json.loads(damaged.decode(errors="replace"))  # of what isn't read not all is checked
        assert stand(chat) == decoded["messages"]
        assert [message.role for message in chat.messages] == [m.get("role") for m in decoded["messages"]]


@table(
    "given, is_formatted, has_tools",
    [
        ({}, False, False),
        ({"response_format": {"type": "json_object"}, "tools": [{"type": "function"}]}, True, True),
        ({"text": {"format": {"type": "json_schema"}}, "tools": []}, True, False),
        ({"output_config": {"effort": "high", "format": {"type": "json_schema"}}}, True, False),
        ({"output_config": {"effort": "high"}, "output_format": {"type": "json_schema"}}, True, False),
        ({"output_config": {"effort": "high"}, "text": {"format": {"type": "text"}}}, False, False),
        ({"tools": [{}], "tool_choice": {"type": "function", "function": {"name": "extract"}}}, True, True),
        ({"tools": [{}], "tool_choice": {"type": "tool", "name": "extract"}}, True, True),  # Anthropic's
        ({"tools": [{}], "tool_choice": {"type": "any"}}, False, True),
        ({"tools": [{}], "tool_choice": "required"}, False, True),
    ],
)
def test_apis_tell_an_answers_shape(given: dict[str, Any], *, is_formatted: bool, has_tools: bool) -> None:
    shape = read({"messages": [HELLO], **given}).shape

    assert (shape.is_formatted, shape.has_tools) == (is_formatted, has_tools)


@table(
    ("body", "model"),
    [
        (b'{"model":"a"}', "a"),
        (b' {"messages":[{"model":"b"}], "m\\u006fdel" : "\\u00e9"} ', "\u00e9"),
        (b'{"messages":[]}', None),
        (b'{"model":7}', None),
        (b'{"model":"a","n":1e400}', "a"),
        (b'{"messages":["' + b"x" * 400_000 + b'"],"model":"a"}', "a"),
    ],
)
def test_the_model_of_the_object_itself_counts(body: bytes, model: str | None) -> None:
    assert named_model(body) == model


@table(
    "body",
    [
        *(b'{"model":"a","model":"b"}', b'{"model":"a","mo\\u0064el":"a"}', b'{"model":"a"', b"[]", b""),
        b'\xef\xbb\xbf{"model":"a"}',
    ],
)
def test_two_models_or_no_json_are_not_certain(body: bytes) -> None:
    with pytest.raises(AmbiguousModelError):
        named_model(body)
