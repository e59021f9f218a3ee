"""A body or a query is read strictly: a wrong field is refused, and named without its value."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.recollect_proxy.memory_api.serving import SECRET, TOKEN, Api, assert_error
from tests.support.raw_client import RawConnection
from tests.support.tables import table

from recollect.api.endpoint_table import (
    OPERATIONS,
    Memories,
    Operation,
    Profiles,
    Server,
    Settings,
    Shared,
    Users,
)
from recollect.api.failures import Failure
from recollect.api.memories import NewMemory
from recollect.api.people import FlagsChange
from recollect_proxy.memory_api.request_validation import RefusedError, project_in_body, read_body, read_query
from recollect_proxy.settings.runtime_settings import misread
from recollect_proxy.web.strict_json import shape_fields

ID = "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"


async def test_a_wrong_field_is_refused_and_nothing_is_changed(api: Api) -> None:
    known = await api.write("Likes tea.")
    one, nothing = f"{api.memories}/{known['id']}", {"op": "correct", "id": known["id"]}

    for method, path, body, field in (
        ("POST", api.memories, {"content": "x", "importance": 2}, "importance"),
        ("PATCH", one, {"content": "Likes milk.", "kind": SECRET}, "kind"),
        ("PATCH", one, {}, None),
        ("POST", f"{api.memories}/bulk", {"operations": [nothing]}, "operations"),
        ("POST", f"{one}/share", {"users": ["*"]}, "users"),
        ("POST", f"{one}/move", {"project": "a\nb"}, "project"),
        ("PATCH", f"{api.user}/settings", {"time_zone": SECRET}, "time_zone"),
    ):
        assert_error(await api.call(method, path, body), 422, "invalid_field", field)

    assert (await api.call("GET", one)).json == known
    assert await api.contents() == ["Likes tea."]


@table(
    "raw",
    [
        *(None, b"", b" ", b"null", b"[]", b'"x"', b"content=x", b'{"content": "x"', b'{"content": "x"} {}'),
        *(b'{"content": "x", "importance": NaN}', b'{"content": "x", "importance": 1e400}'),
        *(b'{"content": "\\ud800"}', b'\xef\xbb\xbf{"content": "x"}', b'{"\xff": 1}', b'{"content": "\xff"}'),
        *(b'{"content": ' + b"[" * 60_000, '{"content": "x"}'.encode("utf-16"), b"[" * 60_000),
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(api: Api, raw: bytes | None) -> None:
    for method, path in (("POST", api.memories), ("PATCH", f"{api.memories}/{ID}")):
        assert "JSON object" in assert_error(await api.call(method, path, raw=raw), 400, "invalid_json")


async def test_json_is_read_whatever_type_the_client_says_it_is(api: Api) -> None:
    for number, content_type in enumerate(
        ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8"]
    ):
        also = [(b"Content-Type", content_type.encode())]
        assert (await api.call("POST", api.memories, {"content": f"{number}"}, also=also)).status == 201


async def test_a_body_of_64_kib_is_read_and_one_byte_more_is_not(api: Api) -> None:
    body = json.dumps({"content": "x"}).encode()
    full = body + b" " * (64 * 1024 - len(body))

    assert_error(await api.call("POST", api.memories, raw=full + b" "), 413, "body_too_large")
    assert (await api.call("POST", api.memories, raw=full)).status == 201
    async with RawConnection(api.port) as connection:  # of no announced length
        head = f"POST {api.memories} HTTP/1.1\r\nHost: proxy.test\r\nAuthorization: Bearer {TOKEN}\r\n"
        await connection.send(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(9):
            await connection.send(b"2000\r\n" + b" " * 0x2000 + b"\r\n")

        assert_error(await connection.read_response(), 413, "body_too_large")


NEW, CHANGE, BULK = Memories.add_memory, Memories.correct_memory, Memories.change_many_memories
LIST, SEARCH, TRY = Memories.list_memories, Memories.search_memories, Server.inspect_retrieval
FLAGS, SHARE, GLOBAL = Settings.change_user_settings, Shared.share_memory, Shared.add_global_memory
ENTRY = Profiles.add_profile_entry
LIST_OF_CHANGES = "a list of 1 to 100 objects, each with `op`"
SWITCH = "true or false, or null"
USERS = "a list of 1 to 100, each a string of 1 to 256 characters, not `*`"
WRONG_CHANGES: list[Any] = [
    *([], {}, None, [None], [{"op": "forget", "id": ID}] * 101, [{"id": ID}], [{"op": "forget"}]),
    *([{"op": "erase", "id": ID}], [{"op": "forget", "id": SECRET}]),
    [{"op": "forget", "id": ID, "content": "x"}],
    *([{"op": "correct", "id": ID, "content": each}] for each in (" ", None)),
    [{"op": "correct", "id": ID, "content": SECRET, "kind": SECRET}],
    [{"op": "correct", "id": ID, "importance": 2}],
    [{"op": "correct", "id": ID, "topics": [" "]}],
    [{"op": "correct", "id": ID, "event_at": "2026-03-15"}],
]
WRONG_USERS: list[Any] = [
    *(None, "bob", [], [1], [None], [""], ["*"], [f"{SECRET}\0"], ["x" * 257], ["bob", "*"], ["bob\x1fboat"]),
    [f"user-{number}" for number in range(101)],
]


WRONG_TIMES: list[Any] = [
    *("2026-03-15T09:30:00", "2026-03-15", SECRET, 1773567000),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
]
NOT_TO_KEEP: list[Any] = [
    *("0001-01-01T00:00:00Z", "0999-12-31T23:59:59Z", "9000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
]
"""Times that ask for everything in a query; in a memory they would leave all calendars."""
WRONG_TAGS: list[Any] = [["x" * 41], [" "], [f"tag {number}" for number in range(11)]]
WRONG_METADATA: list[Any] = [
    *({"a b": 1}, {"a\n": 1}, {"a": None}, {"a": ["b"]}, {"a": "x" * 201}, {"a": "\0"}, {"a": 1e16}),
    {f"key{number}": 1 for number in range(11)},
]


def content(text: Any, /, **more: Any) -> dict[str, Any]:
    return {"content": text, **more}


def refused(read: Callable[[bytes, Any], Any], operation: Operation[Any], given: bytes) -> Failure:
    """Return the failure with which a body or a query is refused."""
    with pytest.raises(RefusedError) as error:
        read(given, operation.takes)
    assert SECRET not in error.value.failure.message
    return error.value.failure


@table(
    ("operation", "body", "field", "says"),
    [
        *((NEW, each, "content", "missing") for each in ({}, {"kind": "fact"})),
        *(
            (NEW, content(each), "content", "1 to 8000 characters")
            for each in ("", " \n\t\u3000", SECRET * 500)
        ),
        (NEW, content(f"{SECRET}\0"), "content", "NUL"),
        *((NEW, content(each), "content", "string") for each in (None, 5, [SECRET])),
        (NEW, content("x", kind=SECRET), "kind", "one of fact, preference, insight, decision, todo, entity"),
        (NEW, content("x", kind=None), "kind", "one of fact"),
        (NEW, content("x", kind="fact", type="fact"), "type", "unknown field"),
        *(
            (NEW, content("x", importance=each), "importance", "a number from 0 to 1")
            for each in (1.01, -0.01, "0.5", True, None)
        ),
        *(
            (NEW, content("x", event_at=each), "event_at", "offset from UTC (RFC 3339)")
            for each in (*WRONG_TIMES, *NOT_TO_KEEP)
        ),
        *(
            (CHANGE, {name: "0001-01-01T00:00:00Z"}, name, "in the years 1000 to 8999")
            for name in ("event_at", "holds_from", "holds_until", "expires_at")
        ),
        (
            NEW,
            content("x", text=SECRET),
            "text",
            "unknown field. Known are content, kind, importance, event_at",
        ),
        (NEW, content("x", id="1"), "id", "unknown field"),
        *(
            (NEW, content("x", **{each: 1}), None, "unknown field")
            for each in (f"{SECRET} is long", "a" * 64)
        ),
        *(
            (NEW, content("x", session_id=each), "session_id", "or null")
            for each in ("", "*", "x\0", "bob\x1fboat", "{{ID}}")
        ),
        (CHANGE, {}, None, "at least one of content, kind, importance"),
        (CHANGE, {"content": None}, "content", "string"),
        (CHANGE, {"kind": None}, "kind", "one of"),
        *((CHANGE, {"importance": each}, "importance", "number") for each in (None, 2)),
        (CHANGE, {"event_at": "noon"}, "event_at", "offset from UTC"),
        *((CHANGE, {"use": each}, "use", "one of always, topic, asked") for each in (SECRET, None)),
        *(
            (CHANGE, {"topics": each}, "topics", "a list of at most 6, each a string of 1 to 80 characters")
            for each in (SECRET, None, [" "], ["x" * 81], ["x\0"], ["x"] * 7)
        ),
        *((NEW, content("x", tags=each), "tags", "") for each in WRONG_TAGS),
        *((NEW, content("x", metadata=each), "metadata", "") for each in WRONG_METADATA),
        *(
            (CHANGE, {"questions": each}, "questions", "a list of at most 2, each a string of 1 to 200")
            for each in (["x", SECRET, "z"], ["x" * 201])
        ),
        (CHANGE, {"session_id": None}, "session_id", "Known are content, kind, importance, event_at, holds"),
        *((BULK, {"operations": each}, "operations", LIST_OF_CHANGES) for each in WRONG_CHANGES),
        (SHARE, {}, "users", "missing"),
        *((SHARE, {"users": each}, "users", USERS) for each in WRONG_USERS),
        (GLOBAL, content("x", event_at=None), "event_at", "unknown field"),
        (ENTRY, {"field": SECRET, "content": "x"}, "field", "one of name"),
        (ENTRY, {"field": "name"}, "content", "missing"),
        (ENTRY, {"field": "name", "content": "x", "state": "confirmed"}, "state", "unknown field"),
        *((Users.mark_turn, {"marked": each}, "marked", "true or false") for each in (None, 1, "true")),
        (FLAGS, {}, None, "at least one of record, recall, standing"),
        *(
            (FLAGS, {name: each}, name, SWITCH)
            for name in ("record", "recall", "summaries", "queries", "lexical", "history", "profile")
            for each in ("no", 0)
        ),
        (FLAGS, {"formation": SECRET}, "formation", "one of extract, qa_turn, both, off, or null"),
        (FLAGS, {"placement": SECRET}, "placement", "one of stable, system, user, off, or null"),
        *((FLAGS, {"minimum_importance": each}, "minimum_importance", "from 0 to 1") for each in (1.5, True)),
        *(
            (FLAGS, {name: each}, name, "whole number")
            for name, values in {
                "max_memory_tokens": (49, 100_001),
                "max_history_tokens": (-1,),
                "summary_turns": (True,),
                "session_cap": (-1, 1.5),
                "user_cap": (1_000_001, "200"),
            }.items()
            for each in values
        ),
        *((FLAGS, {"instructions": each}, "instructions", "") for each in ("", " \n", "x" * 2_001, "a\0b")),
        *((FLAGS, {"lifetimes": each}, "lifetimes", "") for each in ("", f"todo:3,{'#x:1,' * 250}")),
        (FLAGS, {"session_caps": 1}, "session_caps", "unknown field. Known are record, recall, standing"),
        (FLAGS, {"recall": False, "formation": 1}, "formation", "one of extract"),
    ],
)
def test_a_wrong_body_is_refused(operation: Operation[Any], body: Any, field: str | None, says: str) -> None:
    failure = refused(read_body, operation, json.dumps(body).encode())

    assert (failure.code, failure.about) == ("invalid_field", field)
    assert says in failure.message


@table("days", ["todo", "todo:0", "nothing:3", "#:3"])
def test_days_that_can_be_none_are_misread(days: str) -> None:
    assert (misread(FlagsChange(lifetimes=days)) or ("",))[0] == "lifetimes"


@table("name", ["", " ", "a\x1fb", "a\nb"])
def test_a_name_that_can_be_no_projects_is_refused(name: str) -> None:
    with pytest.raises(RefusedError) as refused:
        project_in_body(name)
    assert (refused.value.failure.code, refused.value.failure.about) == ("invalid_field", "project")


@table(
    ("operation", "query", "field", "says"),
    [
        *(
            (LIST, f"limit={each}", "limit", "1 to 200")
            for each in ("0", "201", "-1", "1.5", "", "null", "9" * 40)
        ),
        *((LIST, f"after={each}", "after", "`next`") for each in ("1", "", SECRET)),
        *((LIST, f"kind={each}", "kind", "one of fact") for each in ("secret", "")),
        (LIST, "source=x", "source", "one of extracted"),
        (LIST, "state=gone", "state", "one of current"),
        (LIST, "doubt=fine", "doubt", "one of disputed"),
        (LIST, "from=noon", "from", "offset from UTC"),
        (LIST, "as_of=2026-03-15T09:30:00", "as_of", "offset from UTC"),
        *((LIST, f"text={each}", "text", "1 to 200 characters") for each in ("", "x" * 201, "%00")),
        *(
            (LIST, f"session={each}", "session", "1 to 256 characters")
            for each in ("", "*", "x" * 257, "x%1Fy")
        ),
        (LIST, "state=all&state=past", "state", "given once"),
        (LIST, "kinds=fact", "kinds", "unknown parameter"),
        (LIST, f"{SECRET}=1", None, "unknown parameter"),
        (SEARCH, "", "q", "given"),
        *((SEARCH, f"q={each}", "q", "1 to 2000 characters") for each in ("", "%20", "%00", "x" * 2001)),
        (SEARCH, "q=a&q=b", "q", "given once"),
        (SEARCH, "q=a&after=1", "after", "unknown parameter"),
        (TRY, "user=anna", "q", "given"),
        *((TRY, f"q={each}&user=anna", "q", "1 to 4000") for each in ("", "%20%09", "a%00b", "x" * 4001)),
        *(
            (TRY, f"q=tea&user={each}", "user", "1 to 256 characters")
            for each in ("*", "", "a%00", "bob%1Fboat")
        ),
        *(
            (Users.list_sessions, f"begun_before={each}", "begun_before", "offset from UTC")
            for each in (
                *("", "noon", "1800000000", "2026-03-15", "2026-03-15T09:30:00", "2026-02-30T09:30:00Z"),
                *("2026-03-15T09:30:00+02:00", "0001-01-01T00:00:00%2B14:00", "%00", "%FF", SECRET),
                "2026-03-15T09:30:00Z&begun_before=2026",
            )
        ),
        *((Server.read_report, f"days={each}", "days", "1 to 30") for each in ("0", "31", "x", "-1", "1.5")),
        *((Users.erase_user, f"vacuum={each}", "vacuum", "true or false") for each in ("soon", "null")),
    ],
)
def test_wrong_queries_fail(operation: Operation[Any], query: str, field: str | None, says: str) -> None:
    failure = refused(read_query, operation, query.encode())

    assert (failure.code, failure.about) == ("invalid_parameter", field)
    assert says in failure.message


def test_of_every_field_and_parameter_it_is_known_what_it_must_be() -> None:
    for operation in OPERATIONS:
        fields = {} if operation.takes is None else shape_fields(operation.takes)
        assert all(each.requirement for each in fields.values()), operation.name


def test_values_are_kept_trimmed_in_utc_and_once() -> None:
    body = {"content": " Tea.\n", "topics": [" tea ", "tea"], "event_at": "2026-03-15T09:30:00+02:00"}

    read = read_body(json.dumps(body).encode(), NewMemory)

    assert (read.content, read.topics) == ("Tea.", ["tea"])
    assert read_body(b'{"content": "Tea.", "type": "preference"}', NewMemory).kind == "preference"
    assert str(read.event_at) == "2026-03-15 07:30:00+00:00"
