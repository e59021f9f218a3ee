"""What is added to a request stands where its upstream takes it, in each API; every other byte stays."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.model import Message, Role
from recollect.wire import (
    COMPLETIONS,
    MESSAGES,
    RESPONSES,
    Additions,
    ChatBody,
    Dialect,
    SystemStyle,
    said_with,
)
from recollect.wire.insertion import restorable

ANY, FIRST, DEVELOPER, NONE = SystemStyle
EARLIER = (Message(Role.USER, 'I like "tea".'), Message(Role.ASSISTANT, "Noted."))
RESTORED = b'{"role":"user","content":"I like \\"tea\\"."},{"role":"assistant","content":"Noted."},'
SAID = b'"role":"user","content":'


def read(dialect: Dialect, body: bytes) -> ChatBody:
    chat = dialect.read(body)
    assert chat is not None
    return chat


def contents(after: bytes | None) -> list[Any]:
    """Return the contents of the messages or items of a request."""
    assert after is not None
    body = json.loads(after)
    return [each["content"] for each in body.get("messages", body.get("input"))]


def composed(
    dialect: Dialect,
    body: bytes,
    system: str = "",
    beside: Mapping[int, str] | None = None,
    earlier: tuple[Message, ...] = (),
    style: SystemStyle = ANY,
) -> bytes | None:
    return dialect.compose(read(dialect, body), Additions(system, beside or {}, earlier), style)


@table("dialect", [COMPLETIONS, MESSAGES])
@table(
    ("content", "after"),
    [
        (b'"content":""', b'"content":"NEW"'),
        (b'"content":null ', b'"content":"NEW" '),
        (b'"x":1', b'"x":1,"content":"NEW"'),
        (b'"content":[ ]', b'"content":[ {"type":"text","text":"NEW"}]'),
        (
            b'"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}} ]',
            b'"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}} ,{"type":"text","text":"NEW"}]',
        ),
        (
            b'"content":[{"type":"image_url","image_url":{"url":"data:,"}}]',
            b'"content":[{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"NEW"}]',
        ),
    ],
)
def test_text_stands_at_the_end_of_a_users_message(dialect: Dialect, content: bytes, after: bytes) -> None:
    body = b'{"n":1e400, "messages" :[ {"role":"user",%s} , {"role":"assistant","content":"b"}],"x":[1.0]}'

    assert composed(dialect, body % content, beside={0: "NEW"}) == body % after


def test_a_text_is_made_longer_and_is_a_part_where_a_cache_tells_texts_from_parts() -> None:
    body = b'{"messages":[{"role":"user","content" : %s }]}'
    part = b'{"type":"text","text":"hi\\u002e"}'
    parts = b'[%s,{"type":"text","text":"NEW"}]' % part

    for said in (b'"hi\\u002e"', b"[%s]" % part):
        assert composed(MESSAGES, body % said, beside={0: "NEW"}) == body % parts
    assert composed(COMPLETIONS, body % b'"hi\\u002e"', beside={0: "NEW"}) == body % b'"hi\\u002e\\n\\nNEW"'


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (b'"hi"', b'"hi\\n\\nNEW"'),
        (
            b'[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:,"}]',
            b'[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:,"},{"type":"input_text","text":"NEW"}]',
        ),
    ],
)
def test_text_stands_at_the_end_of_a_users_item(content: bytes, after: bytes) -> None:
    body = b'{"input":[{"type":"reasoning","summary":[]},{"type":"message","role":"user","content":%s}]}'

    assert composed(RESPONSES, body % content, beside={1: "NEW"}) == body % after


def test_the_results_of_tools_stay_in_front_of_the_text() -> None:
    result = b'{"type":"tool_result","tool_use_id":"1","content":"22 degrees"},{"type":"text","text":"And?"}'
    body = b'{"system":"Be kind.","messages":[{"role":"user","content":[%s]}]}'
    new = b',{"type":"text","text":"NEW"}'

    assert composed(MESSAGES, body % result, beside={1: "NEW"}) == body % (result + new)


def test_an_input_of_one_text_takes_text() -> None:
    assert composed(RESPONSES, b'{"input": "hi" }', beside={0: "NEW"}) == b'{"input": "hi\\n\\nNEW" }'


def test_an_input_of_one_text_becomes_a_list_behind_earlier_messages() -> None:
    after = composed(RESPONSES, b'{"input": "" ,"x":1}', "SYS", {0: "NEW"}, EARLIER)

    user = b'{"role":"user","content":"NEW"}'
    assert after == b'{"instructions":"SYS","input": [%s%s] ,"x":1}' % (RESTORED, user)


def test_earlier_messages_stand_behind_the_system_and_in_front_of_all_else() -> None:
    head = b'{"messages":[{"role":"developer","content":"d"} , {"role":"system","content":"s"},\n '
    tail = b'{"role":"assistant","content":"a"},{"role":"system","content":"t"}]}'

    assert composed(COMPLETIONS, head + tail, earlier=EARLIER) == head + RESTORED + tail


def test_a_new_system_message_stands_in_front_of_earlier_messages() -> None:
    after = composed(COMPLETIONS, b'{"messages":[{%s"a"}]}' % SAID, "SYS", {0: "NEW"}, EARLIER)

    system = b'{"role":"system","content":"SYS"},'
    assert after == b'{"messages":[%s%s{%s"a\\n\\nNEW"}]}' % (system, RESTORED, SAID)


@table(
    ("style", "messages", "after"),
    [
        (ANY, b'{"role":"assistant"},{"role":"system","content":"s"},{"role":"user"}', 1),
        (ANY, b'{"role":"developer","content":"s"},{"role":"system","content":"t"}', 0),
        (FIRST, b'{"role":"system","content":"s"}', 0),
        (FIRST, b'{"role":"developer","content":"s"}', 0),
        (DEVELOPER, b'{"role":"system","content":"s"}', 0),
    ],
)
def test_the_systems_message_that_is_taken_says_it(style: SystemStyle, messages: bytes, after: int) -> None:
    body = b'{"messages":[%s]}' % messages

    said = composed(COMPLETIONS, body, "SYS", style=style)

    assert said == body.replace(b'"content":"s"', b'"content":"s\\n\\nSYS"')
    assert json.loads(said)["messages"][after]["content"] == "s\n\nSYS"


@pytest.mark.parametrize(("style", "role"), [(ANY, b"system"), (FIRST, b"system"), (DEVELOPER, b"developer")])
def test_a_system_message_further_down_gets_one_in_front(style: SystemStyle, role: bytes) -> None:
    messages = b'{"role":"user","content":"u"},{"role":"system","content":"s"}'

    after = composed(COMPLETIONS, b'{"messages":[%s]}' % messages, "SYS", style=style)

    assert after == b'{"messages":[{"role":"%s","content":"SYS"},%s]}' % (role, messages)


@table("style", [ANY, FIRST, DEVELOPER])
@table(
    ("dialect", "before", "after"),
    [
        (RESPONSES, b'{"input":"a"}', b'{"instructions":"SYS","input":"a"}'),
        (RESPONSES, b'{"input":"a","instructions":"i"}', b'{"input":"a","instructions":"i\\n\\nSYS"}'),
        (RESPONSES, b'{"input":"a","instructions":null}', b'{"input":"a","instructions":"SYS"}'),
        (RESPONSES, b'{"input":"a","instructions":""}', b'{"input":"a","instructions":"SYS"}'),
        (MESSAGES, b'{"messages":[{}]}', b'{"system":"SYS","messages":[{}]}'),
        (
            MESSAGES,
            b'{"system":[{"type":"text","text":"s"}],"messages":[{}]}',
            b'{"system":[{"type":"text","text":"s"},{"type":"text","text":"SYS"}],"messages":[{}]}',
        ),
    ],
)
def test_the_systems_member_says_it(
    dialect: Dialect, before: bytes, after: bytes, style: SystemStyle
) -> None:
    assert composed(dialect, before, "SYS", style=style) == after


def test_without_a_system_its_text_stands_beside_the_first_message_of_the_user() -> None:
    body = b'{"messages":[{"role":"assistant","content":"Hello."},{%s"a%s"},{%s"b%s"}]}'

    after = composed(COMPLETIONS, body % (SAID, b"", SAID, b""), "SYS", {1: "NEW", 2: "X"}, style=NONE)

    assert after == body % (SAID, b"\\n\\nSYS\\n\\nNEW", SAID, b"\\n\\nX")
    alone = composed(COMPLETIONS, body % (SAID, b"", SAID, b""), "SYS", style=NONE)
    assert alone == body % (SAID, b"\\n\\nSYS", SAID, b"")


def test_without_a_system_its_text_stands_beside_the_first_restored_message() -> None:
    block = "<recollect_memories>\n- a\n</recollect_memories>"
    earlier = (Message(Role.USER, f"I like tea.\n\n{block}"), EARLIER[1])

    after = composed(RESPONSES, b'{"input":"a"}', "SYS", {0: "NEW"}, earlier, NONE)

    assert contents(after) == [f"I like tea.\n\nSYS\n\n{block}", "Noted.", "a\n\nNEW"]


@table(
    ("dialect", "body", "additions", "style"),
    [
        (COMPLETIONS, b'{"messages":[{"role":"user"}]}', Additions(beside={1: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{"role":"user"}]}', Additions(beside={-1: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{"role":"assistant"}]}', Additions(beside={0: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{%s"a","content":"b"}]}' % SAID, Additions("SYS", {0: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{%s7}]}' % SAID, Additions(beside={0: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{%s{}}]}' % SAID, Additions(beside={0: "NEW"}), ANY),
        (COMPLETIONS, b'{"messages":[{"role":"system","content":5}]}', Additions("SYS"), FIRST),
        (COMPLETIONS, b'{"messages":[{"role":"system"}]}', Additions(earlier=EARLIER), ANY),
        (COMPLETIONS, b'{"messages":[{"role":"assistant"}]}', Additions("SYS"), NONE),
        (MESSAGES, b'{"system":"s","messages":[{"role":"user"}]}', Additions(beside={0: "NEW"}), ANY),
        (MESSAGES, b'{"system":5,"messages":[{"role":"user"}]}', Additions("SYS"), ANY),
        (MESSAGES, b'{"system":"a","system":"b","messages":[{}]}', Additions("SYS"), ANY),
        (RESPONSES, b'{"input":"a","instructions":[]}', Additions("SYS", {0: "NEW"}), ANY),
        (RESPONSES, b'{"input":[{"type":"function_call"}]}', Additions(beside={0: "NEW"}), ANY),
    ],
)
def test_without_a_certain_place_nothing(
    dialect: Dialect, body: bytes, additions: Additions, style: SystemStyle
) -> None:
    assert dialect.compose(read(dialect, body), additions, style) is None


@table("style", list(SystemStyle))
@table(
    "additions",
    [Additions(), Additions(beside={0: "", 9: ""}), Additions(earlier=(Message(Role.USER, "unanswered"),))],
)
def test_nothing_to_add_leaves_the_body_as_it_is(additions: Additions, style: SystemStyle) -> None:
    chat = read(COMPLETIONS, b'{"messages":[{"role":"user","content":5}]}')

    assert COMPLETIONS.compose(chat, additions, style) is chat.raw


def in_deep(calls: int, dialect: Dialect, chat: ChatBody, additions: Additions) -> bytes | None:
    return in_deep(calls - 1, dialect, chat, additions) if calls else dialect.compose(chat, additions, ANY)


@pytest.mark.parametrize(
    ("dialect", "body", "additions"),
    [
        (COMPLETIONS, b'{"messages":[{"role":"user","x":%s}]}', Additions(beside={0: "NEW"})),
        (RESPONSES, b'{"input":"a","tools":%s}', Additions("SYS")),
    ],
)
def test_a_body_too_deep_has_no_certain_place(dialect: Dialect, body: bytes, additions: Additions) -> None:
    depth = sys.getrecursionlimit() // 2
    chat = read(dialect, body % (b"[" * depth + b"]" * depth))

    certain = dialect.compose(chat, additions, ANY)

    assert certain is not None
    # From Python 3.12 on the calls of C are counted for themselves, and there is room.
    assert in_deep(depth, dialect, chat, additions) == (None if sys.version_info < (3, 12) else certain)


def test_half_a_surrogate_pair_is_replaced_wherever_it_is_added() -> None:
    earlier = (Message(Role.USER, "c\ud83d"), Message(Role.ASSISTANT, "d\ud83d"))

    after = composed(COMPLETIONS, b'{"messages":[{%s"x"}]}' % SAID, "a\ud83d", {0: "b\ud83d\0"}, earlier)

    assert contents(after) == ["a?", "c?", "d?", "x\n\nb?\0"]


def goes_on(role: str) -> ChatBody:
    messages = [{"role": "system", "content": "s"}, {"role": role, "content": "x"}]
    return read(COMPLETIONS, json.dumps({"messages": messages}).encode())


def conversation(said: str) -> tuple[Message, ...]:
    """Write a conversation short: ``u1 a1`` is a message of the user and its answer; ``s1`` the system's."""
    any_role = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM}
    return tuple(Message(any_role[word[0]], word[1:].replace("_", " ")) for word in said.split())


@table(
    ("earlier", "role", "kept"),
    [
        ("", "user", ""),
        ("u1 a1 u2 a2", "user", "u1 a1 u2 a2"),
        ("a0 u1 a1", "user", "u1 a1"),
        ("u1 a1 u2", "user", "u1 a1"),
        ("u1 a1 u2", "tool", "u1 a1"),
        ("u1 a1 u2", "assistant", "u1 a1 u2"),
        ("u1 u2 a2", "user", "u2 a2"),
        ("u1 s1 u2 a2", "user", "u2 a2"),
        ("u1 a_ u2 a2", "user", "u2 a2"),
        ("u1 a_ u_ a2", "user", "u1 a2"),
        ("a0 a1", "assistant", ""),
    ],
)
def test_what_is_restored_takes_turns(earlier: str, role: str, kept: str) -> None:
    assert restorable(goes_on(role), conversation(earlier)) == conversation(kept)


def test_answers_in_a_row_become_one() -> None:
    first, second = restorable(goes_on("user"), conversation("u1 a1 a2"))

    assert (first.text, second.text) == ("1", "1\n\n2")


any_role = st.sampled_from(sorted(Role))


@given(st.lists(st.builds(Message, any_role, st.sampled_from(["", " ", "a", "b"]))), any_role)
def test_whatever_was_said_is_restored_in_turns_and_only_once(said: list[Message], role: Role) -> None:
    chat = goes_on(role)

    kept = restorable(chat, said)

    assert [each.role for each in kept] == ([Role.USER, Role.ASSISTANT] * len(kept))[: len(kept)]
    assert len(kept) % 2 == 0 or role == "assistant"
    assert restorable(chat, kept) == kept


@table(
    ("said", "added", "both"), [("a", "b", "a\n\nb"), ("", "b", "b"), ("a", "", "a"), (" ", "b", " \n\nb")]
)
def test_what_is_added_to_a_text_follows_after_a_blank_line(said: str, added: str, both: str) -> None:
    assert said_with(said, added) == both
