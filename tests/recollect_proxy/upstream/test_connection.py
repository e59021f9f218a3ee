"""One connection: what goes out, what an exchange leaves behind, what closes it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.upstream.loops import on_both_loops
from tests.recollect_proxy.upstream.servers import GET, WHOLE, ask, connected, drained, says, serving
from tests.scripted.upstream import ScriptedUpstream, whole
from tests.support.waiting import until

from recollect_proxy.upstream.connection import Body, BrokenOffError, UnsendableError
from recollect_proxy.web.asgi import Headers

HOST = (b"Host", b"x")


async def pieces(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        await asyncio.sleep(0)
        yield piece


@on_both_loops
async def test_exchanges_follow_one_another_on_a_connection() -> None:
    async with serving() as server, connected(server) as connection:
        for _ in range(3):
            answer = await ask(connection)
            assert (answer.status, answer.complete, answer.began) == (200, True, True)
            assert connection.end_exchange()

    assert server.heads == [b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"] * 3


@on_both_loops
async def test_a_body_is_framed_unless_it_frames_itself() -> None:
    own = (b"content-LENGTH", b"4")
    async with ScriptedUpstream() as server:
        cases: list[tuple[Body, Headers, tuple[bytes, bytes], bytes]] = [
            (b"abcd", [], (b"Content-Length", b"4"), b"abcd"),
            (b"", [], (b"Content-Length", b"0"), b""),
            (b"abcd", [own], own, b"abcd"),
            (pieces(b"ab", b"", b"cd"), [own], own, b"abcd"),
            (
                pieces(b"ab", b"", b"cd"),
                [],
                (b"Transfer-Encoding", b"chunked"),
                b"2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n",
            ),
            (pieces(), [], (b"Transfer-Encoding", b"chunked"), b"0\r\n\r\n"),
        ]
        for body, headers, framing, raw in cases:
            async with connected(server) as connection:
                answer = connection.send(b"POST", b"/x", [HOST, *headers], body, silence=20)
                await drained(answer)
                assert connection.end_exchange()
            assert server.last.headers == [HOST, framing]
            assert server.last.raw_body == raw
        async with connected(server) as connection:
            await ask(connection)
        assert server.last.headers == [HOST]


@on_both_loops
@pytest.mark.parametrize(
    ("method", "target", "header"),
    [
        (b"GET", b"/x y", HOST),
        (b"GET", b"/x\r\nX: y", HOST),
        (b"GET", b"/x\n", HOST),
        (b"GET", b"/\0", HOST),
        (b"G T", b"/x", HOST),
        (b"GET", b"/x", (b"X", b"1\r\nY: 2")),
        (b"GET", b"/x", (b"X", b"1\n")),
        (b"GET", b"/x", (b"X", b"1\r")),
        (b"GET", b"/x", (b"X", b"1\0")),
        (b"GET", b"/x", (b"X\n", b"1")),
    ],
)
async def test_what_would_say_something_else_is_not_sent(
    method: bytes, target: bytes, header: tuple[bytes, bytes]
) -> None:
    async with serving() as server, connected(server) as connection:
        with pytest.raises(UnsendableError):
            connection.send(method, target, [header], None, silence=20)
        assert not connection.end_exchange()
        await server.left.wait()

    assert server.heads == []


@on_both_loops
async def test_an_upload_that_fails_tells_who_reads_the_answer() -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"x"
        await server.requests(1, begun=True)
        raise LookupError("mine")

    async with ScriptedUpstream() as server, connected(server) as connection:
        answer = connection.send(b"POST", b"/x", [HOST], failing(), silence=20)
        with pytest.raises(LookupError, match="mine"):
            await answer.head
        with pytest.raises(LookupError, match="mine"):
            await answer.read_unread()
        assert not connection.end_exchange()
        async with asyncio.timeout(20):
            await server.begun[0].client_left.wait()

    assert server.received == []


async def answer_early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer when the head has come, and take whatever follows."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(WHOLE)
    while await reader.read(2**16):
        pass


@on_both_loops
@pytest.mark.parametrize("ends", ["well", "in an error", "not at all"])
async def test_behind_an_early_answer_a_connection_is_kept_only_where_its_upload_ends_well(ends: str) -> None:
    answered = asyncio.Event()

    async def upload() -> AsyncIterator[bytes]:
        yield b"x"
        await answered.wait()
        if ends == "in an error":
            raise LookupError

    async with serving(answer_early) as server, connected(server) as connection:
        answer = connection.send(b"POST", b"/x", [HOST], upload(), silence=20)
        await drained(answer)
        assert answer.persists
        if ends != "not at all":
            answered.set()
            assert connection._upload is not None
            await asyncio.wait([connection._upload])

        # Behind half an upload the next request would be taken for the rest of its body.
        assert connection.end_exchange() == (ends == "well")
        if ends != "well":
            await server.left.wait()


@on_both_loops
async def test_an_answer_that_was_not_read_to_its_end_closes_its_connection() -> None:
    beginning = says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
    async with serving(beginning) as server, connected(server) as connection:
        answer = connection.send(*GET, silence=20)
        await answer.head
        assert not connection.end_exchange()
        await server.left.wait()


@on_both_loops
async def test_what_comes_unasked_on_an_idle_connection_closes_it() -> None:
    says_more = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(WHOLE)
        await says_more.wait()
        writer.write(WHOLE)
        await reader.read()

    async with serving(talk) as server, connected(server) as connection:
        await ask(connection)
        assert connection.end_exchange()
        says_more.set()
        await until(lambda: connection.closed)
        await server.left.wait()


@on_both_loops
async def test_a_server_that_closes_an_idle_connection_closes_it() -> None:
    async with ScriptedUpstream() as server, connected(server) as connection:
        server.answers.append((*whole(b"{}"), 0.01))
        await ask(connection)
        assert connection.end_exchange()
        await server.stop()
        await until(lambda: connection.closed)

        answer = connection.send(*GET, silence=20)  # nothing goes out, and nobody waits for nothing
        with pytest.raises(BrokenOffError):
            await answer.head
        assert not answer.began


@on_both_loops
async def test_a_closed_connection_is_no_good_for_another_exchange() -> None:
    async with serving() as server, connected(server) as connection:
        await ask(connection)
        connection.abort()
        assert not connection.end_exchange()
