"""Whatever is no chat of a known user goes through byte for byte, both ways."""

import asyncio
import os
from hashlib import sha256

import pytest
from tests.raw_client import Fields, RawConnection, request_bytes
from tests.running_proxy import CHAT, KEY, RunningProxy, User, chat_body
from tests.scripted_upstream import (
    LAST_CHUNK,
    End,
    ScriptedUpstream,
    chunk,
    completion_body,
    compressed,
    failure,
    head,
    streamed,
    until_close,
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


async def test_the_client_gets_the_upstreams_headers_and_none_of_ours(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    headers = [
        (b"date", b"Sat, 21 Nov 2026 10:00:00 GMT"),
        (b"server", b"scripted"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2; HttpOnly"),
        (b"x-long", b"x" * 20_000),
        (b"x-ratelimit-remaining-tokens", b"9"),
    ]
    hop = [(b"Connection", b"keep-alive, X-Hop"), (b"Keep-Alive", b"timeout=5"), (b"X-Hop", b"1")]
    upstream.answers.append(whole(b"\x00\xff", headers=[*headers, *hop]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.headers == [*headers, (b"content-length", b"2")]
    assert answer.body == b"\x00\xff"


@pytest.mark.parametrize("status", [201, 206, 301, 302, 307, 400, 401, 404, 418, 429, 500, 529])
async def test_any_status_passes_and_no_redirect_is_followed(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.answers.append(failure(status, headers=[(b"location", b"http://127.0.0.1:9/elsewhere")]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.status == status
    assert answer.header(b"location") == b"http://127.0.0.1:9/elsewhere"
    assert len(upstream.received) == 1


@pytest.mark.parametrize("status", [204, 304])
async def test_an_answer_without_a_body_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    length = [(b"content-length", b"1234")] if status == 304 else []
    upstream.answers.append((head(status, [(b"etag", b'"1"'), *length]),))

    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        answer = await client.read_response()
        await client.send(request_bytes(b"GET", b"/v1/models"))
        second = await client.read_response()  # the connection is still in step

    assert answer.status == status
    assert answer.header(b"etag") == b'"1"'
    assert second.status == 200


async def test_an_answer_that_ends_with_the_connection_ends_clean(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append(until_close(b"x" * 100_000))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.complete
    assert answer.body == b"x" * 100_000


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
async def test_a_compressed_answer_stays_compressed(
    proxy: RunningProxy, upstream: ScriptedUpstream, encoding: str
) -> None:
    packed = compressed(b"[]" * 5000, encoding)
    upstream.answers.append(whole(packed, headers=[(b"content-encoding", encoding.encode())]))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.headers == [
        (b"content-encoding", encoding.encode()),
        (b"content-length", b"%d" % len(packed)),
    ]
    assert answer.body == packed


async def test_each_event_is_relayed_before_the_next_one_is_said(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    go_on = [asyncio.Event() for _ in range(3)]
    events = [b": ping\r\n\r\n", b"data: {}\n\n", b"data: [DONE]\n\n"]
    upstream.answers.append(
        streamed(events[0], go_on[0], events[1], go_on[1], events[2], go_on[2], headers=[])
    )
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/responses", (), b"{}"))
        await client.read_head()
        for event, permission in zip(events, go_on, strict=True):
            await client.read_until(event)
            permission.set()
        await client.read_until(b"0\r\n\r\n")


async def test_an_early_refusal_reaches_a_client_that_is_still_sending(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.refuse_bodies = True
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/files", [(b"Content-Length", b"1000000000")]))
        await client.send(b"x" * 100_000)
        answer = await client.read_response()

    assert answer.status == 413


async def test_a_client_that_leaves_frees_the_upstream(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.answers.append((End.SILENCE,))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", b"/v1/embeddings", (), b"{}"))
        await upstream.requests(1)
        client.leave()

    async with asyncio.timeout(20):
        await upstream.last.client_left.wait()
    assert upstream.last.interrupted


async def test_many_requests_share_a_connection_each_way(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))
        await client.read_response()
        opened = upstream.connections
        for _ in range(20):
            await client.send(request_bytes(b"GET", b"/v1/models"))
            assert (await client.read_response()).status == 200

    assert upstream.connections == opened


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


async def test_a_header_in_utf_8_arrives_byte_for_byte(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    value = "J\u00fcrgen \u4f60".encode()

    await proxy.fetch(b"GET", b"/v1/models", [(b"X-Name", value)])

    assert upstream.last.values(b"x-name") == [value]
