"""A body is read strictly: a wrong field is refused, and named without repeating its value."""

import json

from tests.recollect_proxy.memory_api.serving import SECRET, TOKEN, Api, assert_error
from tests.support.raw_client import RawConnection
from tests.support.tables import table

ID = "01980f6e-52f2-7d68-9d3f-0b6c2f6f2a10"


async def test_a_wrong_field_is_refused_and_nothing_is_changed(api: Api) -> None:
    known = await api.write("Likes tea.")
    one = f"{api.memories}/{known['id']}"

    for method, path, body, field in (
        ("POST", api.memories, {"content": "x", "importance": 2}, "importance"),
        ("PATCH", one, {"content": "Likes milk.", "kind": SECRET}, "kind"),
        ("PATCH", one, {}, None),
        (
            "POST",
            f"{api.memories}/bulk",
            {"operations": [{"op": "correct", "id": known["id"]}]},
            "operations",
        ),
        ("POST", f"{one}/share", {"users": ["*"]}, "users"),
        ("PATCH", f"{api.user}/settings", {"time_zone": SECRET}, "time_zone"),
    ):
        assert_error(await api.call(method, path, body), 422, "invalid_field", field)

    assert (await api.call("GET", one)).json == known
    assert await api.contents() == ["Likes tea."]


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
        b'{"content": "\xff"}',
        b'{"content": "x", "importance": 1e400}',
        b'{"content": ' + b"[" * 60_000,
        '{"content": "x"}'.encode("utf-16"),
        b"[" * 60_000,
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(api: Api, raw: bytes) -> None:
    for method, path in (("POST", api.memories), ("PATCH", f"{api.memories}/{ID}")):
        assert "JSON object" in assert_error(await api.call(method, path, raw=raw), 400, "invalid_json")


async def test_a_request_without_a_body_is_told_what_it_lacks(api: Api) -> None:
    assert_error(await api.call("POST", api.memories), 400, "invalid_json")


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
