"""Forwards a request to the LLM server, and returns its response as bytes; checks once whether the server answers at all.

It neither looks into a body nor waits for a model.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import structlog

from recollect_proxy.upstream.connection import (
    Body,
    BrokenOffError,
    BusyError,
    Response,
    SilentError,
    UnreachableError,
    UnsendableError,
)
from recollect_proxy.upstream.pool import Address, LentConnection, Pool
from recollect_proxy.upstream.timeouts import CHECK_SECONDS, CONNECT_SECONDS, SILENCE_SECONDS
from recollect_proxy.web.asgi import Headers
from recollect_proxy.web.error_answers import (
    BAD_REQUEST,
    UPSTREAM_BROKE_OFF,
    UPSTREAM_BUSY,
    UPSTREAM_SILENT,
    UPSTREAM_UNREACHABLE,
    Failure,
)
from recollect_proxy.web.headers import keyed, relayable, without_own_keys
from recollect_proxy.web.paths import climbs

_MOST_CONNECTIONS = 1000
_STATUSES = range(200, 600)  # our own HTTP server can send no others

_FAILURES = {
    BusyError: UPSTREAM_BUSY,
    UnreachableError: UPSTREAM_UNREACHABLE,
    SilentError: UPSTREAM_SILENT,
    BrokenOffError: UPSTREAM_BROKE_OFF,
    UnsendableError: BAD_REQUEST,
}


class UpstreamError(Exception):
    """The upstream sent no response: it was unreachable or silent, or closed the connection before a whole head.

    ``failure`` is for the client; ``server`` names the server without what may hold a key.
    """

    def __init__(self, failure: Failure, server: str) -> None:
        super().__init__(failure.code)
        self.failure = failure
        self.server = server


class TruncatedError(Exception):
    """The upstream broke off, or fell silent, within the body of its response; ``server`` as in ``UpstreamError``."""

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self.server = server


@dataclass(frozen=True, slots=True)
class Answer:
    """An upstream's response: its status, its end-to-end headers, and its body as it arrives."""

    status: int
    headers: Headers
    _response: Response
    server: str = ""
    _seen: list[bytes] = field(default_factory=list)

    async def peek(self, limit: int) -> bytes | None:
        """Return the whole body, which can be read again; None if it is longer than ``limit`` bytes or breaks off."""
        pieces: list[bytes] = []
        try:
            while piece := await self.chunk():
                pieces.append(piece)
                if sum(map(len, pieces)) > limit:
                    return None
        except TruncatedError:
            return None  # to be met again where the pieces are relayed
        finally:
            self._seen[:] = pieces
        return b"".join(pieces)

    async def chunk(self) -> bytes:
        """Wait for unread bytes of the body, and return them with their content coding; b"" at its end.

        Raises:
            TruncatedError: The upstream broke off. All bytes received before it have been returned.
        """
        if self._seen:
            return self._seen.pop(0)
        try:
            return await self._response.read_unread()
        except (BrokenOffError, SilentError) as error:
            raise TruncatedError(self.server) from error

    async def read_body(self) -> bytes:
        """Return the rest of the body."""
        chunks = []
        while chunk := await self.chunk():
            chunks.append(chunk)
        return b"".join(chunks)


class Upstream:
    """The LLM server behind the proxy."""

    def __init__(
        self,
        base_url: str,
        *,
        connect_timeout: float | None = None,
        read_timeout: float | None = None,
        first_byte_timeout: float | None = None,
        connections: int = _MOST_CONNECTIONS,
        api_key: str | None = None,
    ) -> None:
        """Open no connection yet: the first request does.

        Args:
            base_url: Without a trailing slash. Request targets are appended to it.
            connect_timeout: Seconds for both together: the wait for a free connection, and connecting; None: the usual ones.
            read_timeout: The most seconds of silence within a response; None: the usual ones.
            first_byte_timeout: The most seconds from the request's last byte to the response's first; None: as
                ``read_timeout``.
            connections: The most concurrent requests.
            api_key: Replaces the client's API key; None: the client's key is sent.
        """
        self._base_url = base_url
        self._address = Address.parse(base_url)
        self._api_key = api_key.encode() if api_key else None
        self._read_timeout = read_timeout or SILENCE_SECONDS
        self._first_byte_timeout = self._read_timeout if first_byte_timeout is None else first_byte_timeout
        self.connections = Pool(
            self._address, limit=connections, connect_timeout=connect_timeout or CONNECT_SECONDS
        )

    def target(self, target: bytes) -> str:
        """Return the URL of a request target: the base URL with the target appended verbatim.

        Raises:
            UpstreamError: Its dot segments lead out of the base path, while the upstream's own key would be sent.
        """
        with self._failures_told():
            self._below_base(target)
        return self._base_url + target.decode("latin-1")

    @property
    def has_own_key(self) -> bool:
        """Whether the upstream's own key replaces the client's."""
        return self._api_key is not None

    def keyed(self, headers: Headers) -> Headers:
        """Return the headers with the upstream's own key, if it has one, and without any API key of the proxy."""
        return keyed(headers, self._api_key)

    @asynccontextmanager
    async def forward(
        self,
        method: str,
        target: bytes,
        headers: Iterable[tuple[bytes, bytes]],
        body: Body,
        *,
        repeatable: bool = True,
    ) -> AsyncIterator[Answer]:
        """Send a request, and yield its response once the head has arrived.

        Leaving the context closes the connection, unless the body was read to its end. A ``repeatable`` request, but none with a
        streamed body, is sent twice if the server closes a reused connection without a response.

        Raises:
            UpstreamError: The upstream sent no response.
        """
        fields = [(b"Host", self._address.authority), *self.keyed(list(headers))]
        with self._failures_told():
            below = self._below_base(target)
            lent = await self.connections.acquire()

        def send() -> Response:
            return lent.connection.send(
                method.encode(), below, fields, body, silence=self._first_byte_timeout
            )

        try:
            with self._failures_told():
                repeatable = repeatable and isinstance(body, bytes | None)
                response = await self._ask(lent, send, repeatable=repeatable)
            headers = relayable(response.headers, status=response.status)
            yield Answer(response.status, headers, response, self.origin)
        finally:
            # This closes the socket unless the body was read to its end, so that the LLM stops when the client has left.
            self.connections.release(lent)

    @property
    def origin(self) -> str:
        """The server, for a log: without what may hold a key."""
        return self._address.origin

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        try:
            yield
        except tuple(_FAILURES) as error:
            raise UpstreamError(_FAILURES[type(error)], self.origin) from error

    def _below_base(self, target: bytes) -> bytes:
        """Return the base path with the target appended, without keys of the proxy; at least ``/`` (RFC 9112, section 3.2.1).

        Raises:
            UnsendableError: The target leads out of the base path, while the upstream's own key would be sent.
        """
        path, mark, query = target.partition(b"?")
        if self.has_own_key and climbs(path):
            raise UnsendableError  # the key is for paths below the base, and a server may resolve dot segments
        whole = self._address.path + path + mark + without_own_keys(query)
        return whole if whole.startswith(b"/") else b"/" + whole

    async def _ask(self, lent: LentConnection, send: Callable[[], Response], *, repeatable: bool) -> Response:
        """Send a request. Send it once more if the server closed the idle connection in the same moment."""
        response = send()
        try:
            await response.head
        except BrokenOffError:
            # Nearly always the server closed before it read the request. But it may have begun to work, which is why RFC 9110,
            # section 9.2.2, forbids repeating a request that is not idempotent. We deviate for a POST that only runs a model: running it
            # twice costs time, failing costs a person the answer.
            if not lent.reused or response.began or not repeatable:
                raise
            await self.connections.replace(lent)  # a new one: the other idle connections may be closed, too
            response = send()
            await response.head
        if response.status not in _STATUSES:
            raise BrokenOffError
        lent.connection.expect_within(self._read_timeout)
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        await self.connections.aclose()


_THERE = frozenset({200, 401, 403})
"""The statuses that show a path exists. 401 and 403 ask for an API key, which clients bring."""

_NOT_FOUND = 404

USER_AGENT = b"recollect-upstream-check"
"""Shows operators in the server's log that a request is this check."""

_log = structlog.get_logger(__name__)


async def complaint_about(upstream: Upstream, url: str, below: str = "") -> str | None:
    """Return the fault of an upstream's URL and its remedy; None if there is none. Takes at most five seconds.

    Any answer shows that the server is there: many servers have no list of models, and some ask for a key. The URL counts as
    wrong only if ``/models`` is not found below the API's path (``below`` the URL), but is with ``/v1`` or without it.
    """
    other = "" if below else "/v1"
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            if await _status(upstream, below) != _NOT_FOUND or url.endswith("/v1"):
                return None
            is_elsewhere = await _status(upstream, other) in _THERE
    except (UpstreamError, TruncatedError, TimeoutError):
        return (
            f"The LLM's server at {url} does not answer: chats fail until it does. Is it running, and is RECOLLECT_UPSTREAM "
            "its address as seen from here? In a container 127.0.0.1 is the container itself."
        )
    if not is_elsewhere:
        return None
    remedy = """RECOLLECT_UPSTREAMS='[{"path": "/v1"}]'""" if below else f"RECOLLECT_UPSTREAM={url}/v1"
    return (
        f"The LLM's API seems to be elsewhere: there is no {url}{below}/models, but there is {url}{other}/models. "
        f"Set {remedy}"
    )


async def tell_of_upstream(upstream: Upstream, url: str, below: str) -> None:
    """Log the fault of an upstream's URL, if any."""
    if (complaint := await complaint_about(upstream, url, below)) is not None:
        _log.warning("upstream_check_failed", remedy=complaint)


async def _status(upstream: Upstream, path: str) -> int:
    headers = [(b"Accept", b"application/json"), (b"User-Agent", USER_AGENT)]
    async with upstream.forward("GET", f"{path}/models".encode(), headers, None) as answer:
        return answer.status
