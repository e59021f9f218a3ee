"""ASGI types and helpers (ASGI 3.0, HTTP 2.x)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, MutableMapping
from typing import Any, TypeAlias, TypeVar

Scope: TypeAlias = MutableMapping[str, Any]
Event: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Event]]
Send: TypeAlias = Callable[[Event], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]

Result = TypeVar("Result")


class ClientLeftError(Exception):
    """The client closed its connection."""


class Incoming:
    """Receives a request's body, and then the client's disconnect, after which it is ``gone``.

    Only one method may receive at a time. ``left`` waits until the others have consumed the body.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._buffered: list[bytes] = []
        self._consumed = asyncio.Event()
        self.gone = False

    async def read_body(self, limit: int) -> bytes | None:
        """Return the whole body; None if it is longer than ``limit`` bytes (``stream`` then yields all of it).

        Raises:
            ClientLeftError: The client left before it was complete.
        """
        size = 0
        while not self._consumed.is_set():
            piece = await self._piece()
            self._buffered.append(piece)
            size += len(piece)
            if size > limit:
                return None
        return b"".join(self._buffered)

    async def first_piece(self) -> bytes | None:
        """Wait for the body's first piece. Return the body if that is all of it; else None (``stream`` then yields all of it).

        Raises:
            ClientLeftError: The client left before its first piece.
        """
        if not self._consumed.is_set():
            self._buffered.append(await self._piece())
        return b"".join(self._buffered) if self._consumed.is_set() else None

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the body from its first byte, as it arrives, with the pieces that the others have buffered.

        Raises:
            ClientLeftError: The client left before it was complete.
        """
        buffered, self._buffered = self._buffered, []
        for piece in buffered:
            yield piece
        while not self._consumed.is_set():
            yield await self._piece()

    async def left(self) -> None:
        """Wait until the body has been consumed and the client has disconnected."""
        await self._consumed.wait()
        while not self.gone:
            self.gone = (await self._receive())["type"] == "http.disconnect"

    async def _piece(self) -> bytes:
        event = await self._receive()
        if event["type"] == "http.disconnect":
            self.gone = True
            self._consumed.set()
            raise ClientLeftError
        if not event.get("more_body", False):
            self._consumed.set()
        piece: bytes = event.get("body", b"")
        return piece


async def unless_left(incoming: Incoming, work: Coroutine[Any, Any, Result]) -> Result:
    """Await ``work``; if the client disconnects, cancel it and wait until it has cleaned up.

    Like ``asyncio.timeout``, this cancels the caller's own task, and absorbs that cancellation.

    Raises:
        ClientLeftError: The client disconnected first.
    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 -- a coroutine that runs is run by a task
    cancelled_before = task.cancelling()
    left = over = False

    def leave(watcher: asyncio.Task[None]) -> None:
        nonlocal left
        if not over and not watcher.cancelled():
            left = True
            task.cancel()

    watcher = asyncio.create_task(incoming.left())
    watcher.add_done_callback(leave)
    try:
        result = await work
    except Exception as error:
        if left or incoming.gone:
            raise ClientLeftError from error  # a failure after the disconnect is its consequence
        raise
    except asyncio.CancelledError:
        if left and task.cancelling() == cancelled_before + 1:
            raise ClientLeftError from None
        raise
    finally:
        over = True
        watcher.cancel()
        if left:
            task.uncancel()
    if left:  # in the moment in which the work ended
        raise ClientLeftError
    return result


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that returns a body that was already read, and then the client's further events."""
    is_given = False

    async def next_event() -> Event:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_event


def values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    """Return the values of a header (lower-case ``name``) in order."""
    return [value for key, value in headers if key.lower() == name]


def content_encodings(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the content codings of a body, as its headers list them; "" for none."""
    return b",".join(values(headers, b"content-encoding")).decode("latin-1")


def is_unambiguous(scope: Scope) -> bool:
    """Whether all servers parse a request alike, with one Host and one framing (RFC 9112, sections 3.2 and 6.3)."""
    names = [name for name, _ in scope["headers"]]
    hosts = names.count(b"host")
    is_old = scope["http_version"] == "1.0"  # it has neither Host nor chunked coding
    codings = [value.strip().lower() for name, value in scope["headers"] if name == b"transfer-encoding"]
    chunked = codings == [b"chunked"] and b"content-length" not in names and not is_old
    framed_once = chunked or not codings
    return (hosts == 1 or (hosts == 0 and is_old)) and framed_once


def peer_of(scope: Scope) -> str | None:
    """Return the IP address of the client; None if the server does not know it."""
    client = scope.get("client")
    return client[0] if client else None


def leaving(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """Return ``receive`` and ``send`` for Litestar: ``receive`` raises ``ClientLeftError`` until an answer begins.

    After that Litestar itself watches for the client.
    """
    is_answered = False

    async def receive_or_leave() -> Event:
        event = await receive()
        if event["type"] == "http.disconnect" and not is_answered:
            raise ClientLeftError
        return event

    async def answering(event: Event) -> None:
        nonlocal is_answered
        is_answered = True
        await send(event)

    return receive_or_leave, answering


async def respond(
    send: Send, status: int, body: bytes, *, content_type: bytes, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send a complete response of the proxy's own."""
    own = [(b"content-type", content_type), (b"content-length", b"%d" % len(body)), *headers]
    await send({"type": "http.response.start", "status": status, "headers": own})
    await send({"type": "http.response.body", "body": body})
