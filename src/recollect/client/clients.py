"""Asks a running Recollect, waiting or with asyncio, and reads the answers. Never: decides what is asked."""

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar, cast
from uuid import UUID

import httpx
import msgspec
from msgspec import Struct, UnsetType

from recollect.api.memories import Memory, Page
from recollect.api.operation import Operation
from recollect.client.problems import MemoryApiError, UnavailableError, error_of
from recollect.client.requests import Request, request_of

Answer = TypeVar("Answer")
Paged = TypeVar("Paged", bound=Page[Any, Any])

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

    def ask(
        self,
        operation: Operation[Answer],
        *ids: str | UUID,
        send: Struct | None = None,
        key: str | None = None,
        if_match: str | UnsetType | None = None,
    ) -> Answer:
        """Return what an operation answers; the arguments are those of ``request_of``.

        Raises:
            MemoryApiError: It is not done; the error's class and its ``problem`` say why.
        """
        request = request_of(operation, *ids, send=send, key=key, if_match=if_match)
        try:
            response = self._client.request(**_sent(request, self._url, self._token))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer(operation, response)

    def each(
        self, operation: Operation[Paged], *ids: str | UUID, send: Struct | None = None
    ) -> Iterator[Any]:
        """Yield the items of a page and of all that follow.

        Raises:
            MemoryApiError: As ``ask``.
        """
        while True:
            page = self.ask(operation, *ids, send=send)
            yield from page.items
            if page.next is None:
                return
            send = _behind(operation, send, page)

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

    async def ask(
        self,
        operation: Operation[Answer],
        *ids: str | UUID,
        send: Struct | None = None,
        key: str | None = None,
        if_match: str | UnsetType | None = None,
    ) -> Answer:
        """Return what an operation answers; the arguments are those of ``request_of``.

        Raises:
            MemoryApiError: It is not done; the error's class and its ``problem`` say why.
        """
        request = request_of(operation, *ids, send=send, key=key, if_match=if_match)
        try:
            response = await self._client.request(**_sent(request, self._url, self._token))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer(operation, response)

    async def each(
        self, operation: Operation[Paged], *ids: str | UUID, send: Struct | None = None
    ) -> AsyncIterator[Any]:
        """Yield the items of a page and of all that follow.

        Raises:
            MemoryApiError: As ``ask``.
        """
        while True:
            page = await self.ask(operation, *ids, send=send)
            for item in page.items:
                yield item
            if page.next is None:
                return
            send = _behind(operation, send, page)

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


def _sent(request: Request, url: str, token: str) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": f"{url}{request.path}",
        "params": request.query or None,
        "content": request.body,
        "headers": {"Authorization": f"Bearer {token}", **request.headers},
    }


def _answer(operation: Operation[Answer], response: httpx.Response) -> Answer:
    if response.status_code >= _REFUSED:
        raise error_of(response.status_code, response.content)
    if not response.is_success:
        raise MemoryApiError(
            f"The server answered {response.status_code}, which is no answer of a memory API."
        )
    if operation.answers is str:
        return cast(Answer, response.text)
    try:
        answer = msgspec.json.decode(response.content or b"null", type=operation.answers)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise MemoryApiError(f"The answer is none of a memory API ({type(error).__name__}).") from None
    if isinstance(answer, Memory):
        answer.etag = response.headers.get("ETag")
    return answer


def _unreached(error: httpx.HTTPError) -> UnavailableError:
    return UnavailableError(f"The memory API can't be reached ({type(error).__name__}).")


def _behind(operation: Operation[Paged], send: Struct | None, page: Page[Any, Any]) -> Struct:
    """Return the query of the page behind ``page``."""
    query = send if send is not None else cast(type[Struct], operation.takes)()
    return msgspec.structs.replace(query, after=page.next)
