"""Relays an answer to the client: as it arrives, piece by piece, or whole if its body is rewritten. Never: the engine."""

from collections.abc import Callable, Iterable

from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import (
    Send,
    content_encodings,
    values,
)
from recollect_proxy.web.headers import BOUND_TO_THE_BODY


async def relay(
    answer: Answer,
    send: Send,
    *,
    extra: Iterable[tuple[bytes, bytes]] = (),
    listen: Callable[[bytes], None] | None = None,
) -> None:
    """Relay a response as it arrives, with ``extra`` headers of our own behind the upstream's.

    ``listen`` is called with each chunk before it is sent. It must not raise, and must return at once.

    Raises:
        TruncatedError: The upstream broke off. The response to the client stays unfinished: the server then closes the
            connection, by which the client sees that the response is truncated.
    """
    await send({"type": "http.response.start", "status": answer.status, "headers": [*answer.headers, *extra]})
    while chunk := await answer.chunk():
        if listen is not None:
            listen(chunk)
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def relay_whole(
    answer: Answer,
    send: Send,
    *,
    rewrite: Callable[[bytes], bytes],
    extra: Iterable[tuple[bytes, bytes]] = (),
    listen: Callable[[bytes], None],
) -> None:
    """Read the whole response, and relay it with ``rewrite`` applied to its body, without headers bound to the old one.

    Raises:
        TruncatedError: The upstream broke off. Nothing has been sent to the client.
    """
    body = await answer.read_body()
    listen(body)
    body = rewrite(body)
    headers = [(name, value) for name, value in answer.headers if name.lower() not in BOUND_TO_THE_BODY]
    headers += [(b"content-length", b"%d" % len(body)), *extra]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def media_type(answer: Answer) -> bytes:
    """Return the content type of an answer, in small letters and without parameters."""
    return b"".join(values(answer.headers, b"content-type")[:1]).split(b";")[0].strip().lower()


def is_json(answer: Answer) -> bool:
    """Return whether the headers declare a single JSON document without content coding; an event stream is none."""
    return media_type(answer) == b"application/json" and content_encodings(answer.headers) in {"", "identity"}
