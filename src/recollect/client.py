"""A typed client of the memory API, for programs next to a running Recollect. It needs nothing of the engine.

``MemoryClient`` and ``AsyncMemoryClient`` ask the operations of ``recollect.api``; the answers are its shapes.
"""

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Self, TypedDict, TypeVar, Unpack, cast
from urllib.parse import quote
from uuid import UUID

import httpx
import msgspec
from msgspec import Struct, UnsetType

from recollect.api.endpoint_table import Operation
from recollect.api.failures import ErrorBody, ErrorDetail
from recollect.api.memories import Memory, Page
from recollect.api.queries import KEY, MATCH, PROJECT

__all__ = [
    "AsyncMemoryClient",
    "ChangedMeanwhileError",
    "ConflictError",
    "InvalidRequestError",
    "MemoryApiError",
    "MemoryClient",
    "NotFoundError",
    "UnauthorizedError",
    "UnavailableError",
]

Answer = TypeVar("Answer")
Client = TypeVar("Client")
Paged = TypeVar("Paged", bound=Page[Any, Any])

_SECONDS = 30.0
_REFUSED = 400


class MemoryApiError(Exception):
    """The memory API failed or refused.

    Attributes:
        problem: Its answer; None if that was unreadable.
    """

    def __init__(self, message: str, problem: ErrorBody | None = None) -> None:
        super().__init__(message)
        self.problem = problem

    @property
    def code(self) -> str:
        """The error's name for a program, as `memory_not_found`; "" where no memory API answered."""
        return "" if self.problem is None else self.problem.error.code


class InvalidRequestError(MemoryApiError):
    """The request makes no sense: 400, 413, 422."""


class UnauthorizedError(MemoryApiError):
    """The token is missing or wrong, or may not do this: 401, 403."""


class NotFoundError(MemoryApiError):
    """There is no such thing: 404."""


class ConflictError(MemoryApiError):
    """It can't be done as things stand, as there is an equal memory: 409. Of many changes ``problem.errors`` lists those that can't be made."""


class ChangedMeanwhileError(MemoryApiError):
    """The memory was changed since it was read: 412."""


class UnavailableError(MemoryApiError):
    """It can't be done now; trying again later may help: 5xx, or no server was reached."""


_BY_STATUS: dict[int, type[MemoryApiError]] = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: UnauthorizedError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedMeanwhileError,
    413: InvalidRequestError,
    422: InvalidRequestError,
}
_SERVERS_FAULT = 500


def error_of(status: int, body: bytes) -> MemoryApiError:
    """Return the error that an answer stands for, from whichever server it came."""
    try:
        problem = msgspec.json.decode(body, type=ErrorBody)
    except (msgspec.DecodeError, ValueError, RecursionError):
        detail = f"The server answered {status} without problem details."
        problem = ErrorBody(
            "about:blank", "No problem details", status, detail, ErrorDetail("", detail, None)
        )
    default = UnavailableError if status >= _SERVERS_FAULT else MemoryApiError
    kind = _BY_STATUS.get(status, default)
    return kind(f"{status} {problem.error.code}: {problem.detail}", problem)


@dataclass(frozen=True, slots=True)
class Request:
    """The HTTP request of an operation: its path below the server's address, percent-encoded; its headers but for the token."""

    method: str
    path: str
    query: list[tuple[str, str]]
    body: bytes | None
    headers: dict[str, str]


class Given(TypedDict, total=False):
    """The arguments of a request other than its path.

    Attributes:
        send: The query or body, of the shape that the operation takes.
        key: An `Idempotency-Key`: sent again with it within a day, the request changes nothing.
        if_match: The ``etag`` of a memory: the operation fails if the memory has another by now.
        project: The project of the user whose memory is meant; None for their own.
    """

    send: Struct | None
    key: str | None
    if_match: str | UnsetType | None
    project: str | None


def request_of(operation: Operation[Any], *ids: str | UUID, **given: Unpack[Given]) -> Request:
    """Return the request of an operation.

    Args:
        operation: A row of the table.
        ids: The ids of the path, in its order: a user, a chat, a memory. Any text; it is encoded here.
        given: The other arguments.

    Raises:
        ValueError: An id is empty, or the path has more or fewer.
        TypeError: ``send`` is not of the operation's shape.
        msgspec.ValidationError: A field does not fit its type, as a time without a zone.
    """
    send, key = given.get("send"), given.get("key")
    if_match, project = given.get("if_match"), given.get("project")
    if send is not None:
        if operation.takes is None or not isinstance(send, operation.takes):
            raise TypeError(f"{operation.name} does not take {type(send).__name__}.")
        msgspec.json.decode(msgspec.json.encode(send), type=type(send))
    body = msgspec.json.encode(send) if send is not None and operation.takes_body else None
    headers = {} if body is None else {"Content-Type": "application/json"}
    headers |= {} if key is None else {KEY: key}
    headers |= {MATCH: if_match} if isinstance(if_match, str) else {}
    headers |= {} if project is None else {PROJECT: quote(project, safe="")}
    query = _query(send) if send is not None and not operation.takes_body else []
    return Request(operation.method, _path(operation.path, ids), query, body, headers)


def _path(template: str, ids: tuple[str | UUID, ...]) -> str:
    names = re.findall(r"\{\w+\}", template)
    if len(names) != len(ids):
        raise ValueError(f"The path names {', '.join(names) or 'nothing'}.")
    for name, given in zip(names, ids, strict=True):
        if not str(given):
            raise ValueError("An id is empty.")
        # a dot is encoded, too: alone it would mean another path
        template = template.replace(name, quote(str(given), safe="").replace(".", "%2E"), 1)
    return template


def _query(send: Struct) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for field in msgspec.structs.fields(send):
        value = getattr(send, field.name)
        if value is not None and value != field.default:
            values = value if isinstance(value, list) else [value]
            found += [(field.encode_name, _as_text(each)) for each in values]
    return found


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


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
    """A ``MemoryClient`` for asyncio."""

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
