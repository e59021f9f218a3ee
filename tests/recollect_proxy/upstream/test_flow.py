"""Neither side is sent more than it takes; a server may be silent for so long, and we may be as long as we like."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.recollect_proxy.upstream.loops import on_both_loops
from tests.recollect_proxy.upstream.servers import GET, connected, drained, endless, says, serving

from recollect_proxy.upstream.connection import BrokenOffError, SilentError

HOST = (b"Host", b"x")
MEGABYTE = 2**20
IN_BUFFERS = 16 * MEGABYTE  # those of both sockets, as large as the system makes them
LARGE = 50 * MEGABYTE
NEVER_WITHIN_A_TEST = 1000.0


async def stands_still(before: int, now: list[int]) -> int:
    """Wait until a count has not changed for a while, and return it."""
    while before != now[0] or not before:
        before = now[0]
        await asyncio.sleep(0.1)
    return before


@on_both_loops
async def test_a_server_that_nobody_reads_is_stopped_and_loses_nothing() -> None:
    sent = [0]

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
        for _ in range(LARGE // MEGABYTE):
            writer.write(b"x" * MEGABYTE)
            await writer.drain()
            sent[0] += MEGABYTE
        await reader.read()

    async with serving(pour) as server, connected(server) as connection:
        # So short a silence, and none is found: it is we who do not listen.
        answer = connection.send(*GET, silence=NEVER_WITHIN_A_TEST)
        await answer.head
        connection.expect_within(0.05)
        assert await stands_still(0, sent) < IN_BUFFERS
        assert answer.waiting < MEGABYTE

        connection.expect_within(NEVER_WITHIN_A_TEST)
        assert len(await drained(answer)) == LARGE
        assert connection.end_exchange()


@on_both_loops
async def test_a_body_is_read_no_faster_than_the_server_takes_it() -> None:
    drawn = [0]
    reads_on = asyncio.Event()
    taken = 0

    async def body() -> AsyncIterator[bytes]:
        for _ in range(LARGE // MEGABYTE):
            drawn[0] += MEGABYTE
            yield b"x" * MEGABYTE

    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        await reader.readuntil(b"\r\n\r\n")
        await reads_on.wait()
        while taken < LARGE:
            taken += len(await reader.read(MEGABYTE))
        writer.write(b"HTTP/1.1 204 Done\r\n\r\n")
        await reader.read()

    async with serving(stall) as server, connected(server) as connection:
        length = (b"Content-Length", b"%d" % LARGE)
        answer = connection.send(b"POST", b"/x", [HOST, length], body(), silence=NEVER_WITHIN_A_TEST)
        assert await stands_still(0, drawn) < IN_BUFFERS

        reads_on.set()
        await answer.head
        assert (answer.status, taken) == (204, LARGE)
        assert connection.end_exchange()


BEGUN = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{"


@on_both_loops
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
async def test_a_server_may_be_silent_for_so_long_before_its_answer(said: bytes) -> None:
    async with serving(says(said)) as server, connected(server) as connection:
        answer = connection.send(*GET, silence=0.1)
        with pytest.raises(SilentError):
            await answer.head
        assert answer.began == bool(said)
        assert connection.closed
        await server.left.wait()


@on_both_loops
@pytest.mark.parametrize(
    ("before", "uploads"), [(0.1, False), (NEVER_WITHIN_A_TEST, False), (NEVER_WITHIN_A_TEST, True)]
)
async def test_a_server_may_be_silent_for_so_long_within_its_answer_though_an_upload_ends_there(
    before: float, *, uploads: bool
) -> None:
    began = asyncio.Event()

    async def upload() -> AsyncIterator[bytes]:
        yield b"x"
        await began.wait()

    async with serving(says(BEGUN)) as server, connected(server) as connection:
        body = upload() if uploads else None
        answer = connection.send(b"POST", b"/x", [HOST], body, silence=before)
        await answer.head
        connection.expect_within(0.1)
        began.set()

        assert await answer.read_unread() == b"{"
        with pytest.raises(SilentError):
            await answer.read_unread()
        await server.left.wait()


@on_both_loops
async def test_a_server_may_be_given_more_time_within_its_answer() -> None:
    goes_on = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(BEGUN)
        await goes_on.wait()
        writer.write(b"}\n")
        await reader.read()

    async with serving(talk) as server, connected(server) as connection:
        answer = connection.send(*GET, silence=5)
        await answer.head
        connection.expect_within(0.1)
        connection.expect_within(NEVER_WITHIN_A_TEST)
        await asyncio.sleep(0.2)
        goes_on.set()

        assert await answer.read_unread() + await answer.read_unread() == b"{}\n"
        assert connection.end_exchange()


@on_both_loops
async def test_a_slow_server_that_is_never_silent_for_long_is_heard_out() -> None:
    slowly = says(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", *[b"x"] * 12)
    async with serving(slowly) as server, connected(server) as connection:
        answer = connection.send(*GET, silence=0.6)
        assert await drained(answer) == b"x" * 12


@on_both_loops
async def test_the_clock_of_silence_begins_with_the_last_byte_of_an_upload() -> None:
    async def slow() -> AsyncIterator[bytes]:
        for _ in range(3):
            await asyncio.sleep(0.1)
            yield b"x"

    async with serving(says(b"")) as server, connected(server) as connection:
        answer = connection.send(b"POST", b"/x", [HOST], slow(), silence=0.05)
        with pytest.raises(SilentError):
            await answer.head
        assert connection._sent_whole


@on_both_loops
async def test_a_server_that_takes_no_more_of_an_upload_is_silent() -> None:
    never = asyncio.Event()

    async def stall(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await never.wait()

    async with serving(stall) as server, connected(server) as connection:
        answer = connection.send(b"POST", b"/x", [HOST], endless([0]), silence=0.2)
        with pytest.raises(SilentError):
            await answer.head
        assert not connection.end_exchange()


@on_both_loops
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\n{}"])
async def test_a_server_that_says_its_last_and_reads_no_more_ends_an_upload(said: bytes) -> None:
    drawn = [0]
    never = asyncio.Event()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()  # type: ignore[attr-defined]  # so that our end of it never empties
        await stands_still(0, drawn)
        writer.write(said)
        writer.write_eof()
        await never.wait()

    async with serving(refuse) as server, connected(server) as connection:
        answer = connection.send(b"POST", b"/x", [HOST], endless(drawn), silence=NEVER_WITHIN_A_TEST)
        if said:
            await answer.head
            assert (answer.status, await answer.read_unread(), await answer.read_unread()) == (
                413,
                b"{}",
                b"",
            )
        else:
            with pytest.raises(BrokenOffError):
                await answer.head
        assert connection._upload is not None
        await asyncio.wait([connection._upload])  # it does not wait for a socket that is never read empty
        assert connection.closed
        assert not connection.end_exchange()
