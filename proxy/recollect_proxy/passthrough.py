"""Every other path, byte for byte. Never: the engine."""

from collections.abc import Callable

from recollect_proxy.asgi import Headers, Incoming, Receive, Scope, Send, unless_left, values
from recollect_proxy.headers import forwardable
from recollect_proxy.http1 import Body
from recollect_proxy.relaying import relay
from recollect_proxy.upstream import Upstream


class Passthrough:
    """Relays any request as it is, streaming both ways."""

    def __init__(self, upstream: Upstream, *, base_path: bytes, strip: Callable[[bytes], bool]) -> None:
        """Relay to ``upstream`` what stands below ``base_path``, without headers ``strip`` says yes to."""
        self._upstream = upstream
        self._base_length = len(base_path)
        self.strip = strip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self.forward(scope, Incoming(receive), send)

    async def forward(
        self, scope: Scope, incoming: Incoming, send: Send, *, extra: Headers | None = None
    ) -> None:
        """Relay a request whose body is still to come, wholly or in part.

        Raises:
            ClientLeftError, UpstreamError, TruncatedError: As their names say.
        """
        await unless_left(incoming, self._exchange(scope, incoming, send, extra or []))

    async def _exchange(self, scope: Scope, incoming: Incoming, send: Send, extra: Headers) -> None:
        headers = scope["headers"]
        body: Body = None
        if values(headers, b"content-length"):
            # What is here already can be sent a second time, should the connection turn out stale.
            whole = await incoming.begin()
            body = incoming.stream() if whole is None else whole
        elif values(headers, b"transfer-encoding"):
            body = incoming.stream()
        else:
            await incoming.read(0)
        async with self._upstream.forward(
            scope["method"],
            self.target(scope),
            forwardable(headers, without=self.strip),
            body,
        ) as answer:
            await relay(answer, send, extra=extra)

    def target(self, scope: Scope) -> bytes:
        """Return what follows the base path, as the client sent it: path and query."""
        path: bytes = scope["raw_path"][self._base_length :]
        query: bytes = scope["query_string"]
        return path + b"?" + query if query else path
