import json
from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from tests.recollect.wire.fuzzing import names, values
from tests.support.tables import table

from recollect.wire import add_memories, may_have_options, reading_limits, take_options


def taken_of(body: str) -> tuple[str, str]:
    """Return the body that is left, and the member's value as it was written."""
    rest, taken = take_options(body.encode())
    assert rest is not None
    assert taken is not None
    return rest.decode(), bytes(taken).decode()


@table(
    ("body", "after"),
    [
        ('{"recollect":%s}', "{}"),
        (' { "recollect" : %s } ', " {  } "),
        ('{"recollect":%s,"a":1e400}', '{"a":1e400}'),
        ('{ "recollect" :%s , "a":1}', '{  "a":1}'),
        ('{"a":1 , "recollect":%s\n}', '{"a":1  \n}'),
        ('{"a":"recollect","recollect":%s,"b":[ ]}', '{"a":"recollect","b":[ ]}'),
        ('{"a":1,"a":2,"r\\u0065collect":%s}', '{"a":1,"a":2}'),
        ('{"a":1,"recollec\\u0074":%s,"b":{"recollect":5}}', '{"a":1,"b":{"recollect":5}}'),
        ('{"\\u0072\\u0065\\u0063\\u006F\\u006c\\u006C\\u0065\\u0063\\u0074":%s}', "{}"),
    ],
)
@table("options", ['{"recall":false , "n":1.0}', "null", '"},"', "[1]", "1e400"])
def test_the_member_is_cut_out_and_its_value_kept_as_written(body: str, after: str, options: str) -> None:
    assert taken_of(body % options) == (after, options)


@table(
    ("body", "after"),
    [
        ('{"recollect":1,"recollect":2}', "{}"),
        ('{"a":0,"recollect":1,"recollect":2}', '{"a":0}'),
        ('{"recollect":1, "a":0 ,"recollect":2}', '{ "a":0 }'),
        ('{"recollect":1,"a":0,"recollect":2,"b":3}', '{"a":0,"b":3}'),
    ],
)
def test_given_twice_all_are_cut_out_and_the_last_counts(body: str, after: str) -> None:
    assert taken_of(body) == (after, "2")


@table(
    "body",
    [
        *(b"", b"{}", b'{"a":"recollect"}', b'{"a":{"recollect":1}}', b'{"Recollect":1,"a":"\\u0065"}'),
        *(b'["recollect"]', b'"recollect"', b'{"recollect":1', b'\xef\xbb\xbf{"recollect":1}'),
        *(b'{"recollect":NaN}', b'{"recollect":1,"\xff":1}', b'{"recollect\\ud83d":1}'),
    ],
)
def test_any_other_body_stays_as_it_is(body: bytes) -> None:
    rest, taken = take_options(body)

    assert rest is body
    assert taken is None


def test_a_value_that_is_not_unicode_is_cut_out_as_it_is() -> None:
    rest, taken = take_options(b'{"recollect":"\xff"}')

    assert (rest, bytes(taken or b"")) == (b"{}", b'"\xff"')


@given(
    members=st.lists(st.tuples(names | st.just("recollect"), values), max_size=6),
    escaped=st.booleans(),
    comma=st.sampled_from([",", " , ", ",\n"]),
)
def test_all_else_in_a_body_stays(*, members: list[tuple[str, object]], escaped: bool, comma: str) -> None:
    written = [
        (name, f"{json.dumps(name, ensure_ascii=escaped)}: {json.dumps(value, ensure_ascii=escaped)}")
        for name, value in members
    ]
    body = ("{" + comma.join(member for _, member in written) + "}").encode(errors="surrogatepass")
    told = [value for name, value in members if name == "recollect"]

    rest, taken = take_options(body)

    if taken is None:
        assert rest is body
        return
    assert rest is not None
    assert json.loads(bytes(taken)) == told[-1]
    kept = "{" + ",".join(member for name, member in written if name != "recollect") + "}"
    assert json.loads(rest, object_pairs_hook=list) == json.loads(kept, object_pairs_hook=list)
    assert [byte for byte in rest if byte not in b" ,\n"] == [
        byte for byte in kept.encode() if byte not in b" ,\n"
    ]


@given(st.binary(max_size=60) | st.text('{}[]":, recolt\\u0065', max_size=40).map(str.encode))
def test_no_body_makes_it_fail(body: bytes) -> None:
    rest, taken = take_options(body)

    assert (rest == body) == (taken is None)


@given(
    spelt=st.lists(st.sampled_from(["plain", "small", "LARGE"]), min_size=9, max_size=9),
    space=st.text(" \t\n\r", max_size=3),
)
def test_a_body_that_asks_something_is_known_however_the_key_is_written(spelt: list[str], space: str) -> None:
    forms = {"plain": "{}", "small": "\\u{:04x}", "LARGE": "\\u{:04X}"}
    key = "".join(
        forms[how].format(letter if how == "plain" else ord(letter))
        for how, letter in zip(spelt, "recollect", strict=True)
    )
    body = f'{{"a":1,"{key}"{space}:{{}}}}'

    assert json.loads(body)["recollect"] == {}
    assert may_have_options(body.encode())


@table("body", [b'{"a":"recollect"}', b'{"a":"\\"recollect\\":1"}', b'{"recollects":1}', b'{"Recollect":1}'])
def test_a_body_that_only_speaks_of_it_asks_nothing(body: bytes) -> None:
    assert not may_have_options(body)


def test_of_a_body_that_is_too_much_to_read_nothing_goes_on_if_it_may_ask() -> None:
    too_much = b'"x":[' + b"1," * reading_limits.MOST_COMMAS + b"1]}"

    assert take_options(b'{"recollect":{},' + too_much) == (None, None)
    assert take_options(b'{"a":"recollect",' + too_much).body is not None


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


@table(
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
        *(b"", b"null", b"[]", b'"{}"', b"{", b"{}}", b'{"memories":null}', b'{"m\\u0065mories":[]}'),
        *(b"\xef\xbb\xbf{}", b"\xff"),
    ],
)
def test_anything_else_stays_as_it_is(body: bytes) -> None:
    assert add_memories(body, [MEMORY]) is body


@given(
    st.binary() | st.text('{}[]"a:, ', max_size=6).map(str.encode) | values.map(json.dumps).map(str.encode)
)
def test_no_answer_makes_adding_fail(body: bytes) -> None:
    added = add_memories(body, [MEMORY])

    assert added is body or json.loads(added) == json.loads(body) | {"memories": json.loads(ENCODED)}
