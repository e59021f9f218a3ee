"""Refuses a request, or a WebSocket, that must reach no LLM server."""

from recollect_proxy.asgi import Application, Receive, Scope, Send
from recollect_proxy.errors import Failure, send_failure


def refusing(failure: Failure) -> Application:
    """Return an application that answers a request with a failure, and a WebSocket's handshake with 403."""

    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})  # before it was accepted: refused with 403
            return
        await send_failure(send, failure)

    return refuse
