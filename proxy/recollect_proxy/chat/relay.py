"""Relays an upstream's response to the client: as it arrives, or rewritten as a whole. Never: looks inside a body."""

from collections.abc import Callable, Iterable

from recollect_proxy.upstream.upstream import Answer
from recollect_proxy.web.asgi import Send, values
from recollect_proxy.web.headers import BOUND_TO_THE_BODY


async def relay(
    answer: Answer,
    send: Send,
    *,
    extra: Iterable[tuple[bytes, bytes]] = (),
    listen: Callable[[bytes], None] | None = None,
) -> None:
    """Relay a response as it arrives.

    Args:
        answer: The upstream's response.
        send: Sends ASGI messages to the client.
        extra: The proxy's own headers, sent after the upstream's.
        listen: Called with each chunk before it is sent. It must not raise, and must return at once.

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
    """Read the whole response, and relay it with ``rewrite`` applied to its body.

    ``Content-Length`` is set again, and the headers bound to the old body are dropped. The other arguments are as for
    ``relay``.

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


def is_json(answer: Answer) -> bool:
    """Return whether the headers declare a single JSON document without content coding; an event stream is none."""
    content_type = b"".join(values(answer.headers, b"content-type")[:1]).split(b";")[0]
    encoding = b",".join(values(answer.headers, b"content-encoding"))
    return content_type.strip().lower() == b"application/json" and encoding in {b"", b"identity"}
