"""Opens Mistral's official SDK for one call to one server, bounded in time and size.

Without this module the SDK reads keys and switches from the environment, follows redirects, may log and trace whole conversations, and
puts answers into its errors. With our HTTP client a request is sent once, and an error has its status or kind alone.
"""

import asyncio
from http import HTTPStatus
from typing import Any

import httpx2
from mistralai.client import Mistral
from mistralai.client.utils.logger import NoOpLogger

from recollect.errors import ConfigurationError

DEFAULT_BASE_URL = "https://api.mistral.ai"
"""Mistral's own server."""


class MistralCallError(Exception):
    """A call failed. Its text never quotes the request or the answer."""


class MistralStatusError(MistralCallError):
    """The server answered with another status than 200."""

    def __init__(self, status: int, retry_after: str | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after


class MistralUnreachableError(MistralCallError):
    """The server can't be reached, broke off, or was too slow.

    Attributes:
        was_slow: Whether the time was up; the server may have read the request.
    """

    def __init__(self, kind: str, *, was_slow: bool = False) -> None:
        super().__init__(kind)
        self.was_slow = was_slow


class MistralAnswerTooLargeError(MistralCallError):
    """The answer is larger than allowed."""


class MistralServer:
    """A server that speaks Mistral's protocol (docs.mistral.ai/api).

    Args:
        base_url: With or without ``/v1`` at its end.
        seconds: How long one call may take, from beginning to end.
        answer_bytes: The largest answer read.

    Raises:
        ConfigurationError: ``base_url`` is no http or https address.
    """

    def __init__(self, base_url: str, *, seconds: float, answer_bytes: int) -> None:
        self.base_url = _without_version(base_url)
        self.seconds = seconds
        self.answer_bytes = answer_bytes
        self.client = httpx2.AsyncClient(trust_env=False)

    async def aclose(self) -> None:
        """Close the connections; more than once does no harm."""
        await self.client.aclose()


class MistralCall:
    """One call: the SDK that makes it, and the server's answer.

    Args:
        server: The server.
        authorization: The value of the ``Authorization`` header.

    Attributes:
        sdk: Mistral's client; its retries are off unless asked for.
        content: The body of the server's answer, once there is one with the status 200.
    """

    def __init__(self, server: MistralServer, authorization: bytes | None) -> None:
        self._server = server
        self._authorization = authorization
        self.content: bytes | None = None
        # It has the methods that the SDK's protocol requires, and sends nothing synchronously.
        client: Any = self
        self.sdk = Mistral(
            api_key="",  # so that it looks for none in the environment
            server_url=server.base_url,
            client=client,
            async_client=client,
            debug_logger=NoOpLogger(),
        )
        # Else the environment may have it send prompts to a collector of traces. No field: it looks for one.
        self.sdk.sdk_configuration.telemetry = False  # type: ignore[attr-defined]

    def build_request(self, method: str, url: str, **options: Any) -> httpx2.Request:
        """Return the request that the SDK describes, with our credential and without the client's cookies."""
        given = {**options["headers"], "Accept-Encoding": "identity"}  # so that the limit on the size holds
        headers = [
            (name.encode(), value.encode()) for name, value in given.items() if name != "Authorization"
        ]
        if self._authorization is not None:
            headers.append((b"authorization", self._authorization))
        timeout = httpx2.Timeout(self._server.seconds).as_dict()
        return httpx2.Request(
            method, url, headers=headers, content=options["content"], extensions={"timeout": timeout}
        )

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send the request, past the client's log-in and redirects, and read the answer whole.

        Raises:
            MistralCallError: It failed, or the answer is too large.
        """
        try:
            async with asyncio.timeout(self._server.seconds):
                self.content = await self._exchange(request)
        except (TimeoutError, httpx2.ReadTimeout, httpx2.WriteTimeout) as error:
            raise MistralUnreachableError(type(error).__name__, was_slow=True) from None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError) as error:
            raise MistralUnreachableError(type(error).__name__) from None  # its message may quote a header
        # Without the server's headers: some make the SDK read the answer once more, and log.
        return httpx2.Response(
            HTTPStatus.OK,
            headers={"content-type": "application/json"},
            content=self.content,
            request=request,
        )

    async def _exchange(self, request: httpx2.Request) -> bytes:
        content = bytearray()
        response = await self._server.client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            if response.status_code != HTTPStatus.OK:
                raise MistralStatusError(response.status_code, response.headers.get("retry-after"))
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > self._server.answer_bytes:
                    raise MistralAnswerTooLargeError
        finally:
            await response.aclose()
        return bytes(content)

    async def aclose(self) -> None:
        """Do nothing: the connections are the server's. The SDK wants the method to be there."""

    def close(self) -> None:
        """Do nothing, as ``aclose``."""


def _without_version(base_url: str) -> str:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL:
        url = httpx2.URL()
    if url.scheme not in {"http", "https"} or not url.host or url.query:
        raise ConfigurationError(f"Mistral's base URL must be an address such as {DEFAULT_BASE_URL}.")
    path = url.path.rstrip("/").removesuffix("/v1")
    return str(url.copy_with(path=path or "/")).rstrip("/")
