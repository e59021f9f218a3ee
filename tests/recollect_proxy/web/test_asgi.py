import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.support.tables import table

from recollect_proxy.web.asgi import (
    ClientLeftError,
    Event,
    Incoming,
    is_unambiguous,
    respond,
    unless_left,
    values,
)

HOST, CODING = (b"host", b"h"), b"transfer-encoding"
LEFT: Event = {"type": "http.disconnect"}


def part(body: bytes, *, more: bool = False) -> Event:
    return {"type": "http.request", "body": body, "more_body": more}


def receiving(*events: Event) -> Callable[[], Awaitable[Event]]:
    """Receive these events, then nothing more for ever."""
    left = list(events)

    async def receive() -> Event:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    return receive


async def consumed(*events: Event) -> Incoming:
    """Return what receives further events behind a body that was read."""
    incoming = Incoming(receiving(part(b""), *events))
    await incoming.read_body(0)
    return incoming


async def collected(incoming: Incoming) -> bytes:
    return b"".join([chunk async for chunk in incoming.stream()])


@table(
    ("events", "limit", "read", "whole"),
    [
        ([part(b"ab", more=True), part(b"", more=True), part(b"cd")], 4, b"abcd", b"abcd"),
        ([{"type": "http.request"}], 10, b"", b""),
        ([part(b"abc", more=True), part(b"de", more=True), part(b"f")], 4, None, b"abcdef"),
    ],
)
async def test_a_body_is_read_up_to_its_limit(
    events: list[Event], limit: int, read: bytes, whole: bytes
) -> None:
    incoming = Incoming(receiving(*events))

    assert await incoming.read_body(limit) == read
    assert await collected(incoming) == whole


async def test_a_client_that_leaves_within_its_body_is_told_of() -> None:
    incoming = Incoming(receiving(part(b"abc", more=True), LEFT))

    with pytest.raises(ClientLeftError):
        await incoming.read_body(10)
    await incoming.left()


async def test_nobody_has_left_while_the_body_is_still_coming() -> None:
    incoming = Incoming(receiving(part(b"abc"), LEFT))
    leaving = asyncio.create_task(incoming.left())
    await asyncio.sleep(0)
    assert not leaving.done()

    await incoming.read_body(10)

    await leaving


async def test_words_behind_the_body_are_not_a_departure() -> None:
    incoming = await consumed(part(b""), LEFT)

    await incoming.left()
    await incoming.left()  # and stays known


async def test_work_is_done_or_fails_while_the_client_stays() -> None:
    incoming = await consumed()

    async def work(divisor: int) -> int:
        return 7 // divisor

    assert await unless_left(incoming, work(1)) == 7
    with pytest.raises(ZeroDivisionError):
        await unless_left(incoming, work(0))


async def test_work_is_cancelled_when_the_client_leaves_and_has_let_go_by_then() -> None:
    incoming = await consumed(LEFT)
    let_go = False

    async def work() -> None:
        nonlocal let_go
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            let_go = True

    with pytest.raises(ClientLeftError):
        await unless_left(incoming, work())
    assert let_go


async def test_work_is_cancelled_when_we_are() -> None:
    incoming = await consumed()
    begun, let_go = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            let_go.set()

    task = asyncio.create_task(unless_left(incoming, work()))
    await begun.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert let_go.is_set()


async def test_work_that_fails_because_the_client_left_is_a_departure() -> None:
    """An upload that breaks off fails at the upstream's end too; that is not the upstream's fault."""
    incoming = Incoming(receiving(part(b"abc", more=True), LEFT))

    async def work() -> None:
        try:
            await collected(incoming)
        except ClientLeftError:
            raise ConnectionError("body broke off") from None

    with pytest.raises(ClientLeftError):
        await unless_left(incoming, work())


async def test_a_departure_that_the_work_ignores_is_one_all_the_same_and_leaves_no_cancellation() -> None:
    incoming = await consumed(LEFT)

    async def work() -> int:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return 7

    with pytest.raises(ClientLeftError):
        await unless_left(incoming, work())

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_cancellation_beside_the_departure_is_not_lost() -> None:
    incoming = await consumed(LEFT)

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            task.cancel()  # the server stops in the same moment
            await asyncio.sleep(0)

    task = asyncio.create_task(unless_left(incoming, work()))

    with pytest.raises(asyncio.CancelledError):
        await task


@table(
    ("version", "headers", "clear"),
    [
        *(("1.1", [HOST, *more], True) for more in ([], [(CODING, b"Chunked")])),
        ("1.1", [HOST, (CODING, b"gzip, chunked")], False),
        ("1.1", [HOST, (CODING, b"gzip"), (CODING, b"chunked")], False),
        ("1.1", [HOST, (CODING, b"chunked"), (b"content-length", b"1")], False),
        *(("1.1", each, False) for each in ([], [HOST, HOST])),
        ("1.0", [(CODING, b"chunked")], False),
        ("1.0", [(b"content-length", b"1")], True),
    ],
)
def test_what_is_unclear_is_known(version: str, headers: list[tuple[bytes, bytes]], *, clear: bool) -> None:
    assert is_unambiguous({"http_version": version, "headers": headers}) is clear


def test_values_are_found_in_any_case_and_in_order() -> None:
    headers = [(b"X-A", b"1"), (b"x-b", b"2"), (b"x-a", b"3")]

    assert values(headers, b"x-a") == [b"1", b"3"]
    assert values(headers, b"x-c") == []


async def test_an_answer_of_our_own_has_its_length() -> None:
    sent: list[Any] = []

    async def send(event: Event) -> None:
        sent.append(event)

    await respond(send, 418, b"tea", content_type=b"text/plain", headers=[(b"x-pot", b"1")])

    headers = [(b"content-type", b"text/plain"), (b"content-length", b"3"), (b"x-pot", b"1")]
    assert sent[0] == {"type": "http.response.start", "status": 418, "headers": headers}
    assert sent[1:] == [{"type": "http.response.body", "body": b"tea"}]
