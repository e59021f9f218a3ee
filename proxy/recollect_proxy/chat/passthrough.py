"""Passes requests without memory on to the LLM server, byte for byte, and relays answers as they arrive. It does not use the engine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recollect_proxy.upstream.connection import Body
from recollect_proxy.upstream.upstream import Answer, Upstream
from recollect_proxy.web.asgi import (
    Headers,
    Incoming,
    Receive,
    Scope,
    Send,
    content_encodings,
    unless_left,
    values,
)
from recollect_proxy.web.headers import BOUND_TO_THE_BODY, forwardable, rewritable


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
    """Read the whole response, and relay it with ``rewrite`` applied to its body, without the headers that were true of the old body only.

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


_QUESTIONS = (
    b"/chat/completions",
    b"/completions",
    b"/embeddings",
    b"/messages",
    b"/moderations",
    b"/rerank",
    b"/api/chat",
    b"/api/embed",
    b"/api/generate",
    b"/api/show",
)
"""The paths whose POST creates nothing on the upstream, so that it may be repeated."""


@dataclass(frozen=True, slots=True)
class Passthrough:
    """Relays any request unchanged, streaming both bodies.

    Attributes:
        upstream: The LLM server.
        base_path: The path prefix of the proxy's API. The rest of a request's path is appended to the server's base URL.
        strip: Returns True for the lower-case name of a header to leave out.
    """

    upstream: Upstream
    base_path: bytes
    strip: Callable[[bytes], bool]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request."""
        await self.forward(scope, Incoming(receive), send)

    async def forward(
        self,
        scope: Scope,
        incoming: Incoming,
        send: Send,
        *,
        extra: Headers | None = None,
        instead: bytes | None = None,
        hear: Callable[[Answer], Callable[[bytes], None]] | None = None,
    ) -> None:
        """Relay a request, part of whose body may have been read already; ``instead`` replaces its body.

        The upstream is asked once the client has sent its body's first piece. ``extra`` are the proxy's own response headers;
        ``hear`` returns the callback for each chunk of an answer.

        Raises:
            ClientLeftError: The client disconnected; the upstream's connection is closed.
            UpstreamError: The upstream sent no response, and nothing was sent to the client.
            TruncatedError: As ``relay``.
        """
        await unless_left(incoming, self._exchange(scope, incoming, send, extra or [], instead, hear))

    async def _exchange(
        self,
        scope: Scope,
        incoming: Incoming,
        send: Send,
        extra: Headers,
        instead: bytes | None,
        hear: Callable[[Answer], Callable[[bytes], None]] | None,
    ) -> None:
        headers = scope["headers"]
        # Wait for the client's first bytes: one that sends nothing must not occupy a connection to the upstream.
        whole = await incoming.first_piece()
        body: Body = None  # of a request with neither header (RFC 9112, section 6.3)
        if values(headers, b"transfer-encoding"):
            body = incoming.stream()
        elif values(headers, b"content-length"):
            body = incoming.stream() if whole is None else whole
        if instead is not None:
            headers, body = rewritable(headers, body=True, answer=False), instead
        async with self.upstream.forward(
            scope["method"],
            self.target(scope),
            forwardable(headers, without=self.strip),
            body,
            repeatable=_is_repeatable(scope),
        ) as answer:
            await relay(answer, send, extra=extra, listen=None if hear is None else hear(answer))

    def target(self, scope: Scope) -> bytes:
        """Return the request target below the base path: path and query, verbatim."""
        path: bytes = scope["raw_path"][len(self.base_path) :]
        query: bytes = scope["query_string"]
        return path + b"?" + query if query else path


def _is_repeatable(scope: Scope) -> bool:
    """Return whether the proxy may repeat a request that got no response.

    It may if the method is idempotent (RFC 9110, section 9.2.2), or if the request only runs a model and creates nothing.
    """
    return scope["method"] not in {"POST", "PATCH"} or scope["raw_path"].endswith(_QUESTIONS)
