"""Relays all requests without memory, byte for byte. Never: the engine."""

from collections.abc import Callable

from recollect_proxy.asgi import Headers, Incoming, Receive, Scope, Send, unless_left, values
from recollect_proxy.headers import forwardable, rewritable
from recollect_proxy.http1 import Body
from recollect_proxy.relay import relay
from recollect_proxy.upstream import Upstream

_QUESTIONS = (
    b"/chat/completions",
    b"/completions",
    b"/embeddings",
    b"/messages",
    b"/moderations",
    b"/rerank",
)


class Passthrough:
    """Relays any request as it is, streaming both ways."""

    def __init__(self, upstream: Upstream, *, base_path: bytes, strip: Callable[[bytes], bool]) -> None:
        """Relay to ``upstream`` what is below ``base_path``, without the headers for which ``strip`` is true."""
        self._upstream = upstream
        self._base_length = len(base_path)
        self.strip = strip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self.forward(scope, Incoming(receive), send)

    async def forward(
        self,
        scope: Scope,
        incoming: Incoming,
        send: Send,
        *,
        extra: Headers | None = None,
        instead: bytes | None = None,
    ) -> None:
        """Relay a request whose body has not been read to its end; or send ``instead`` as its body.

        Raises:
            ClientLeftError, UpstreamError, TruncatedError: As their names say.
        """
        await unless_left(incoming, self._exchange(scope, incoming, send, extra or [], instead))

    async def _exchange(
        self, scope: Scope, incoming: Incoming, send: Send, extra: Headers, instead: bytes | None
    ) -> None:
        headers = scope["headers"]
        # A client that sends nothing takes no connection to the upstream.
        whole = await incoming.begin()
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
            await relay(answer, send, extra=extra)

    def target(self, scope: Scope) -> bytes:
        """Return what follows the base path, as the client sent it: path and query."""
        path: bytes = scope["raw_path"][self._base_length :]
        query: bytes = scope["query_string"]
        return path + b"?" + query if query else path


def _is_repeatable(scope: Scope) -> bool:
    """Return whether a request that got no answer may be sent again.

    Its method is idempotent (RFC 9110, section 9.2.2), or it only asks a model, and makes nothing that stays.
    """
    return scope["method"] not in {"POST", "PATCH"} or scope["raw_path"].endswith(_QUESTIONS)
