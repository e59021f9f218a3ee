"""Rows are read whatever release wrote them, and what is broken is said without quoting it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recollect_proxy.importers.kept import BEGUN, chat_row, memory_row

from recollect_proxy.importers.lines import BrokenRowError, as_object, moment, name_of
from recollect_proxy.importers.openwebui import read_chat, read_memory

BEGAN = datetime.fromtimestamp(BEGUN, UTC)


def test_a_memory_says_whose_it_is_when_it_was_said_and_by_whom() -> None:
    row = memory_row(
        "My sister keeps geese.",
        type="user",
        path=" family/sister ",
        meta='{"created_by": "manual", "chat_id": "chat-7"}',
    )

    stored = read_memory(row)

    assert stored.user_id == "anna"
    assert stored.said_at == BEGAN
    assert (stored.is_always_told, stored.path, stored.session_id, stored.is_manual) == (
        True,
        "family/sister",
        "chat-7",
        True,
    )


def test_a_memory_of_a_release_without_types_is_read() -> None:
    stored = read_memory(
        {"id": "m", "user_id": "anna", "content": "Tea.", "created_at": None, "updated_at": BEGUN}
    )

    assert stored.said_at == BEGAN
    assert (stored.is_always_told, stored.path, stored.session_id, stored.is_manual) == (
        False,
        "",
        None,
        False,
    )


def test_a_memory_says_when_it_was_first_written_and_when_as_it_stands() -> None:
    stored = read_memory(memory_row("Tea.", updated_at=BEGUN + 60))

    assert (stored.created_at, stored.said_at) == (BEGAN, BEGAN + timedelta(minutes=1))
    assert read_memory(memory_row("Tea.", updated_at=None)).said_at == BEGAN


def test_a_memory_is_known_by_its_whole_id_and_one_without_by_its_text() -> None:
    ids = [read_memory(memory_row("Tea.", id=id_)).id for id_ in ("x" * 200, "x" * 201, 7, None, "\0")]

    assert ids == ["x" * 200, "x" * 201, "7", "Tea.", "\ufffd"]


def test_what_does_not_say_whose_it_is_has_no_owner() -> None:
    assert read_memory(memory_row("Tea.", user_id=None)).user_id == ""


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (memory_row(None), "no text"),
        (memory_row("a secret thought", user_id="*"), "names no owner"),
        (memory_row("a secret thought", user_id="x" * 300), "names no owner"),
    ],
)
def test_a_broken_memory_says_why_and_quotes_nothing(row: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenRowError, match=why) as raised:
        read_memory(row)

    assert "thought" not in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"id": None}, "id"),
        ({"chat": "{broken"}, "messages"),
        ({"chat": None}, "messages"),
        ({"user_id": "*"}, "names no owner"),
    ],
)
def test_a_broken_chat_says_why(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(BrokenRowError, match=why):
        read_chat(chat_row([], **changed))


def test_a_chat_without_a_time_began_when_the_web_page_says() -> None:
    assert read_chat(chat_row([], created_at=None)).created_at == BEGAN
    assert read_chat(chat_row([], created_at=None, chat={"history": {}})).created_at is None


@pytest.mark.parametrize(
    "value",
    [
        BEGUN,
        float(BEGUN),
        BEGUN * 10**3,
        BEGUN * 10**6,
        BEGUN * 10**9,
        BEGAN.isoformat(),
        "2025-10-09T08:53:20Z",
    ],
)
def test_a_time_is_read_in_whatever_unit(value: object) -> None:
    assert moment(value) == BEGAN


@pytest.mark.parametrize(
    "value", [None, True, "yesterday", "1960-01-01", "9" * 99, -1, 0, float("nan"), float("inf"), [1]]
)
def test_what_is_no_time_is_none(value: object) -> None:
    assert moment(value) is None


@given(st.one_of(st.integers(), st.floats()))
def test_any_number_is_a_time_or_none(value: float) -> None:
    at = moment(value)

    assert at is None or at.year < 5139


def test_a_column_that_is_no_object_is_empty() -> None:
    assert as_object('{"a": 1}') == {"a": 1}
    assert as_object("[1]") == as_object("{") == as_object(None) == as_object("[" * 100_000) == {}


def test_a_row_is_named_by_what_can_be_shown_of_its_id() -> None:
    assert name_of("ab\x1b[31m\n") == "ab[31m"
    assert name_of(None) == "without id"
    assert len(name_of("x" * 1000)) == 100


def test_a_number_that_no_float_can_hold_is_no_time() -> None:
    assert moment(10**400) is None
    assert read_memory(memory_row("Tea.", created_at=10**400)).said_at == BEGAN
