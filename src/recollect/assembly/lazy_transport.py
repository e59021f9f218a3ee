"""A transport of httpx's that is made at its first request: reading the authorities it trusts takes a start 40 ms. Never: an answer."""

import httpx


class LazyTransport(httpx.AsyncBaseTransport):
    """Sends requests as httpx does by itself; certificates are checked."""

    def __init__(self) -> None:
        self._made: httpx.AsyncHTTPTransport | None = None

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Send a request.

        Raises:
            httpx.TransportError: As of httpx's own.
        """
        if self._made is None:
            self._made = httpx.AsyncHTTPTransport(trust_env=False)
        return await self._made.handle_async_request(request)

    handle_async_request = send  # httpx's name of it

    async def aclose(self) -> None:
        """Close its connections."""
        if self._made is not None:
            await self._made.aclose()
