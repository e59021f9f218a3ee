"""What one request asks of its memory, as headers and as the `recollect` object of its body."""

import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from recollect.engine.prepared import Wishes
from recollect.model import Placement
from recollect_proxy.errors import failure_body
from recollect_proxy.wishes import RequestWishes, WishError, read_wishes


def of_headers(**headers: str) -> RequestWishes:
    named = [
        (b"X-Recollect-" + name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
    ]
    return read_wishes(named, None)


def of_body(options: Any) -> RequestWishes:
    return read_wishes([], msgspec.Raw(json.dumps(options).encode()))


def test_a_request_that_asks_for_nothing_has_it_as_the_settings_have_it() -> None:
    assert read_wishes([(b"x-recollect-task", b"title"), (b"accept", b"*/*")], None) == RequestWishes()
    assert of_body({}) == RequestWishes()
    assert RequestWishes().recalling == Wishes()


ASKED: list[tuple[str, str, Any, RequestWishes]] = [
    ("top_k_memories", "3", 3, RequestWishes(Wishes(limit=3))),
    ("top_k_memories", "0", 0, RequestWishes(Wishes(limit=0))),
    ("max_memory_tokens", " 250 ", 250, RequestWishes(Wishes(memory_tokens=250))),
    ("max_history_tokens", "100000", 100_000, RequestWishes(Wishes(history_tokens=100_000))),
    ("include_history", "on", True, RequestWishes(Wishes(history=True))),
    ("include_history", "0", False, RequestWishes(Wishes(history=False))),
    ("recall", "OFF", False, RequestWishes(Wishes(recall=False))),
    ("placement", "User", "user", RequestWishes(Wishes(placement=Placement.USER))),
    ("remember", "false", False, RequestWishes(remember=False)),
    ("session", "chat-7", "chat-7", RequestWishes(session="chat-7")),
    ("include", "usage, memories", ["usage", "memories"], RequestWishes(includes_memories=True)),
]


@table(("name", "as_header", "in_body", "wishes"), ASKED)
def test_each_wish_can_be_a_header_or_a_member_of_the_body(
    *, name: str, as_header: str, in_body: Any, wishes: RequestWishes
) -> None:
    assert of_headers(**{name: as_header}) == wishes
    assert of_body({name: in_body}) == wishes


@table("placement", list(Placement))
def test_every_placement_can_be_asked_for(placement: Placement) -> None:
    assert of_headers(placement=placement.value).recalling.placement is placement


def test_the_body_goes_before_the_header() -> None:
    headers = [(b"x-recollect-top-k-memories", b"3"), (b"x-recollect-remember", b"off")]

    wishes = read_wishes(headers, msgspec.Raw(b'{"top_k_memories": 5}'))

    assert wishes == RequestWishes(Wishes(limit=5), remember=False)


def test_a_senseless_header_does_no_harm_where_the_body_says_it() -> None:
    assert read_wishes(
        [(b"x-recollect-recall", b"perhaps")], msgspec.Raw(b'{"recall": false}')
    ) == RequestWishes(Wishes(recall=False))


def test_an_empty_header_and_a_null_ask_for_nothing() -> None:
    assert of_headers(session=" ", recall="") == RequestWishes()
    assert of_body({"session": None, "recall": None}) == RequestWishes()


def test_of_a_header_given_twice_the_last_counts_but_what_to_include_adds_up() -> None:
    name = b"x-recollect-top-k-memories"
    assert read_wishes([(name, b"3"), (name, b"4")], None).recalling.limit == 4
    include = b"x-recollect-include"
    assert read_wishes([(include, b"memories"), (include, b"usage")], None).includes_memories


def test_a_session_of_a_header_is_percent_decoded() -> None:
    assert of_headers(session="caf%C3%A9").session == "caf\u00e9"
    assert of_body({"session": "100%25"}).session == "100%25"


@table("value", ["usage", "all-memories", ""])
def test_memories_are_wanted_only_when_asked_for(value: str) -> None:
    assert not of_headers(include=value).includes_memories


@table(
    ("name", "value"),
    [
        ("top_k_memories", "-1"),
        ("top_k_memories", "101"),
        ("top_k_memories", "1.5"),
        ("top_k_memories", "\u0663"),
        ("top_k_memories", True),
        ("max_memory_tokens", "100001"),
        ("max_memory_tokens", "9" * 5000),
        ("max_history_tokens", "many"),
        ("max_history_tokens", 2.5),
        ("recall", "perhaps"),
        ("recall", [True]),
        ("remember", 2),
        ("include_history", {"a": 1}),
        ("placement", "top"),
        ("placement", 1),
        ("session", "*"),
        ("session", "a\0b"),
        ("session", "x" * 257),
        ("session", 7),
        ("include", {"memories": True}),
        ("top_k", 3),
        ("", 3),
    ],
)
def test_a_senseless_wish_is_refused_and_says_what_would_make_sense(name: str, value: Any) -> None:
    with pytest.raises(WishError) as refused:
        of_body({name: value})

    failure = refused.value.failure
    assert (failure.status, failure.code) == (400, "invalid_recollect_option")
    told = json.loads(failure_body(failure))["error"]
    assert f"option {name} must be" in told["message"]
    assert told["code"] == "invalid_recollect_option"
    assert str(value) not in told["message"] or len(str(value)) < 4  # what was sent is not repeated


@table("options", [b"7", b'"on"', b"[]", b"null", b"true", b"[" * 100_000])
def test_what_is_no_object_is_refused(options: bytes) -> None:
    with pytest.raises(WishError, match="recollect"):
        read_wishes([], msgspec.Raw(options))


@given(st.dictionaries(st.sampled_from([name for name, *_ in ASKED]) | st.text(), st.text() | st.integers()))
def test_whatever_is_asked_is_read_or_refused(options: dict[str, str | int]) -> None:
    try:
        read = of_body(options)
    except WishError:
        return
    assert read.session is None or 0 < len(read.session) <= 256
    assert read.recalling.limit is None or 0 <= read.recalling.limit <= 100
    assert read.recalling.memory_tokens is None or 0 <= read.recalling.memory_tokens <= 100_000


@given(st.sampled_from([name for name, *_ in ASKED]), st.binary())
def test_whatever_a_header_says_is_read_or_refused(name: str, value: bytes) -> None:
    with suppress(WishError):
        wishes = read_wishes([(b"x-recollect-" + name.replace("_", "-").encode(), value)], None)
        assert wishes.recalling.limit is None or 0 <= wishes.recalling.limit <= 100
