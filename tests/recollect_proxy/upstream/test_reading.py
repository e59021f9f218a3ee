"""Who reads an answer gets what came, learns how it ended, and may go away at any time."""

import asyncio

import pytest
from tests.recollect_proxy.upstream.loops import on_both_loops

from recollect_proxy.upstream.connection import BrokenOffError, Response, SilentError

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def response() -> Response:
    return Response(asyncio.get_running_loop(), bodiless=False, drained=lambda: None)


@on_both_loops
async def test_what_came_before_a_failure_is_read_before_it_raises() -> None:
    answer = response()
    answer.feed(CHUNKED + b"2\r\nab\r\n2\r\ncd\r\nx")
    await answer.head

    assert await answer.read_unread() == b"abcd"
    for _ in range(2):
        with pytest.raises(BrokenOffError):
            await answer.read_unread()


@on_both_loops
async def test_the_end_is_read_as_often_as_one_likes() -> None:
    answer = response()
    answer.feed(CHUNKED + b"2\r\nab\r\n0\r\n\r\n")

    assert [await answer.read_unread() for _ in range(3)] == [b"ab", b"", b""]
    answer.fail(SilentError())  # too late to matter
    assert await answer.read_unread() == b""


@on_both_loops
async def test_who_reads_is_woken_by_a_piece_by_the_end_and_by_a_failure() -> None:
    for last, expected in [(b"0\r\n\r\n", b""), (b"x", BrokenOffError)]:
        answer = response()
        reading = asyncio.create_task(answer.read_unread())
        await asyncio.sleep(0)
        answer.feed(CHUNKED)
        answer.feed(b"2\r\nab\r\n")
        assert await reading == b"ab"

        reading = asyncio.create_task(answer.read_unread())
        await asyncio.sleep(0)
        answer.feed(last)
        [outcome] = await asyncio.gather(reading, return_exceptions=True)
        assert outcome == expected or type(outcome) is expected


@on_both_loops
async def test_who_stops_reading_can_go_on_later() -> None:
    answer = response()
    answer.feed(CHUNKED)
    for order in ["cancelled first", "fed first"]:
        reading = asyncio.create_task(answer.read_unread())
        await asyncio.sleep(0)
        if order == "cancelled first":
            reading.cancel()
            answer.feed(b"2\r\nab\r\n")
        else:
            answer.feed(b"2\r\nab\r\n")
            reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        assert reading.cancelled()
        assert await answer.read_unread() == b"ab"


@on_both_loops
@pytest.mark.parametrize("end", [CHUNKED + b"0\r\n\r\n", b"nonsense", None])
async def test_who_waits_for_a_head_may_leave(end: bytes | None) -> None:
    answer = response()

    async def wait() -> None:
        await answer.head

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    if end is None:
        answer.end_stream()
    else:
        answer.feed(end)

    assert answer.head.cancelled()
    assert answer.complete == (end == CHUNKED + b"0\r\n\r\n")


@on_both_loops
async def test_a_failure_that_nobody_waits_for_is_not_reported_to_the_loop() -> None:
    response().fail(BrokenOffError())
