"""What can be asked is a value: its path, its query, its body."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from tests.tables import table

from recollect.client import ConflictError, MemoryApiError, UnavailableError, calls, shapes
from recollect.client.problems import error_of

ID = UUID("01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10")


@table(
    ("user", "segment"),
    [
        ("alice", "alice"),
        ("a/b", "a%2Fb"),
        ("a%2Fb", "a%252Fb"),
        ("..", "%2E%2E"),
        ("日", "%E6%97%A5"),
        ("a b?c#d", "a%20b%3Fc%23d"),
    ],
)
def test_any_id_is_one_segment(user: str, segment: str) -> None:
    assert calls.todos(user).path == f"/memory/users/{segment}/todos"
    assert calls.erase_session("x", user).path == f"/memory/users/x/sessions/{segment}"


def test_nobody_is_no_user() -> None:
    with pytest.raises(ValueError, match="empty"):
        calls.erase_user("")


def test_only_what_is_given_is_sent() -> None:
    assert calls.list_memories("a").query == []
    noon = datetime(2026, 3, 15, 12, tzinfo=UTC)
    listed = calls.list_memories("a", kinds=["fact", "todo"], observed_from=noon, limit=3)
    assert listed.query == [
        ("kind", "fact"),
        ("kind", "todo"),
        ("limit", "3"),
        ("from", "2026-03-15T12:00:00+00:00"),
    ]
    changed = calls.change_memory("a", ID, event_at=None, if_match='"1"')
    assert (changed.body, changed.headers) == ({"event_at": None}, {"If-Match": '"1"'})
    assert calls.add_memory("a", "x", key="k").headers == {"Idempotency-Key": "k"}
    assert calls.change_settings(shapes.FlagsChange(recall=None)).body == {"recall": None}


def test_a_time_without_a_zone_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="as_of"):
        calls.list_memories("a", as_of=datetime(2026, 3, 15))  # noqa: DTZ001


@table(
    ("status", "body", "kind"),
    [
        (409, b'{"title": "T", "status": 409, "detail": "D."}', ConflictError),
        (502, b"<html>", UnavailableError),
        (503, b"[]", UnavailableError),
        (418, b"", MemoryApiError),
    ],
)
def test_whoever_answers_an_error_it_is_told(status: int, body: bytes, kind: type[MemoryApiError]) -> None:
    error = error_of(status, body)

    assert type(error) is kind
    assert error.problem is not None
    assert (error.problem.status, error.problem.code) == (status, "")
    assert str(status) in str(error)
