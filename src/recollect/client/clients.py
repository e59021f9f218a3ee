"""The clients of a running Recollect: one that blocks, one for asyncio."""

from collections.abc import AsyncIterator, Iterator
from typing import Any, Generic, Self, TypeVar, Unpack, cast
from uuid import UUID

import httpx
import msgspec
from msgspec import Struct

from recollect.api.memories import Memory, Page
from recollect.api.operation import Operation
from recollect.client.problems import MemoryApiError, UnavailableError, error_of
from recollect.client.requests import Given, request_of

Answer = TypeVar("Answer")
Client = TypeVar("Client")
Paged = TypeVar("Paged", bound=Page[Any, Any])

_SECONDS = 30.0
_REFUSED = 400


class _Connection(Generic[Client]):
    """The address, the token and the HTTP client of either client."""

    def __init__(self, url: str, token: str, client: Client, *, is_own: bool) -> None:
        self._url, self._token = url.rstrip("/"), token
        self._client, self._is_own = client, is_own

    def _request(
        self, operation: Operation[Any], ids: tuple[str | UUID, ...], **given: Any
    ) -> dict[str, Any]:
        """Return the arguments of the HTTP client's request."""
        request = request_of(operation, *ids, **given)
        return {
            "method": request.method,
            "url": f"{self._url}{request.path}",
            "params": request.query or None,
            "content": request.body,
            "headers": {"Authorization": f"Bearer {self._token}", **request.headers},
        }


class MemoryClient(_Connection[httpx.Client]):
    """A client of the memory API of a running Recollect.

    Args:
        url: The server's address, as ``http://127.0.0.1:8787``.
        token: The bearer token.
        seconds: The timeout of an answer; an erasure with VACUUM may need more.
        client: The HTTP client to use in place of an own one; it is not closed.
    """

    def __init__(
        self, url: str, token: str, *, seconds: float = _SECONDS, client: httpx.Client | None = None
    ) -> None:
        super().__init__(url, token, client or httpx.Client(timeout=seconds), is_own=client is None)

    def ask(self, operation: Operation[Answer], *ids: str | UUID, **given: Unpack[Given]) -> Answer:
        """Return the answer of an operation; the arguments are those of ``request_of``.

        Raises:
            MemoryApiError: It failed; the error's class and its ``problem`` say why.
        """
        try:
            response = self._client.request(**self._request(operation, ids, **given))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer_of(operation, response)

    def each(
        self,
        operation: Operation[Paged],
        *ids: str | UUID,
        send: Struct | None = None,
        project: str | None = None,
    ) -> Iterator[Any]:
        """Yield the items of a page and of all following pages. Raises as ``ask``."""
        while True:
            page = self.ask(operation, *ids, send=send, project=project)
            yield from page.items
            if page.next is None:
                return
            send = _following(operation, send, page)

    def close(self) -> None:
        """Close the connections."""
        if self._is_own:
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMemoryClient(_Connection[httpx.AsyncClient]):
    """As ``MemoryClient``, for asyncio."""

    def __init__(
        self, url: str, token: str, *, seconds: float = _SECONDS, client: httpx.AsyncClient | None = None
    ) -> None:
        super().__init__(url, token, client or httpx.AsyncClient(timeout=seconds), is_own=client is None)

    async def ask(self, operation: Operation[Answer], *ids: str | UUID, **given: Unpack[Given]) -> Answer:
        """Return the answer of an operation; the arguments are those of ``request_of``.

        Raises:
            MemoryApiError: It failed; the error's class and its ``problem`` say why.
        """
        try:
            response = await self._client.request(**self._request(operation, ids, **given))
        except httpx.HTTPError as error:
            raise _unreached(error) from error
        return _answer_of(operation, response)

    async def each(
        self,
        operation: Operation[Paged],
        *ids: str | UUID,
        send: Struct | None = None,
        project: str | None = None,
    ) -> AsyncIterator[Any]:
        """Yield the items of a page and of all following pages. Raises as ``ask``."""
        while True:
            page = await self.ask(operation, *ids, send=send, project=project)
            for item in page.items:
                yield item
            if page.next is None:
                return
            send = _following(operation, send, page)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._is_own:
            await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _answer_of(operation: Operation[Answer], response: httpx.Response) -> Answer:
    if response.status_code >= _REFUSED:
        raise error_of(response.status_code, response.content)
    if not response.is_success:
        raise MemoryApiError(f"The server answered {response.status_code}, not as a memory API does.")
    if operation.answers is str:
        return cast(Answer, response.text)
    try:
        answer = msgspec.json.decode(response.content or b"null", type=operation.answers)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise MemoryApiError(f"The answer is not one of a memory API ({type(error).__name__}).") from None
    if isinstance(answer, Memory):
        answer.etag = response.headers.get("ETag")
    return answer


def _unreached(error: httpx.HTTPError) -> UnavailableError:
    return UnavailableError(f"The memory API can't be reached ({type(error).__name__}).")


def _following(operation: Operation[Paged], send: Struct | None, page: Page[Any, Any]) -> Struct:
    """Return the query of the page after ``page``."""
    query = send if send is not None else cast(type[Struct], operation.takes)()
    return msgspec.structs.replace(query, after=page.next)
