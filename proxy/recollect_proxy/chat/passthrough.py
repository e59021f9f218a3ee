"""Relays requests without memory, byte for byte. Never: the engine."""

from collections.abc import Callable

from recollect_proxy.chat.relay import relay
from recollect_proxy.upstream.http1 import Body
from recollect_proxy.upstream.upstream import Answer, Upstream
from recollect_proxy.web.asgi import Headers, Incoming, Receive, Scope, Send, unless_left, values
from recollect_proxy.web.headers import forwardable, rewritable

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


class Passthrough:
    """Relays any request unchanged, streaming both bodies.

    Args:
        upstream: The LLM server.
        base_path: The path prefix of the proxy's API. The rest of a request's path is appended to the upstream's base URL.
        strip: Whether a header, by its lower-case name, is not forwarded.
    """

    def __init__(self, upstream: Upstream, *, base_path: bytes, strip: Callable[[bytes], bool]) -> None:
        self._upstream = upstream
        self._base_length = len(base_path)
        self.strip = strip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request; the arguments are those of an ASGI application."""
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
        """Relay a request.

        Args:
            scope: The ASGI scope of the request.
            incoming: The request's body, of which some may have been read.
            send: Sends ASGI messages to the client.
            extra: The proxy's own response headers.
            instead: A body to send in place of the request's; None: the request's own is sent.
            hear: Returns the callback for each chunk of an answer, which must not raise, and must return at once.

        Raises:
            ClientLeftError: The client closed the connection.
            UpstreamError: The upstream sent no response.
            TruncatedError: The upstream broke off within its response.
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
        body: Body = None
        if values(headers, b"transfer-encoding"):
            body = incoming.stream()
        elif values(headers, b"content-length"):
            body = incoming.stream() if whole is None else whole
        if instead is not None:
            headers, body = rewritable(headers, body=True, answer=False), instead
        async with self._upstream.forward(
            scope["method"],
            self.target(scope),
            forwardable(headers, without=self.strip),
            body,
            repeatable=_is_repeatable(scope),
        ) as answer:
            await relay(answer, send, extra=extra, listen=None if hear is None else hear(answer))

    def target(self, scope: Scope) -> bytes:
        """Return the request target below the base path: path and query, verbatim."""
        path: bytes = scope["raw_path"][self._base_length :]
        query: bytes = scope["query_string"]
        return path + b"?" + query if query else path


def _is_repeatable(scope: Scope) -> bool:
    """Return whether the proxy may repeat a request that got no response.

    It may if the method is idempotent (RFC 9110, section 9.2.2), or if the request only runs a model and creates nothing.
    """
    return scope["method"] not in {"POST", "PATCH"} or scope["raw_path"].endswith(_QUESTIONS)
