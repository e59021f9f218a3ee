"""Sends calls to a running Recollect, waiting or with asyncio, and reads the answers. Never: decides what is asked."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import httpx
import msgspec

from recollect.client.calls import Call
from recollect.client.problems import MemoryApiError, UnavailableError, error_of
from recollect.client.shapes import Memory, Paged

Answer = TypeVar("Answer")
Item = TypeVar("Item")

_SECONDS = 30.0
_REFUSED = 400


class MemoryClient:
    """Asks the memory API of a running Recollect.

    Args:
        url: The server's address, as ``http://127.0.0.1:8787``.
        token: The bearer token.
        seconds: How long an answer may take; an erasure with VACUUM may want more.
        client: What requests are sent with instead; it is not closed.
    """

    def __init__(
        self, url: str, token: str, *, seconds: float = _SECONDS, client: httpx.Client | None = None
    ) -> None:
        self._url, self._token = url.rstrip("/"), token
        self._own = httpx.Client(timeout=seconds) if client is None else None
        self._client = client or cast(httpx.Client, self._own)

    def ask(self, call: Call[Answer]) -> Answer:
        """Return what is answered.

        Raises:
            MemoryApiError: It is not done; the error's class and its ``problem`` say why.
        """
        try:
            response = self._client.request(**_request(call, self._url, self._token))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer(call, response)

    def each(self, call: Call[Paged[Item]]) -> Iterator[Item]:
        """Yield what stands on the call's page and on all that follow.

        Raises:
            MemoryApiError: As ``ask``.
        """
        following: Call[Paged[Item]] | None = call
        while following is not None:
            page = self.ask(following)
            yield from page.items
            following = _behind(following, page.following)

    def close(self) -> None:
        """Close the connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMemoryClient:
    """As ``MemoryClient``, for asyncio."""

    def __init__(
        self, url: str, token: str, *, seconds: float = _SECONDS, client: httpx.AsyncClient | None = None
    ) -> None:
        self._url, self._token = url.rstrip("/"), token
        self._own = httpx.AsyncClient(timeout=seconds) if client is None else None
        self._client = client or cast(httpx.AsyncClient, self._own)

    async def ask(self, call: Call[Answer]) -> Answer:
        """Return what is answered.

        Raises:
            MemoryApiError: It is not done; the error's class and its ``problem`` say why.
        """
        try:
            response = await self._client.request(**_request(call, self._url, self._token))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer(call, response)

    async def each(self, call: Call[Paged[Item]]) -> AsyncIterator[Item]:
        """Yield what stands on the call's page and on all that follow.

        Raises:
            MemoryApiError: As ``ask``.
        """
        following: Call[Paged[Item]] | None = call
        while following is not None:
            page = await self.ask(following)
            for item in page.items:
                yield item
            following = _behind(following, page.following)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _request(call: Call[object], url: str, token: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}", **call.headers}
    given: dict[str, Any] = {"method": call.method, "url": f"{url}{call.path}", "headers": headers}
    if call.query:
        given["params"] = list(call.query)
    if call.body is not None:
        given["content"] = msgspec.json.encode(call.body)
        headers["Content-Type"] = "application/json"
    return given


def _answer(call: Call[Answer], response: httpx.Response) -> Answer:
    if response.status_code >= _REFUSED:
        raise error_of(response.status_code, response.content)
    if not response.is_success:
        raise MemoryApiError(
            f"The server answered {response.status_code}, which is no answer of a memory API."
        )
    if call.shape is type(None):
        return None
    try:
        answer = msgspec.json.decode(response.content, type=call.shape)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise MemoryApiError(f"The answer is none of a memory API ({type(error).__name__}).") from None
    if isinstance(answer, Memory):
        answer.etag = response.headers.get("ETag")
    return answer


def _unreached(error: httpx.HTTPError) -> UnavailableError:
    return UnavailableError(f"The memory API can't be reached ({type(error).__name__}).")


def _behind(call: Call[Answer], following: str | None) -> Call[Answer] | None:
    if following is None:
        return None
    kept = [(name, value) for name, value in call.query if name != "after"]
    return replace(call, query=[*kept, ("after", following)])
