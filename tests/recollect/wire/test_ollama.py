"""Ollama's chats and completions are read, composed and heard as its documentation has them."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import Message, Role, Skip, Turn
from recollect.wire import OLLAMA_CHAT, OLLAMA_COMPLETION, Additions, Dialect, Reply, SystemStyle
from recollect.wire.turn import DetectedTurn, detect_turn

AT = datetime(2026, 3, 1, tzinfo=UTC)
ASK = {"role": "user", "content": "Which tea?"}
BLOCK = "What is known: tea."
PORTO = (Message(Role.USER, "I live in Porto."), Message(Role.ASSISTANT, "Noted."))


def heard(dialect: Dialect, **body: Any) -> DetectedTurn:
    written = json.dumps({"model": "llama", **body}).encode()
    return detect_turn(written, user_id="u", session_id=None, message_id=None, at=AT, dialect=dialect)


def turn_of(dialect: Dialect, **body: Any) -> Turn:
    turn = heard(dialect, **body).turn
    assert turn is not None
    return turn


def composed(
    dialect: Dialect, body: str, additions: Additions, style: SystemStyle = SystemStyle.ANY
) -> str | None:
    chat = dialect.read(body.encode())
    assert chat is not None
    after = dialect.compose(chat, additions, style)
    return None if after is None else after.decode()


def reply(dialect: Dialect, *lines: dict[str, Any], content_type: str = "application/x-ndjson") -> Reply:
    reader = dialect.listen(content_type, "")
    reader.feed(b"\n".join(json.dumps(each).encode() for each in lines))
    return reader.finish()


# -- requests --------------------------------------------------------------------------------------


def test_a_chat_is_read_with_what_was_said_before() -> None:
    called = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": {}}}],
    }
    turn = turn_of(
        OLLAMA_CHAT,
        messages=[
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "I live in Porto."},
            {"role": "assistant", "content": "Noted.", "thinking": "A city."},
            called,
            {"role": "tool", "tool_name": "f", "content": "secret"},
            {**ASK, "images": ["aGVsbG8="]},
        ],
    )

    assert (turn.text, turn.model) == ("Which tea?", "llama")
    assert [each.text for each in turn.history] == ["I live in Porto.", "Noted."]
    assert heard(OLLAMA_CHAT, messages=[ASK]).forms


def test_a_photo_alone_is_a_turn_without_words() -> None:
    photo = {"role": "user", "content": "", "images": ["aGVsbG8="]}
    assert turn_of(OLLAMA_CHAT, messages=[photo]).text == ""


def test_a_completion_is_one_message_that_lacks_no_earlier_one() -> None:
    turn = turn_of(OLLAMA_COMPLETION, prompt="Which tea?", system="Be brief.", images=["aGVsbG8="])

    assert (turn.text, turn.is_whole, turn.history) == ("Which tea?", True, ())
    assert turn.prompt == ("Which tea?", "Be brief.")


@table(
    "dialect, own",
    [
        (dialect, own)
        for dialect in (OLLAMA_CHAT, OLLAMA_COMPLETION)
        for own in ({"raw": True}, {"template": "{{ .Prompt }}"}, {"suffix": "}"}, {"context": [1, 2]})
    ],
)
def test_a_prompt_that_the_client_writes_whole_is_no_turn(dialect: Dialect, own: dict[str, Any]) -> None:
    words: dict[str, Any] = {"messages": [ASK]} if dialect is OLLAMA_CHAT else {"prompt": "Which tea?"}
    unset = {name: type(value)() for name, value in own.items()}

    assert heard(dialect, **words, **own).skip is Skip.EMPTY
    assert heard(dialect, **words, **unset).turn is not None


@table("more", [{}, {"keep_alive": 0}, {"images": ["aGVsbG8="]}, {"system": "Be brief."}])
def test_an_empty_prompt_loads_a_model_and_is_no_turn(more: dict[str, Any]) -> None:
    assert heard(OLLAMA_COMPLETION, prompt="", **more).skip is Skip.EMPTY


@table(
    "dialect, body",
    [
        (
            OLLAMA_CHAT,
            b'{"messages": [{"role": "user", "content": "x"}], "Messages": []}',
        ),  # Ollama reads the last
        (OLLAMA_COMPLETION, b'{"prompt": "x", "Raw": true}'),
        (OLLAMA_CHAT, b'{"messages": []}'),  # loads the model
        (OLLAMA_CHAT, b'{"messages": [1]}'),
        (OLLAMA_CHAT, b'{"messages": [], "messages": [{"role": "user", "content": "x"}]}'),
        (OLLAMA_COMPLETION, b"{}"),  # loads the model
        (OLLAMA_COMPLETION, b'{"prompt": ["x"]}'),
        (OLLAMA_COMPLETION, b'{"prompt": "x", "prompt": "y"}'),
        (OLLAMA_COMPLETION, b"[]"),
    ],
)
def test_a_request_that_is_not_certain_is_not_read(dialect: Dialect, body: bytes) -> None:
    assert dialect.read(body) is None


@table(
    "given, stream, tokens, formatted",
    [
        ({}, True, 0, False),
        ({"stream": False, "format": "json"}, False, 0, True),
        ({"stream": True, "format": {"type": "object"}, "options": {"num_predict": 50}}, True, 50, True),
        ({"options": {"num_predict": -1}, "format": ""}, True, 0, False),
    ],
)
def test_an_answer_is_streamed_by_default(
    given: dict[str, Any], *, stream: bool, tokens: int, formatted: bool
) -> None:
    for dialect, words in ((OLLAMA_CHAT, {"messages": [ASK]}), (OLLAMA_COMPLETION, {"prompt": "x"})):
        chat = dialect.read(json.dumps({**words, **given}).encode())
        assert chat is not None
        shape = chat.shape
        assert (shape.stream, shape.most_tokens, shape.is_formatted) == (stream, tokens, formatted)


# -- additions -------------------------------------------------------------------------------------


@table(
    "dialect, before, after",
    [
        # a system text of one's own is made longer
        (
            OLLAMA_CHAT,
            '{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}',
            '{"messages":[{"role":"system","content":"Be brief.\\n\\n%s"},{"role":"user","content":"Hi"}]}',
        ),
        (OLLAMA_COMPLETION, '{"prompt":"Hi","system":"Hm."}', '{"prompt":"Hi","system":"Hm.\\n\\n%s"}'),
        # without one none is begun: it would displace the model's
        (
            OLLAMA_CHAT,
            '{"messages":[{"role":"user","content":"Hi","images":["aGk="]}], "keep_alive": -1}',
            '{"messages":[{"role":"user","content":"Hi\\n\\n%s","images":["aGk="]}], "keep_alive": -1}',
        ),
        (OLLAMA_COMPLETION, '{"prompt":"Hi", "think": true}', '{"prompt":"Hi\\n\\n%s", "think": true}'),
    ],
)
def test_a_system_text_is_added_if_the_model_keeps_its_own(dialect: Dialect, before: str, after: str) -> None:
    assert composed(dialect, before, Additions(system=BLOCK)) == after % BLOCK


@table("style", [SystemStyle.FIRST, SystemStyle.DEVELOPER, SystemStyle.ANY])
@table("role", ["system", "developer"])
def test_no_system_text_is_begun_in_front_of_one_further_down(style: SystemStyle, role: str) -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": role, "content": "Be brief."}]
    after = composed(OLLAMA_CHAT, json.dumps({"messages": messages}), Additions(system=BLOCK), style)

    assert after is not None
    assert [each["role"] for each in json.loads(after)["messages"]] == ["user", role]


def test_earlier_messages_go_into_a_chat_and_have_no_place_in_a_completion() -> None:
    earlier = Additions(beside={0: BLOCK}, earlier=PORTO)
    chat = composed(OLLAMA_CHAT, '{"messages":[{"role":"user","content":"Hi"}]}', earlier)

    assert chat is not None
    assert json.loads(chat)["messages"] == [
        {"role": "user", "content": "I live in Porto."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": f"Hi\n\n{BLOCK}"},
    ]
    assert composed(OLLAMA_COMPLETION, '{"prompt":"Hi"}', earlier) is None


# -- answers ---------------------------------------------------------------------------------------

PIECES = [
    {"model": "llama", "message": {"role": "assistant", "content": "", "thinking": "Tea?"}, "done": False},
    {"model": "llama", "message": {"role": "assistant", "content": "Lap"}, "done": False},
    {"model": "llama", "message": {"role": "assistant", "content": "sang."}, "done": False},
    {
        "model": "llama",
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 12,
        "eval_count": 3,
    },
]


@given(st.lists(st.integers(0, 700), max_size=6))
def test_a_stream_is_heard_however_it_is_cut(cuts: list[int]) -> None:
    stream = b"".join(json.dumps(each).encode() + b"\n" for each in PIECES)
    reader = OLLAMA_CHAT.listen("application/x-ndjson", "")
    places = [0, *sorted(cuts), len(stream)]
    for start, end in pairwise(places):
        reader.feed(stream[start:end])

    assert reader.finish() == Reply(
        "Lapsang.", finish_reason="stop", model="llama", prompt_tokens=12, completion_tokens=3, complete=True
    )


CALL = {"message": {"content": "", "tool_calls": [{"function": {"name": "f"}}]}}
THOUGHT = {"response": "Lap", "thinking": "x", "done": False}
DONE = Reply(finish_reason="stop", complete=True)


@table(
    "lines, found",
    [
        ([PIECES[1], PIECES[2]], Reply("Lapsang.", model="llama")),  # broke off
        ([PIECES[1], {"error": "out of memory"}], Reply("Lap", model="llama", failed=True)),
        ([CALL, {"done": True, "done_reason": "stop"}], replace(DONE, has_tool_calls=True)),
        ([{"done": True}], DONE),
        (
            [THOUGHT, {"response": "sang.", "done": True, "done_reason": "length"}],
            replace(DONE, text="Lapsang.", finish_reason="length"),
        ),
        ([{"message": {"content": 7}}, {"response": None, "done": "yes"}], Reply()),
    ],
)
def test_each_line_counts_for_what_it_says(lines: list[dict[str, Any]], found: Reply) -> None:
    assert reply(OLLAMA_CHAT, *lines) == found


def test_an_answer_that_is_not_streamed_is_one_object_and_lines_that_are_called_json_are_heard() -> None:
    whole = {**PIECES[3], "message": {"role": "assistant", "content": "Lapsang."}}

    found = reply(OLLAMA_CHAT, whole, content_type="application/json; charset=utf-8")

    assert (found.text, found.complete, found.prompt_tokens) == ("Lapsang.", True, 12)
    assert reply(OLLAMA_CHAT, *PIECES, content_type="application/json").text == "Lapsang."


def test_a_line_that_is_too_large_is_left_out() -> None:
    reader = OLLAMA_CHAT.listen("application/x-ndjson", "")
    large = (b'{"message":{"content":"' + b"x" * (16 * 1024 * 1024 + 1), b'"}}\n')
    for piece in (json.dumps(PIECES[1]).encode() + b"\n", *large, json.dumps(PIECES[2]).encode() + b"\n"):
        reader.feed(piece)

    found = reader.finish()

    assert (found.text, found.truncated) == ("Lapsang.", True)
