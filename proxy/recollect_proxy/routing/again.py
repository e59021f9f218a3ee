"""Replays a request whose body was already read."""

from recollect_proxy.web.asgi import Event, Receive


class Again:
    """An ASGI ``receive`` that returns the body first, and then the client's further events."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Event:
        """Return the next event."""
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
