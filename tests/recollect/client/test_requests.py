"""A request of the client is a value: its path, its query, its body."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest
from tests.support.tables import table

from recollect.api.endpoint_table import Memories, Settings, Users
from recollect.api.memories import MemoryChange, NewMemory
from recollect.api.people import CommonFlagsChange
from recollect.api.queries import OfMemories, OfPage
from recollect.client import ConflictError, MemoryApiError, UnavailableError, error_of, request_of
from recollect.model import Kind

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
        ("{session_id}", "%7Bsession_id%7D"),
    ],
)
def test_any_id_is_one_segment(user: str, segment: str) -> None:
    assert request_of(Memories.list_todos, user).path == f"/memory/users/{segment}/todos"
    assert request_of(Users.erase_session, user, user).path == f"/memory/users/{segment}/sessions/{segment}"


@table("ids", [(), ("",), ("a", "b")])
def test_an_id_that_is_empty_missing_or_too_many_is_refused(ids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"empty|names"):
        request_of(Users.erase_user, *ids)


def test_only_what_differs_from_the_default_is_sent() -> None:
    assert request_of(Memories.list_memories, "a").query == []
    noon = datetime(2026, 3, 15, 12, tzinfo=UTC)
    query = OfMemories(kind=[Kind.FACT, Kind.TODO], observed_from=noon, limit=3)
    sent = {("kind", "fact"), ("kind", "todo"), ("limit", "3"), ("from", "2026-03-15T12:00:00+00:00")}
    assert set(request_of(Memories.list_memories, "a", send=query).query) == sent
    change = MemoryChange(event_at=None)
    changed = request_of(Memories.correct_memory, "a", ID, send=change, if_match='"1"')
    assert (changed.body, changed.headers["If-Match"]) == (b'{"event_at":null}', '"1"')
    added = request_of(Memories.add_memory, "a", send=NewMemory("x"), key="k")
    assert added.headers["Idempotency-Key"] == "k"
    flags = request_of(Settings.change_settings, send=CommonFlagsChange(recall=None))
    assert flags.body == b'{"recall":null}'


def test_what_an_operation_does_not_take_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(TypeError, match="OfPage"):
        request_of(Memories.list_memories, "a", send=OfPage())
    with pytest.raises(msgspec.ValidationError, match="as_of"):
        request_of(Memories.list_memories, "a", send=OfMemories(as_of=datetime(2026, 3, 15)))  # noqa: DTZ001


@table(
    ("status", "body", "kind"),
    [
        (409, b'{"title": "T", "status": 409, "detail": "D."}', ConflictError),
        (502, b"<html>", UnavailableError),
        (503, b"[]", UnavailableError),
        (418, b"", MemoryApiError),
    ],
)
def test_an_error_of_another_server_is_one(status: int, body: bytes, kind: type[MemoryApiError]) -> None:
    error = error_of(status, body)

    assert type(error) is kind
    assert error.problem is not None
    assert (error.problem.status, error.code) == (status, "")
    assert str(status) in str(error)
