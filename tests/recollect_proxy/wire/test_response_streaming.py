"""An answer arrives as it is said: no step of it waits for the next one, and none is changed."""

import asyncio

from tests.recollect_proxy.in_turn import in_turn
from tests.recollect_proxy.wire.routes import Route, on_every_route
from tests.scripted.upstream import (
    DONE,
    EVENT_STREAM,
    LAST_CHUNK,
    Fields,
    ScriptedUpstream,
    Step,
    chunk,
    compressed,
    head,
    streamed,
)
from tests.servers.running_proxy import RunningProxy, User
from tests.support.raw_client import RawConnection, request_bytes

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
