"""Rows of any release of OpenWebUI are read, and an error does not quote them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect_proxy.importers.kept import BEGUN, chat_row, memory_row
from tests.support.tables import table

from recollect_proxy.importers.common_format import BrokenRowError, as_object, moment, name_of, stable_id
from recollect_proxy.importers.openwebui import read_chat, read_memory

BEGAN = datetime.fromtimestamp(BEGUN, UTC)


def test_a_memory_has_an_owner_a_time_a_path_and_its_chat() -> None:
    meta = '{"created_by": "manual", "chat_id": "chat-7"}'
    row = memory_row("My sister keeps geese.", type="user", path=" family/sister ", meta=meta)

    stored = read_memory(row)

    assert (stored.user_id, stored.created_at, stored.said_at) == ("anna", BEGAN, BEGAN)
    assert (stored.is_always_told, stored.path) == (True, "family/sister")
    assert (stored.session_id, stored.is_manual) == ("chat-7", True)
    edited = read_memory(memory_row("Tea.", updated_at=BEGUN + 60))
    assert (edited.created_at, edited.said_at) == (BEGAN, BEGAN + timedelta(minutes=1))


def test_a_memory_of_an_older_release_lacks_some_of_these() -> None:
    stored = read_memory({"id": "m", "content": "Tea.", "created_at": 10**400, "updated_at": BEGUN})

    assert (stored.user_id, stored.created_at, stored.said_at) == ("", None, BEGAN)
    assert (stored.is_always_told, stored.path, stored.session_id, stored.is_manual) == (
        False,
        "",
        None,
        False,
    )


def test_a_memory_is_known_by_its_whole_id_and_one_without_by_its_text() -> None:
    ids = [read_memory(memory_row("Tea.", id=id_)).id for id_ in ("x" * 200, "x" * 201, 7, None, "\0")]

    assert ids == ["x" * 200, "x" * 201, "7", "Tea.", "\ufffd"]


@table(
    ("row", "why"),
    [
        (memory_row(None), "no text"),
        (memory_row("a secret thought", user_id="*"), "names no owner"),
        (memory_row("a secret thought", user_id="x" * 300), "names no owner"),
        (chat_row([], id=None), "id"),
        (chat_row([], chat="{broken"), "messages"),
        (chat_row([], chat=None), "messages"),
        (chat_row([], user_id="*"), "names no owner"),
    ],
)
def test_a_broken_row_says_why_and_quotes_nothing(row: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenRowError, match=why) as raised:
        read_chat(row) if "chat" in row else read_memory(row)
    assert "thought" not in str(raised.value)


def test_a_chat_without_a_time_has_the_one_of_the_web_page() -> None:
    assert read_chat(chat_row([], created_at=None)).created_at == BEGAN
    assert read_chat(chat_row([], created_at=None, chat={"history": {}})).created_at is None


@table(
    ("value", "at"),
    [
        *((BEGUN * unit, BEGAN) for unit in (1, 1.0, 10**3, 10**6, 10**9)),
        *((text, BEGAN) for text in (BEGAN.isoformat(), "2025-10-09T08:53:20Z", "2025-10-09T08:53:20")),
        *((text, None) for text in ("yesterday", "1960-01-01", "9" * 99, [1], None, True)),
        *((number, None) for number in (-1, 0, 10**400, float("nan"), float("inf"))),
    ],
)
def test_a_time_is_read_in_any_unit(value: object, at: datetime | None) -> None:
    assert moment(value) == at


@given(st.one_of(st.integers(), st.floats()))
def test_any_number_is_a_time_or_none(value: float) -> None:
    at = moment(value)

    assert at is None or at.year < 5139


def test_a_column_that_is_no_object_is_empty() -> None:
    assert as_object('{"a": 1}') == {"a": 1}
    assert as_object("[1]") == as_object("{") == as_object(None) == as_object("[" * 100_000) == {}


def test_a_row_is_named_by_the_printable_part_of_its_id() -> None:
    assert name_of("ab\x1b[31m\n") == "ab[31m"
    assert name_of(None) == "without id"
    assert len(name_of("x" * 1000)) == 100


NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
names = st.lists(st.text(), min_size=1, max_size=3)


@given(names, names)
def test_an_id_belongs_to_its_names(one: list[str], other: list[str]) -> None:
    here, there = stable_id(NOW, *one), stable_id(NOW, *other)

    assert here == stable_id(NOW, *one)
    assert here.version == 7
    replaced = "�"
    if one != other and not any(
        0xD800 <= ord(c) <= 0xDFFF or c in ("\0", replaced) for t in one + other for c in t
    ):
        assert here != there


def test_ids_sort_by_time_and_say_it() -> None:
    ids = [stable_id(NOW + timedelta(milliseconds=number), "x") for number in range(50)]

    assert ids == sorted(ids)
    assert ids[0].int >> 80 == NOW.timestamp() * 1000
