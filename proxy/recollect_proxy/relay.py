"""Relays an upstream's answer as bytes, as it arrives. Never: looks inside a body."""

from collections.abc import Callable, Iterable

from recollect_proxy.asgi import Send, values
from recollect_proxy.headers import BOUND_TO_THE_BODY
from recollect_proxy.upstream import Answer


async def relay(
    answer: Answer,
    send: Send,
    *,
    extra: Iterable[tuple[bytes, bytes]] = (),
    listen: Callable[[bytes], None] | None = None,
) -> None:
    """Relay an answer as it arrives; ``listen`` is called with each chunk, and can't change it.

    Args:
        answer: The upstream's.
        send: To the client.
        extra: Headers of our own, after the upstream's.
        listen: Never raises, and takes next to no time.

    Raises:
        TruncatedError: The upstream broke off. The client's answer is then left unfinished, so
            that the server cuts the connection and the client sees that it is truncated.
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
    """Relay an answer with its body rewritten; arguments and errors are those of ``relay``."""
    body = await answer.read()
    listen(body)
    body = rewrite(body)
    headers = [(name, value) for name, value in answer.headers if name.lower() not in BOUND_TO_THE_BODY]
    headers += [(b"content-length", b"%d" % len(body)), *extra]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def is_json(answer: Answer) -> bool:
    """Return whether an answer is one uncompressed JSON document, not a stream."""
    content_type = b"".join(values(answer.headers, b"content-type")[:1]).split(b";")[0]
    encoding = b",".join(values(answer.headers, b"content-encoding"))
    return content_type.strip().lower() == b"application/json" and encoding in {b"", b"identity"}
