import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect.wire import add_memories

MEMORY = {
    "id": UUID(int=7),
    "content": 'Likes "tea" 🍵',
    "at": datetime(2026, 11, 21, tzinfo=UTC),
    "score": 0.5,
}
ENCODED = (
    '[{"id":"00000000-0000-0000-0000-000000000007","content":"Likes \\"tea\\" 🍵",'
    '"at":"2026-11-21T00:00:00Z","score":0.5}]'
).encode()


@pytest.mark.parametrize(
    ("body", "before", "after"),
    [
        (b"{}", b"{", b"}"),
        (b" { } \n", b" { ", b"} \n"),
        (b'{"id":1e400,"id":[{}] }', b'{"id":1e400,"id":[{}] ,', b"}"),
        (b'{"a":"}"}\r\n', b'{"a":"}",', b"}\r\n"),
    ],
)
def test_memories_become_the_last_member(body: bytes, before: bytes, after: bytes) -> None:
    assert add_memories(body, [MEMORY]) == before + b'"memories":' + ENCODED + after


def test_no_memories_are_an_empty_list() -> None:
    assert json.loads(add_memories(b'{"id":"a"}', ())) == {"id": "a", "memories": []}


def test_what_the_history_took_stands_behind_the_memories() -> None:
    assert add_memories(b"{}", (), used_history_tokens=0) == b'{"memories":[],"used_history_tokens":0}'
    assert (
        add_memories(b'{"id":1 }', [{"content": "a"}], used_history_tokens=1200)
        == b'{"id":1 ,"memories":[{"content":"a"}],"used_history_tokens":1200}'
    )


def test_an_answer_that_says_what_its_history_took_stays_as_it_is_only_where_we_would_say_it_too() -> None:
    body = b'{"used_history_tokens":5}'

    assert add_memories(body, (), used_history_tokens=7) is body
    assert add_memories(body, ()) == b'{"used_history_tokens":5,"memories":[]}'


@table(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"{}"',
        b"{",
        b"{}}",
        b'{"memories":null}',
        b'{"m\\u0065mories":[]}',
        b"\xef\xbb\xbf{}",
        b"\xff",
    ],
)
def test_anything_else_stays_as_it_is(body: bytes) -> None:
    assert add_memories(body, [MEMORY]) is body


@given(
    st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.text())),
    st.none() | st.integers(),
)
def test_every_other_member_keeps_its_value(answer: dict[str, object], indent: int | None) -> None:
    body = json.dumps(answer, indent=indent and min(abs(indent), 4)).encode()

    added = json.loads(add_memories(body, [{"content": "a"}]))

    assert added == {"memories": [{"content": "a"}]} | answer


@given(st.binary() | st.text('{}[]"a:, ', max_size=6).map(str.encode))
def test_no_answer_makes_adding_fail(body: bytes) -> None:
    added = add_memories(body, [MEMORY])

    assert added == body or len(json.loads(added)["memories"]) == 1


def test_what_json_cant_hold_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError):
        add_memories(b"{}", [{"content": object()}])
