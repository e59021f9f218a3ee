"""A request's body arrives byte for byte and as it comes, however it is framed or packed."""

import asyncio
import os
from hashlib import sha256

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import MESSAGES, RESPONSES, Route, on_every_route
from tests.scripted.upstream import LAST_CHUNK, ScriptedUpstream, chunk, compressed
from tests.servers.running_proxy import CHAT, RunningProxy, User
from tests.support.raw_client import RawConnection, request_bytes
from tests.support.waiting import until


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@on_every_route
@in_turn(
    "body",
    [
        b"\x00\xff",
        b"\r\n\r\n0\r\n\r\n",
        bytes(range(256)) * 4000,
        b"",
        b"--b\r\n\r\n\xff\x00\r\n--b--\r\n",
        b' {"messages":[{"role":"user","content":"\\u00e9\\/ 1.0"}], "x":1e400,\r\n"messages":[]}\n',
    ],
)
async def test_any_bytes_arrive_as_they_are(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, body: bytes
) -> None:
    answer = await proxy.fetch(b"POST", route.path, route.headers(user), body)

    assert answer.status == 200
    assert digest(upstream.last.body) == digest(body)
    assert upstream.last.values(b"content-length") == [b"%d" % len(body)]
    assert upstream.last.values(b"transfer-encoding") == []


@on_every_route
@in_turn("encoding", ["gzip", "deflate", "br", "zstd", "identity", "compress", "gzip, br", "nonsense"])
async def test_a_packed_body_to_which_nothing_is_added_stays_packed(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, encoding: str
) -> None:
    packed = route.body
    for name in encoding.split(", "):
        packed = compressed(packed, name) if name in {"gzip", "deflate", "br", "zstd"} else packed

    fields = route.headers(user, [(b"content-encoding", encoding.encode()), (b"content-digest", b"x")])
    answer = await proxy.fetch(b"POST", route.path, fields, packed)

    if route.known:
        readable = encoding not in {"compress", "nonsense"}
        skipped = b"nothing-relevant" if readable else b"unreadable"
        assert answer.header(b"x-recollect-skipped") == skipped
    assert digest(upstream.last.body) == digest(packed)
    assert upstream.last.values(b"content-encoding") == [encoding.encode()]
    assert upstream.last.values(b"content-digest") == [b"x"]
    assert upstream.last.values(b"content-length") == [b"%d" % len(packed)]


@on_every_route
async def test_a_chat_in_chunks_arrives_whole(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    fields = route.headers(user, [(b"Transfer-Encoding", b"chunked")])
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, fields))
        for at in range(0, len(route.body), 7):
            await client.send(b"%X;name=value\r\n" % len(route.body[at : at + 7]))
            await client.send(route.body[at : at + 7] + b"\r\n")
        await client.send(LAST_CHUNK)
        answer = await client.read_response()

    assert answer.status == 200
    assert upstream.last.body == route.body
    framing = upstream.last.values(b"content-length") + upstream.last.values(b"transfer-encoding")
    assert framing == [b"%d" % len(route.body) if route.known else b"chunked"]


# A chat is read whole first, whoever speaks: what it asks of the memory is taken out of it.
@in_turn("path", [b"/v1/files", b"/v1/audio/transcriptions"])
@in_turn("chunked", [False, True])
async def test_each_piece_of_an_upload_arrives_before_the_next_one_is_sent(
    proxy: RunningProxy, upstream: ScriptedUpstream, path: bytes, *, chunked: bool
) -> None:
    pieces = [os.urandom(size) for size in (1, 300_000, 17)]
    length = sum(map(len, pieces))
    framing = (b"Transfer-Encoding", b"chunked") if chunked else (b"Content-Length", b"%d" % length)
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", path, [framing, (b"Content-Type", b"multipart/x")]))
        sent = 0
        for piece in pieces:
            await client.send(chunk(piece) if chunked else piece)
            sent += len(piece)
            [request] = await upstream.requests(1, begun=True)
            await until(lambda request=request, sent=sent: request.arrived == sent)  # type: ignore[misc]
        await client.send(LAST_CHUNK if chunked else b"")
        answer = await client.read_response()

    assert answer.status == 200
    assert digest(upstream.last.body) == digest(b"".join(pieces))


@in_turn("status", [401, 413])
@in_turn("path", [b"/v1/files", CHAT])
@in_turn("chunked", [False, True])
async def test_an_early_refusal_reaches_a_client_that_is_still_sending(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int, path: bytes, *, chunked: bool
) -> None:
    upstream.refuse_bodies, upstream.refusal = True, status
    framing = (b"Transfer-Encoding", b"chunked") if chunked else (b"Content-Length", b"1000000000")
    piece = chunk(b"x" * 100_000) if chunked else b"x" * 100_000

    async with RawConnection(proxy.port) as client:

        async def go_on_sending() -> None:
            while True:
                await client.send(piece)
                await asyncio.sleep(0)

        await client.send(request_bytes(b"POST", path, [framing]))
        sending = asyncio.create_task(go_on_sending())
        async with asyncio.timeout(20):
            answer = await client.read_response()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)

    assert answer.status == status
    assert answer.complete
    assert answer.json["error"]["code"] == f"scripted_{status}"


SAID = b'"messages":[{"role":"user","content":"Which tea is my favourite?"}]'
UNREADABLE = (
    b"{" + SAID + b"}{}",
    b"{" + SAID + b"," + SAID + b"}",
    b"{" + SAID.replace(b"tea", b"th\xe9") + b"}",
    b'{"messages":"Which tea is my favourite?","input":7}',
)


@in_turn("path", [CHAT, RESPONSES, MESSAGES])
@in_turn("body", UNREADABLE)
async def test_what_can_not_be_read_with_certainty_is_the_upstreams_to_answer(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, path: bytes, body: bytes
) -> None:
    if path == RESPONSES:
        body = body.replace(SAID, b'"input":"Which tea is my favourite?"')

    answer = await proxy.fetch(b"POST", path, [*user.headers(), (b"content-digest", b"x")], body)

    assert answer.status == 200
    assert answer.header(b"x-recollect-skipped") == b"unreadable"
    assert answer.header(b"x-recollect-memories") == b"0"
    assert upstream.last.body == body
    assert upstream.last.values(b"content-length") == [b"%d" % len(body)]
    assert upstream.last.values(b"content-digest") == [b"x"]
