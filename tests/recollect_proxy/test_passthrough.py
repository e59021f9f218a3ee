"""Whatever is no chat of a known user goes through byte for byte, both ways."""

import os
from hashlib import sha256

import pytest
from tests.raw_client import Fields, RawConnection, request_bytes
from tests.running_proxy import CHAT, KEY, RunningProxy, User, chat_body
from tests.scripted_upstream import (
    LAST_CHUNK,
    ScriptedUpstream,
    chunk,
    completion_body,
    head,
    whole,
)

ANONYMOUS = [(b"Content-Type", b"application/json"), (b"Authorization", KEY)]


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


async def test_without_an_identity_a_chat_passes_byte_for_byte(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    body = b' {"messages":[{"role":"user","content":"\\u00e9\\/ 1.0"}], "x":1e400,\r\n"messages":[]}\n'
    answered = completion_body("\u00e9") + b"\n\n"
    upstream.answers.append(whole(answered))

    answer = await proxy.fetch(b"POST", CHAT, ANONYMOUS, body)

    assert digest(upstream.last.body) == digest(body)
    assert digest(answer.body) == digest(answered)
    assert answer.header(b"x-recollect-skipped") == b"no-identity"
    assert answer.header(b"x-recollect-memories") == b"0"


async def test_the_upstream_gets_the_clients_headers_in_order_and_no_other(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    headers = [
        (b"x-dup", b"1"),
        (b"cookie", b"a=1"),
        (b"authorization", KEY),
        (b"x-dup", b"2"),
        (b"cookie", b"b=2"),
        (b"accept", b"*/*;q=0.5"),
    ]

    await proxy.fetch(b"POST", b"/v1/embeddings", headers, b"{}")

    assert [(name.lower(), value) for name, value in upstream.last.headers] == [
        (b"host", b"127.0.0.1:%d" % upstream.port),
        *headers,
        (b"content-length", b"2"),
    ]


@pytest.mark.parametrize(
    "target",
    [
        b"",
        b"/",
        b"/models",
        b"//a%2Fb/%7Efoo/x;y=1?q=%20a+b&&x=%zz&u=%C3%A9",
        b"/a/../b/./c",
        b"/models/?",
        b"/models??x=1?y",
        b"/chat/completions/",
        b"/chat//completions",
        b"/chat/completions?api-version=1",
        b"/files/file-%E2%82%AC/content",
    ],
)
async def test_path_and_query_below_the_base_arrive_verbatim(
    proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes
) -> None:
    await proxy.fetch(b"POST", b"/v1" + target, ANONYMOUS, b"{}")

    expected = b"/v1" + target
    assert upstream.last.target == expected.removesuffix(b"?")  # an empty query can't be told from none


@pytest.mark.parametrize("method", [b"GET", b"DELETE", b"OPTIONS", b"PUT", b"PATCH", b"QUERY"])
async def test_any_method_passes_without_a_body(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes
) -> None:
    answer = await proxy.fetch(method, b"/v1/responses/r1", [(b"authorization", KEY)])

    assert answer.status == 200
    assert upstream.last.method == method
    assert upstream.last.body == b""
    assert upstream.last.values(b"content-type") == []
    assert upstream.last.values(b"transfer-encoding") == []


async def test_a_get_or_a_delete_grows_no_length(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    for method in (b"GET", b"DELETE"):
        await proxy.fetch(method, b"/v1/responses/r1")

        assert upstream.last.values(b"content-length") == []


@pytest.mark.parametrize("method", [b"POST", b"DELETE", b"PUT", b"QUERY"])
async def test_any_method_passes_with_a_body_of_any_bytes(
    proxy: RunningProxy, upstream: ScriptedUpstream, method: bytes
) -> None:
    body = bytes(range(256)) * 1000

    await proxy.fetch(method, b"/v1/files", [(b"content-type", b"x/y")], body)

    assert digest(upstream.last.body) == digest(body)
    assert upstream.last.values(b"content-length") == [b"%d" % len(body)]
    assert upstream.last.values(b"content-type") == [b"x/y"]


async def test_a_head_keeps_the_length_it_tells_of(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    upstream.answers.append((head(200, [(b"Content-Length", b"1234")]),))

    answer = await proxy.fetch(b"HEAD", b"/v1/models/m")

    assert answer.header(b"content-length") == b"1234"


async def test_a_body_in_chunks_arrives_whole(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    pieces = [os.urandom(size) for size in (1, 70_000, 3)]
    framed = b"".join(chunk(piece) for piece in pieces) + LAST_CHUNK
    async with RawConnection(proxy.port) as client:
        await client.send(
            request_bytes(b"POST", b"/v1/audio/transcriptions", [(b"Transfer-Encoding", b"chunked")])
        )
        await client.send(framed)
        answer = await client.read_response()

    assert answer.status == 200
    assert upstream.last.body == b"".join(pieces)
    assert upstream.last.values(b"transfer-encoding") == [b"chunked"]
    assert upstream.last.values(b"content-length") == []


async def test_a_chat_in_chunks_is_heard_too(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    body = chat_body("I play the cello.")
    async with RawConnection(proxy.port) as client:
        fields = [*user.headers(), (b"Transfer-Encoding", b"chunked")]
        await client.send(request_bytes(b"POST", CHAT, fields))
        await client.send(chunk(body[:10]) + chunk(body[10:]) + LAST_CHUNK)
        await client.read_response()

    assert upstream.last.body == body
    assert upstream.last.values(b"content-length") == [b"%d" % len(body)]
    assert (await proxy.logged(user))[0] == ("user", "I play the cello.")


async def test_headers_of_the_hop_and_those_that_connection_names_stay_behind(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    hop: Fields = [
        (b"Connection", b"keep-alive, X-Own-Hop"),
        (b"Keep-Alive", b"timeout=5"),
        (b"Proxy-Connection", b"keep-alive"),
        (b"Proxy-Authorization", b"Basic x"),
        (b"TE", b"trailers"),
        (b"Trailer", b"X-T"),
        (b"X-Own-Hop", b"1"),
        (b"Expect", b"100-continue"),
    ]
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/x", [*hop, (b"X-End", b"1")], b"{}"))
        assert await client.read_head() == 100
        answer = await client.read_response()

    assert answer.status == 200
    names = {name.lower() for name, _ in upstream.last.headers}
    assert names == {b"host", b"x-end", b"content-length"}


async def test_connection_can_not_name_the_identity_away(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User
) -> None:
    answer = await proxy.say(user, "Hello.", extra=[(b"Connection", b"close, X-OpenWebUI-User-Id")])

    assert answer.header(b"x-recollect-skipped") == b"nothing-relevant"
    assert upstream.last.values(b"x-openwebui-user-id") == []


@pytest.mark.parametrize("target", [b"/", b"/v2/models", b"/v1models", b"/memoryx", b"/favicon.ico"])
async def test_elsewhere_is_nothing_and_says_so_in_openais_shape(
    proxy: RunningProxy, upstream: ScriptedUpstream, target: bytes
) -> None:
    answer = await proxy.fetch(b"GET", target)

    assert answer.status == 404
    assert answer.header(b"x-recollect-error") == b"proxy"
    assert answer.header(b"content-type") == b"application/json"
    error = answer.json["error"]
    assert error["code"] == "not_found"
    assert error["type"] == "proxy_error"
    assert error["param"] is None
    assert "base URL" in error["message"]
    assert upstream.received == []


async def test_an_absolute_target_does_not_change_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    await proxy.fetch(b"GET", b"http://127.0.0.1:9/v1/models")

    assert upstream.last.target == b"/v1/models"


async def test_an_upgrade_is_not_sent_on(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    upgrade = [
        (b"Connection", b"Upgrade"),
        (b"Upgrade", b"websocket"),
        (b"Sec-WebSocket-Version", b"13"),
        (b"Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    answer = await proxy.fetch(b"GET", b"/v1/realtime", upgrade)

    assert answer.status != 101
    assert all(request.values(b"upgrade") == [] for request in upstream.received)


async def test_a_header_in_latin_1_arrives_as_the_same_characters(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    """Its bytes do not: aiohttp sends UTF-8."""
    await proxy.fetch(b"GET", b"/v1/models", [(b"X-Name", b"J\xfcrgen")])

    assert upstream.last.values(b"x-name") == ["J\u00fcrgen".encode()]


async def test_a_header_in_utf_8_arrives_byte_for_byte(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    value = "J\u00fcrgen \u4f60".encode()

    await proxy.fetch(b"GET", b"/v1/models", [(b"X-Name", value)])

    assert upstream.last.values(b"x-name") == [value]
