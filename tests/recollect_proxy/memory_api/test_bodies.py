"""A body is read strictly: a wrong field is refused, and named without repeating its value."""

import json
from typing import Any

import pytest
from tests.raw_client import RawConnection
from tests.recollect_proxy.memory_api.serving import SECRET, TOKEN, Api, assert_error
from tests.tables import table

from recollect.api.operations import OPERATIONS
from recollect_proxy.web.values import shape_fields

ID = "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"


@table(
    ("body", "field", "says"),
    [
        ({}, "content", "missing"),
        ({"kind": "fact"}, "content", "missing"),
        ({"content": ""}, "content", "1 to 8000 characters"),
        ({"content": " \n\t\u3000"}, "content", "1 to 8000 characters"),
        ({"content": SECRET * 500}, "content", "1 to 8000 characters"),
        ({"content": f"{SECRET}\0"}, "content", "NUL"),
        ({"content": None}, "content", "string"),
        ({"content": 5}, "content", "string"),
        ({"content": [SECRET]}, "content", "string"),
        (
            {"content": "x", "kind": SECRET},
            "kind",
            "one of fact, preference, insight, decision, todo, entity",
        ),
        ({"content": "x", "kind": None}, "kind", "one of fact"),
        ({"content": "x", "importance": 1.01}, "importance", "a number from 0 to 1"),
        ({"content": "x", "importance": -0.01}, "importance", "a number from 0 to 1"),
        ({"content": "x", "importance": "0.5"}, "importance", "a number from 0 to 1"),
        ({"content": "x", "importance": True}, "importance", "a number from 0 to 1"),
        ({"content": "x", "importance": None}, "importance", "a number from 0 to 1"),
        ({"content": "x", "event_at": "2026-03-15T09:30:00"}, "event_at", "offset from UTC"),
        ({"content": "x", "event_at": "2026-03-15"}, "event_at", "RFC 3339"),
        ({"content": "x", "event_at": SECRET}, "event_at", "RFC 3339"),
        ({"content": "x", "event_at": 1773567000}, "event_at", "RFC 3339"),
        ({"content": "x", "event_at": "0001-01-01T00:00:00+14:00"}, "event_at", "RFC 3339"),
        ({"content": "x", "event_at": "9999-12-31T23:59:59-14:00"}, "event_at", "RFC 3339"),
        (
            {"content": "x", "text": SECRET},
            "text",
            "unknown field. Known are content, kind, importance, event_at",
        ),
        ({"content": "x", "id": "1"}, "id", "unknown field"),
        ({"content": "x", f"{SECRET} is long": 1}, None, "unknown field"),
        ({"content": "x", "a" * 64: 1}, None, "unknown field"),
    ],
)
async def test_a_new_memory_that_is_not_what_it_must_be_is_refused(
    api: Api, body: Any, field: str | None, says: str
) -> None:
    response = await api.call("POST", api.memories, body)

    assert says in assert_error(response, 422, "invalid_field", field)
    assert await api.contents() == []


@pytest.fixture
async def known(api: Api) -> Any:
    return await api.write("Likes tea.")


@table(
    ("body", "field", "says"),
    [
        ({}, None, "at least one of content, kind, importance"),
        ({"content": None}, "content", "string"),
        ({"kind": None}, "kind", "one of"),
        ({"importance": None}, "importance", "number"),
        ({"importance": 2}, "importance", "number"),
        ({"content": " "}, "content", "1 to 8000"),
        ({"event_at": "noon"}, "event_at", "offset from UTC"),
        ({"use": SECRET}, "use", "one of always, topic, asked"),
        ({"use": None}, "use", "one of always, topic, asked"),
        ({"topics": SECRET}, "topics", "a list of at most 6, each a string of 1 to 80 characters"),
        ({"topics": None}, "topics", "a list of at most 6"),
        ({"topics": [" "]}, "topics", "not only white space"),
        ({"topics": ["x" * 81]}, "topics", "1 to 80"),
        ({"topics": ["x\0"]}, "topics", "NUL"),
        ({"topics": ["x"] * 7}, "topics", "at most 6"),
        (
            {"questions": ["x", SECRET, "z"]},
            "questions",
            "a list of at most 2, each a string of 1 to 200 characters",
        ),
        ({"questions": ["x" * 201]}, "questions", "1 to 200"),
        (
            {"session_id": None},
            "session_id",
            "Known are content, kind, importance, event_at, holds_from, holds_until, use, topics, questions.",
        ),
    ],
)
async def test_a_correction_that_is_not_what_it_must_be_is_refused(
    api: Api, known: Any, body: Any, field: str | None, says: str
) -> None:
    response = await api.call("PATCH", f"{api.memories}/{known['id']}", body)

    assert says in assert_error(response, 422, "invalid_field", field)
    assert (await api.call("GET", f"{api.memories}/{known['id']}")).json == known


@table(
    "raw",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"x"',
        b"content=x",
        b'{"content": "x"',
        b'{"content": "x"} {}',
        b'{"content": "x", "importance": NaN}',
        b'{"content": "\\ud800"}',
        b'\xef\xbb\xbf{"content": "x"}',
        b'{"\xff": 1}',
        '{"content": "x"}'.encode("utf-16"),
        b"[" * 60_000,
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(api: Api, raw: bytes) -> None:
    for method, path in (("POST", api.memories), ("PATCH", f"{api.memories}/{ID}")):
        assert "JSON object" in assert_error(await api.call(method, path, raw=raw), 400, "invalid_json")


async def test_a_request_without_a_body_is_told_what_it_lacks(api: Api) -> None:
    assert_error(await api.call("POST", api.memories), 400, "invalid_json")


@table("raw", [b'{"content": "\xff"}', b'{"content": ' + b"[" * 60_000])
async def test_a_field_that_can_not_be_read_is_named(api: Api, raw: bytes) -> None:
    response = await api.call("POST", api.memories, raw=raw)

    assert response.status in {400, 422}
    assert response.json["error"]["code"] in {"invalid_json", "invalid_field"}


async def test_json_is_read_whatever_type_the_client_says_it_is(api: Api) -> None:
    for number, content_type in enumerate(
        ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=utf-8"]
    ):
        headers = [(b"Authorization", f"Bearer {TOKEN}".encode()), (b"Content-Type", content_type.encode())]

        response = await api.call("POST", api.memories, {"content": f"Number {number}."}, headers=headers)

        assert response.status == 201


async def test_a_body_of_64_kib_is_read_and_one_byte_more_is_not(api: Api) -> None:
    body = json.dumps({"content": "x"}).encode()
    full = body + b" " * (64 * 1024 - len(body))

    assert_error(await api.call("POST", api.memories, raw=full + b" "), 413, "body_too_large")
    assert (await api.call("POST", api.memories, raw=full)).status == 201


async def test_a_body_of_no_announced_length_is_cut_off_at_64_kib(api: Api) -> None:
    async with RawConnection(api.port) as connection:
        await connection.send(
            f"POST {api.memories} HTTP/1.1\r\nHost: proxy.test\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        for _ in range(9):
            await connection.send(b"2000\r\n" + b" " * 0x2000 + b"\r\n")

        assert_error(await connection.read_response(), 413, "body_too_large")


def test_of_every_field_and_parameter_it_is_known_what_it_must_be() -> None:
    for operation in OPERATIONS:
        fields = {} if operation.takes is None else shape_fields(operation.takes)
        assert all(each.requirement for each in fields.values()), operation.name
