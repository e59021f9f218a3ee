"""Refuses a request, or a WebSocket, that must reach no LLM server."""

from dataclasses import dataclass, field

from recollect_proxy.web.asgi import Headers, Receive, Scope, Send
from recollect_proxy.web.errors import Failure, send_failure


@dataclass(frozen=True, slots=True)
class Refusing:
    """An application that answers a request with a failure, and a WebSocket's handshake with 403.

    Attributes:
        failure: The answer.
        headers: What it says beside that.
    """

    failure: Failure
    headers: Headers = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse one."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})  # before it was accepted: refused with 403
            return
        await send_failure(send, self.failure, self.headers)
