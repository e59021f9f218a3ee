"""What the upstream answers reaches the client as it is: status, headers and body, and none of ours."""

import asyncio

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import Route, on_every_route, upstreams
from tests.scripted.upstream import (
    DONE,
    EVENT_STREAM,
    LAST_CHUNK,
    End,
    Fields,
    ScriptedUpstream,
    Step,
    chunk,
    compressed,
    failure,
    head,
    streamed,
    whole,
)
from tests.servers.running_proxy import RunningProxy, User
from tests.support.raw_client import RawConnection, request_bytes

TELLING = [
    (b"retry-after", b"20"),
    (b"x-ratelimit-limit-requests", b"60"),
    (b"x-ratelimit-remaining-tokens", b"9"),
    (b"x-ratelimit-reset-tokens", b"6m0s"),
    (b"x-request-id", b"req_0123"),
    (b"openai-organization", b"org"),
    (b"openai-processing-ms", b"17"),
    (b"openai-version", b"2020-10-01"),
    (b"anthropic-ratelimit-tokens-remaining", b"9"),
    (b"www-authenticate", b'Bearer realm="x"'),
]


@on_every_route
async def test_the_client_gets_the_upstreams_headers_in_order_and_none_of_ours(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    headers = [
        (b"date", b"Sat, 21 Nov 2026 10:00:00 GMT"),
        (b"server", b"scripted"),
        (b"set-cookie", b"a=1"),
        (b"x-dup", b"1"),
        (b"set-cookie", b"b=2; HttpOnly; Expires=Sat, 21 Nov 2026 10:00:00 GMT"),
        (b"x-dup", b"2"),
        (b"x-empty", b""),
        (b"x-name", b"J\xfcrgen"),
        (b"x-long", b"x" * 20_000),
        (b"content-type", b"x/y; charset=utf-8"),
        *TELLING,
    ]
    hop = [
        (b"Connection", b"keep-alive, X-Hop"),
        (b"Keep-Alive", b"timeout=5"),
        (b"X-Hop", b"1"),
        (b"Proxy-Authenticate", b"Basic"),
        (b"Upgrade", b"h2c"),
    ]
    upstream.answers.append(whole(b"\x00\xff", headers=[*headers, *hop]))

    answer = await route.ask(proxy, user)

    assert upstreams(answer) == [*headers, (b"content-length", b"2")]
    assert answer.body == b"\x00\xff"


@on_every_route
@in_turn(
    "status",
    [200, 201, 206, 300, 302, 307, 308, 400, 401, 403, 404, 409, 418, 422, 429, 499, 500, 503, 529, 599],
)
async def test_any_status_passes_with_its_headers_and_body_and_no_redirect_is_followed(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, status: int
) -> None:
    location = (b"location", b"http://127.0.0.1:9/elsewhere")
    scripted = failure(status, headers=[location, *TELLING], message="\u00e9 \\/ 1.0")
    upstream.answers.append(scripted)

    answer = await route.ask(proxy, user)

    assert answer.status == status
    for name, value in [location, *TELLING]:
        assert answer.values(name) == [value]
    assert isinstance(scripted[0], bytes)
    assert answer.body == scripted[0].partition(b"\r\n\r\n")[2]
    assert answer.complete
    assert len(upstream.begun) == 1


@in_turn("status", [101, 199, 600, 999])
async def test_a_status_that_can_not_end_an_answer_is_an_upstream_that_broke_off(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int
) -> None:
    upstream.answers.append((*whole(b"{}", status=status), End.CLOSE))

    answer = await proxy.fetch(b"GET", b"/v1/models")

    assert answer.status == 502
    assert answer.header(b"x-recollect-error") == b"upstream"
    assert answer.json["error"]["code"] == "upstream_disconnected"


@on_every_route
async def test_a_cookie_of_one_users_answer_is_not_sent_with_anothers_request(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, other_user: User, route: Route
) -> None:
    cookie = (b"set-cookie", b"session=anna; Path=/")
    upstream.answers.append(whole(b"{}", headers=[cookie]))

    first = await route.ask(proxy, user)
    await route.ask(proxy, other_user)
    await route.ask(proxy, user, [(b"cookie", b"own=1")])

    assert first.values(b"set-cookie") == [cookie[1]]
    assert [request.values(b"cookie") for request in upstream.received] == [[], [], [b"own=1"]]


@in_turn(
    ("status", "line"),
    [
        (200, b"HTTP/1.1 200 OK\r\n"),
        (429, b"HTTP/1.1 429 Too Many Requests\r\n"),
        (299, b"HTTP/1.1 299 \r\n"),
        (529, b"HTTP/1.1 529 \r\n"),
    ],
)
async def test_the_reason_phrase_is_the_standards_and_not_the_upstreams(
    proxy: RunningProxy, upstream: ScriptedUpstream, status: int, line: bytes
) -> None:
    """It can't be told through ASGI; the script's is "Scripted"."""
    upstream.answers.append(whole(b"{}", status=status))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"GET", b"/v1/models"))

        assert await client.read_until(b"\r\n") == line


@on_every_route
@in_turn("status", [204, 304])
async def test_an_answer_without_a_body_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, status: int
) -> None:
    length = [(b"content-length", b"1234")] if status == 304 else []
    upstream.answers.append((head(status, [(b"etag", b'"1"'), *length]),))

    async with RawConnection(proxy.port) as client:
        request = request_bytes(b"POST", route.path, route.headers(user), route.body)
        await client.send(request)
        answer = await client.read_response()
        await client.send(request)
        second = await client.read_response()  # the connection is still in step

    assert answer.status == status
    assert upstreams(answer) == [(b"etag", b'"1"')]  # a 304 may do without its length
    assert second.status == 200


async def test_an_empty_answer_says_so(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    upstream.answers.append(whole(b"", headers=[]))

    answer = await proxy.fetch(b"DELETE", b"/v1/files/f")

    assert answer.headers == [(b"content-length", b"0")]
    assert answer.body == b""


@on_every_route
@in_turn("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_a_compressed_answer_stays_compressed(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, encoding: str
) -> None:
    packed = compressed(b"[]" * 5000, encoding)
    headers = [(b"content-encoding", encoding.encode()), (b"content-type", b"application/json")]
    upstream.answers += [whole(packed, headers=headers), streamed(packed[:9], packed[9:], headers=headers)]
    accepted = [(b"accept-encoding", b"gzip, br")]

    told = await route.ask(proxy, user, accepted)
    streaming = await route.ask(proxy, user, accepted)

    assert upstreams(told) == [*headers, (b"content-length", b"%d" % len(packed))]
    assert upstreams(streaming) == [*headers, (b"transfer-encoding", b"chunked")]
    assert told.body == streaming.body == packed
    assert [request.values(b"accept-encoding") for request in upstream.received] == [[b"gzip, br"]] * 2


@on_every_route
async def test_trailers_are_dropped_with_what_announces_them(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route
) -> None:
    """Our server can't send them."""
    announced = [(b"Transfer-Encoding", b"chunked"), (b"Trailer", b"X-Checksum"), (b"x-end", b"1")]
    upstream.answers.append((head(200, announced), b"2\r\n{}\r\n0\r\nX-Checksum: 1\r\n\r\n"))
    async with RawConnection(proxy.port) as client:
        await client.send(request_bytes(b"POST", route.path, route.headers(user), route.body))
        answer = await client.read_response()
        await client.send(request_bytes(b"GET", b"/v1/models"))
        second = await client.read_response()  # the connection is still in step

    assert upstreams(answer) == [(b"x-end", b"1"), (b"transfer-encoding", b"chunked")]
    assert answer.body == b"{}"
    assert second.status == 200


EMOJI = "data: \u4f60\u597d \U0001f600\n\n".encode()
PIECES: dict[str, list[bytes]] = {
    "events": [b"data: {}\n\n", b'data: {"a":1}\n\n', DONE],
    "comments": [b": ping\n\n", b":\n\n", b": OPENROUTER PROCESSING\n\n", b"data: {}\n\n", DONE],
    "CRLF line ends": [b"data: {}\r\n\r\n", b": ping\r\n\r\n", b"data: [DONE]\r\n\r\n"],
    "CR line ends": [b"data: {}\r\r", b"data: [DONE]\r\r"],
    "named events": [b"event: message_start\ndata: {}\nid: 1\nretry: 9\n\n", b"event: ping\ndata: {}\n\n"],
    "an event in many reads": [b"da", b"ta:", b" {", b'"a"', b":1}\n", b"\n", b"data: [DO", b"NE]\n\n"],
    "a line end in two reads": [b"data: {}\r", b"\n\r", b"\ndata: [DONE]\r\n\r", b"\n"],
    "a character in many reads": [EMOJI[at : at + 1] for at in range(len(EMOJI))],
    "several events in one read": [b"data: 1\n\ndata: 2\n\n: c\n\ndata: 3", b"\n\n" + DONE],
    "no event stream at all": [b"\x00", b"\xff\xfe", b"\r\n\r\n0\r\n", b"\n"],
    "words behind the end": [DONE, b"data: more\n\n", DONE],
    "no end": [b"data: {}\n\n"],
}


PACKED = compressed(b"data: {}\n\n" * 100, "gzip")


@on_every_route
@in_turn(
    ("pieces", "headers"),
    [
        *((pieces, EVENT_STREAM) for pieces in PIECES.values()),
        ([PACKED[:1], PACKED[1:9], PACKED[9:]], [(b"content-encoding", b"gzip")]),
    ],
)
async def test_each_piece_arrives_as_it_is_before_the_next_one_is_said(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    route: Route,
    pieces: list[bytes],
    headers: Fields,
) -> None:
    permissions = [asyncio.Event() for _ in pieces]
    steps: list[Step] = [step for pair in zip(pieces, permissions, strict=True) for step in pair]
    upstream.answers.append(streamed(*steps, headers=headers))

    async with RawConnection(proxy.port) as client, asyncio.timeout(30):
        await client.send(request_bytes(b"POST", route.path, route.headers(user), route.body))
        assert await client.read_head() == 200
        for piece, permission in zip(pieces, permissions, strict=True):
            assert await client.read_chunked(len(piece)) == piece
            permission.set()
        assert await client.read_until(b"\r\n\r\n") == LAST_CHUNK


@on_every_route
@in_turn(
    ("framing", "pieces"),
    [
        ((b"Transfer-Encoding", b"chunked"), (b"", chunk(DONE) + LAST_CHUNK)),
        ((b"Content-Length", b"6"), (b"abc", b"def")),
    ],
)
async def test_the_head_arrives_before_the_first_word_and_each_word_in_whatever_frame(
    proxy: RunningProxy,
    upstream: ScriptedUpstream,
    user: User,
    route: Route,
    framing: tuple[bytes, bytes],
    pieces: tuple[bytes, bytes],
) -> None:
    go_on = asyncio.Event()
    first, rest = pieces
    upstream.answers.append((head(200, [*EVENT_STREAM, framing]) + first, go_on, rest))
    async with RawConnection(proxy.port) as client, asyncio.timeout(30):
        await client.send(request_bytes(b"POST", route.path, route.headers(user), route.body))
        assert await client.read_head() == 200
        if first:
            assert await client.read_until(first) == first
        go_on.set()
        assert await client.read_until(rest) == rest


@on_every_route
@in_turn("chunks", [1, 16, 1024])
async def test_an_event_of_a_megabyte_arrives_whole(
    proxy: RunningProxy, upstream: ScriptedUpstream, user: User, route: Route, chunks: int
) -> None:
    large = b'data: {"x":"' + b"\xc3\xa9" * 2**19 + b'"}\n\n'
    size = -(-len(large) // chunks)
    upstream.answers.append(
        streamed(b": ping\n\n", *(large[at : at + size] for at in range(0, len(large), size)), DONE)
    )

    answer = await route.ask(proxy, user)

    assert answer.complete
    assert answer.body == b": ping\n\n" + large + DONE
