"""What is a whole answer, however its bytes are cut."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from tests.support.tables import table

from recollect_proxy.upstream.connection import BrokenOffError, Response
from recollect_proxy.web.asgi import Headers

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = OK + b"Content-Length: 2\r\n\r\n{}"
MEGABYTE = 2**20


@dataclass(frozen=True)
class Told:
    """What an answer came to."""

    status: int
    headers: Headers
    body: bytes
    complete: bool = True
    persists: bool = True


def response(*, bodiless: bool = False) -> Response:
    loop = asyncio.new_event_loop()  # a future needs one; it never runs
    loop.close()
    return Response(loop, bodiless=bodiless, drained=lambda: None)


def told(pieces: Sequence[bytes], *, bodiless: bool = False, ended: bool = False) -> Told:
    answer = response(bodiless=bodiless)
    for piece in pieces:
        answer.feed(piece)
    if ended:
        answer.end_stream()
    body = b"".join(answer._pieces)
    assert answer.waiting == len(body)
    assert answer.head.done() == bool(answer.status)
    return Told(answer.status, answer.headers, body, answer.complete, answer.persists)


def length(value: bytes) -> tuple[bytes, bytes]:
    return (b"Content-Length", value)


TE = (b"Transfer-Encoding", b"chunked")
ANSWERS = {
    "a length": (WHOLE, Told(200, [length(b"2")], b"{}")),
    "no body": (OK + b"Content-Length: 0\r\n\r\n", Told(200, [length(b"0")], b"")),
    "chunks": (CHUNKED + b"2\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n", Told(200, [TE], b"ab0123456789")),
    "chunk extensions and trailers": (
        CHUNKED + b'2;a=b;c="d e"\r\n{}\r\n0;x\r\nX-Sum: 1\r\nY: 2\r\n\r\n',
        Told(200, [TE], b"{}"),
    ),
    "spaces behind a chunk's size": (CHUNKED + b"2  \r\n{}\r\n0 \r\n\r\n", Told(200, [TE], b"{}")),
    "chunks in capitals": (
        OK + b"Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        Told(200, [(b"Transfer-Encoding", b"CHUNKED")], b"{}"),
    ),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", Told(204, [], b"")),
    "304 with a length": (
        b"HTTP/1.1 304 Same\r\nContent-Length: 99\r\n\r\n",
        Told(304, [length(b"99")], b""),
    ),
    "100 and 103 before it": (
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\nX: y\r\n\r\n" + WHOLE,
        Told(200, [length(b"2")], b"{}"),
    ),
    "HTTP/1.0": (
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        Told(200, [length(b"2")], b"{}", persists=False),
    ),
    "HTTP/1.0 that stays": (
        b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\n{}",
        Told(200, [(b"Connection", b"Keep-Alive"), length(b"2")], b"{}"),
    ),
    "a server that leaves": (
        OK + b"Connection: x, Close\r\nContent-Length: 2\r\n\r\n{}",
        Told(200, [(b"Connection", b"x, Close"), length(b"2")], b"{}", persists=False),
    ),
    "odd cases and duplicates": (
        OK + b"cOnTeNt-LeNgTh: 2\r\nx: 1\r\nX: 2\r\nx:\r\n\r\n{}",
        Told(200, [(b"cOnTeNt-LeNgTh", b"2"), (b"x", b"1"), (b"X", b"2"), (b"x", b"")], b"{}"),
    ),
    "bare line feeds": (b"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", Told(200, [length(b"2")], b"{}")),
    "no reason": (b"HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\n{}", Told(404, [length(b"2")], b"{}")),
    "no space before no reason": (
        b"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\n{}",
        Told(404, [length(b"2")], b"{}"),
    ),
    "bytes that are no text": (
        OK + b"X: \xff\x01\x7f\r\nContent-Length: 2\r\n\r\n{}",
        Told(200, [(b"X", b"\xff  "), length(b"2")], b"{}"),
    ),
    "what a relay must mend": (
        OK + b"X: a\0b\r\nContent-Length : 2\r\n\r\n{}",
        Told(200, [(b"X", b"a b"), length(b"2")], b"{}"),
    ),
    "an upgrade that is only offered": (
        OK + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}",
        Told(200, [(b"Connection", b"upgrade"), (b"Upgrade", b"h2c"), length(b"2")], b"{}"),
    ),
}


@table(("stream", "expected"), ANSWERS.values())
def test_an_answer_is_the_same_however_its_bytes_come(stream: bytes, expected: Told) -> None:
    assert told([stream]) == expected
    assert told([bytes([byte]) for byte in stream]) == expected
    for cut in range(1, len(stream)):
        assert told([stream[:cut], stream[cut:]]) == expected


@table("framing", [b"", b"Content-Length: 9\r\n", b"Transfer-Encoding: chunked\r\n"])
def test_an_answer_to_head_has_no_body(framing: bytes) -> None:
    stream = OK + framing + b"\r\n"

    for pieces in ([stream], [bytes([byte]) for byte in stream]):
        answer = told(pieces, bodiless=True)
        assert (answer.body, answer.complete, answer.persists) == (b"", True, True)


@table("coding", [b"", b"Connection: keep-alive\r\n"])
def test_an_answer_that_tells_no_length_ends_with_the_connection(coding: bytes) -> None:
    stream = OK + coding + b"\r\nsome words"

    for cut in range(1, len(stream)):
        pieces = [stream[:cut], stream[cut:]]
        going_on, ended = told(pieces), told(pieces, ended=True)
        assert (going_on.body, going_on.complete) == (b"some words", False)
        assert (ended.body, ended.complete, ended.persists) == (b"some words", True, False)


@table(("stream", "expected"), ANSWERS.values())
def test_a_cut_answer_is_never_whole(stream: bytes, expected: Told) -> None:
    for cut in range(len(stream) - 1):
        answer = response()
        answer.feed(stream[:cut]) if cut else None
        answer.end_stream()

        assert isinstance(answer._failure, BrokenOffError)
        assert not answer.complete
        assert expected.body.startswith(b"".join(answer._pieces))


MALFORMED = {
    "no HTTP": b"\x15\x03\x01\x00\x02\x02\x16",
    "a request": b"GET / HTTP/1.1\r\n\r\n",
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "a status of two digits": b"HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
    "a status below any": b"HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
    "another version": b"HTTP/1.7 200 OK\r\nContent-Length: 0\r\n\r\n",
    "an upgrade": b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc",
    "an upgrade to nothing": b"HTTP/1.1 101 S\r\n\r\n",
    "length, then chunks": OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks, then length": OK + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    "a coding behind which nobody sees": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "a coding without chunks": OK + b"Transfer-Encoding: gzip\r\n\r\nsome words",
    "two lengths": OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "a negative length": OK + b"Content-Length: -2\r\n\r\n{}",
    "a length of no number": OK + b"Content-Length: two\r\n\r\n{}",
    "a length out of all proportion": OK + b"Content-Length: %d\r\n\r\n{}" % 10**30,
    "a chunk of no size": CHUNKED + b"x\r\n{}\r\n0\r\n\r\n",
    "a chunk of a negative size": CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n",
    "a chunk out of all proportion": CHUNKED + b"f" * 17 + b"\r\n{}\r\n0\r\n\r\n",
    "a chunk longer than its size": CHUNKED + b"2\r\n{}}\r\n0\r\n\r\n",
    "a header without a colon": OK + b"X\r\nContent-Length: 0\r\n\r\n",
    "a header without a name": OK + b": x\r\nContent-Length: 0\r\n\r\n",
    "a carriage return in a header": OK + b"X: a\rb\r\nContent-Length: 0\r\n\r\n",
    "a head out of all proportion": OK + b"X: y\r\n" * (MEGABYTE // 2) + b"Content-Length: 0\r\n\r\n",
}


@table("stream", MALFORMED.values())
def test_what_is_no_http_breaks_off(stream: bytes) -> None:
    for pieces in ([stream], [bytes([byte]) for byte in stream[:2000]] + [stream[2000:]]):
        answer = response()
        for piece in filter(None, pieces):
            answer.feed(piece)
        answer.feed(b"and more")

        assert isinstance(answer._failure, BrokenOffError)
        assert not answer.complete
        assert answer.head.done()


ENDLESS = {
    "a header": (OK + b"X: ", b"y" * 1000),
    "a reason": (b"HTTP/1.1 200 ", b"y" * 1000),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 40),
    "a chunk extension": (CHUNKED + b"2\r\n{}\r\n2;", b"y" * 1000),
    "trailers": (CHUNKED + b"0\r\n", b"X: y\r\n" * 160),
    "a trailer": (CHUNKED + b"0\r\nX: ", b"y" * 1000),
}


@table(("beginning", "more"), ENDLESS.values())
def test_what_never_ends_and_is_no_body_is_not_gathered(beginning: bytes, more: bytes) -> None:
    answer = response()
    answer.feed(beginning) if beginning else None
    fed = 0
    while answer._failure is None:
        answer.feed(more)
        fed += len(more)
        assert fed < 1.1 * MEGABYTE


def test_a_large_body_in_small_pieces_is_not_taken_for_a_head() -> None:
    pieces = [CHUNKED, *[b"1\r\nx\r\n"] * (MEGABYTE // 8), b"0\r\n\r\n"]

    assert told(pieces).complete
    assert told([OK + b"Content-Length: %d\r\n\r\n" % (3 * MEGABYTE) + b"x" * 3 * MEGABYTE]).complete


SURPLUS = {
    "a second answer": WHOLE,
    "a second one that upgrades": b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc",
    "an interim one": b"HTTP/1.1 100 Continue\r\n\r\n",
    "no HTTP": b"\0",
    "the beginning of something": b"H",
}


@table("surplus", SURPLUS.values())
@table("stream", [WHOLE, CHUNKED + b"2\r\n{}\r\n0\r\n\r\n"])
def test_what_follows_an_answer_spoils_the_connection_and_not_the_answer(
    stream: bytes, surplus: bytes
) -> None:
    for pieces in ([stream + surplus], [stream, surplus]):
        answer = told(pieces)
        assert (answer.status, answer.body, answer.complete, answer.persists) == (200, b"{}", True, False)


@table("bodiless", [True, False])
def test_a_body_where_none_may_be_spoils_the_connection_and_is_not_handed_on(*, bodiless: bool) -> None:
    stream = (OK if bodiless else b"HTTP/1.1 204 No\r\n") + b"Content-Length: 2\r\n\r\n"
    for pieces in ([stream + b"{}"], [stream, b"{}"]):
        answer = told(pieces, bodiless=bodiless)
        assert (answer.body, answer.complete, answer.persists) == (b"", True, False)


@given(
    st.sampled_from([b"", OK, CHUNKED, WHOLE[:-2], OK + b"\r\n"]),
    st.lists(
        st.binary(min_size=1) | st.sampled_from([OK, WHOLE, b"\r\n", b"0\r\n\r\n", b"X: y\r\n"]), max_size=8
    ),
    st.booleans(),
)
def test_garbage_never_raises(beginning: bytes, pieces: list[bytes], bodiless: bool) -> None:  # noqa: FBT001 -- given by hypothesis
    answer = response(bodiless=bodiless)
    for piece in filter(None, [beginning, *pieces]):
        answer.feed(piece)
    answer.end_stream()

    assert answer.complete != (answer._failure is not None)
    assert answer.head.done()
