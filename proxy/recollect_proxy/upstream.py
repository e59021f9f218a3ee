"""Forwards a request to the LLM and hands its answer on as bytes. Never: looks inside a body."""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from recollect_proxy.asgi import Headers
from recollect_proxy.errors import (
    BAD_REQUEST,
    UPSTREAM_BROKE_OFF,
    UPSTREAM_BUSY,
    UPSTREAM_SILENT,
    UPSTREAM_UNREACHABLE,
    Failure,
)
from recollect_proxy.headers import keyed, relayable
from recollect_proxy.http1 import (
    Address,
    Body,
    BrokenOffError,
    BusyError,
    Connection,
    Lent,
    Pool,
    Response,
    SilentError,
    UnreachableError,
    UnsendableError,
)

_MOST_CONNECTIONS = 1000
_STATUSES = range(200, 600)  # no server of ours can tell a client of others

_FAILURES = {
    BusyError: UPSTREAM_BUSY,
    UnreachableError: UPSTREAM_UNREACHABLE,
    SilentError: UPSTREAM_SILENT,
    BrokenOffError: UPSTREAM_BROKE_OFF,
    UnsendableError: BAD_REQUEST,
}


class UpstreamError(Exception):
    """There is no answer of the upstream's: it was not reached, was silent, or broke off before one began."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class TruncatedError(Exception):
    """The upstream broke off within its answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An upstream's response: its status and headers, and its body as it comes."""

    status: int
    headers: Headers
    _response: Response

    async def chunk(self) -> bytes:
        """Return what has come of the body since the last time, still compressed; b"" at its end.

        Raises:
            TruncatedError: The upstream broke off; what came before it has been returned.
        """
        try:
            return await self._response.read()
        except (BrokenOffError, SilentError) as error:
            raise TruncatedError from error

    async def read(self) -> bytes:
        """Return the whole body, or raise TruncatedError."""
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
        connect_timeout: float,
        read_timeout: float,
        first_byte_timeout: float | None = None,
        connections: int = _MOST_CONNECTIONS,
        api_key: str | None = None,
    ) -> None:
        """Name the upstream; the connections are opened on first use.

        Args:
            base_url: What follows the proxy's base path is appended to it.
            connect_timeout: Seconds to wait for a free connection and to connect, together.
            read_timeout: Seconds of silence within an answer.
            first_byte_timeout: Seconds of silence before it, from the request's last byte on; None: as
                ``read_timeout``.
            connections: How many requests may be under way at a time.
            api_key: Sent in place of the client's own; None: the client's is sent.
        """
        self._base_url = base_url
        self._address = Address.of(base_url)
        self._api_key = api_key.encode() if api_key else None
        self._first_byte_timeout = read_timeout if first_byte_timeout is None else first_byte_timeout
        self._read_timeout = read_timeout
        self.connections = Pool(self._address, limit=connections, connect_timeout=connect_timeout)

    def target(self, target: bytes) -> str:
        """Return the whole address of a target, verbatim.

        Raises:
            UpstreamError: It does not lie below the base.
        """
        with _failures_told():
            self._below_base(target)
        return self._base_url + target.decode("latin-1")

    @property
    def has_own_key(self) -> bool:
        """Whether the client's own key is replaced."""
        return self._api_key is not None

    def keyed(self, headers: Headers) -> Headers:
        """Return the headers with the upstream's own key, if it has one, and never one that we made."""
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
        """Send a request; the connection is closed on leaving unless the answer was read to its end.

        Args:
            method: As the client sent it.
            target: What follows the base URL, verbatim: path and query.
            headers: End-to-end headers, as ``forwardable`` returns them.
            body: Whole, as it comes, or None.
            repeatable: Whether it may be asked twice, where the server closes without a word.

        Raises:
            UpstreamError: There is no answer.
        """
        with _failures_told():
            below = self._below_base(target)
        request = _Request(
            method.encode(),
            below,
            [(b"Host", self._address.authority), *self.keyed(list(headers))],
            body,
            repeatable=repeatable and isinstance(body, bytes | None),
        )
        with _failures_told():
            lent = await self.connections.acquire()
        try:
            with _failures_told():
                response = await self._ask(lent, request)
            yield Answer(response.status, relayable(response.headers, status=response.status), response)
        finally:
            # Closes the socket unless the answer was read whole: a client that left frees the LLM.
            self.connections.release(lent)

    def _below_base(self, target: bytes) -> bytes:
        """Return path and query of the base with what follows it; never nothing (RFC 9112, section 3.2.1)."""
        if self.has_own_key and _climbs(target):
            raise UnsendableError  # our key is for what lies below the base, as a server may resolve dots
        whole = self._address.path + target
        return whole if whole.startswith(b"/") else b"/" + whole

    async def _ask(self, lent: Lent, request: "_Request") -> Response:
        """Send a request; once more if the server had just closed the idle connection it went out on.

        That is: iff the connection was reused, no byte of an answer was seen, and it is repeatable with
        its body at hand. It is nearly always a server that closed before it read. It need not be: one may
        have read the request, begun, and closed without a word, and RFC 9110 section 9.2.2 for that
        reason wants no proxy to repeat a method that is not idempotent. A POST that asks a model to
        speak is repeated all the same: to be asked twice costs it time; to fail costs a person the
        answer. One that makes something (a job, a file) is not, nor is what was streamed.
        """
        response = request.send_on(lent.connection, silence=self._first_byte_timeout)
        try:
            await response.head
        except BrokenOffError:
            if not lent.reused or response.began or not request.repeatable:
                raise
            await self.connections.replace(lent)  # where one was closed, the other idle ones may have been
            response = request.send_on(lent.connection, silence=self._first_byte_timeout)
            await response.head
        if response.status not in _STATUSES:
            raise BrokenOffError
        lent.connection.expect_within(self._read_timeout)
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        await self.connections.aclose()


@dataclass(frozen=True, slots=True)
class _Request:
    method: bytes
    target: bytes
    headers: Headers
    body: Body
    repeatable: bool

    def send_on(self, connection: Connection, *, silence: float) -> Response:
        return connection.send(self.method, self.target, self.headers, self.body, silence=silence)


def _climbs(target: bytes) -> bool:
    """Whether a path's dot segments (RFC 3986, section 5.2.4) lead out of where it begins."""
    path = target.partition(b"?")[0].lower().replace(b"%2e", b".").replace(b"%2f", b"/")
    depth = 0
    for segment in path.split(b"/"):
        depth += -1 if segment == b".." else segment not in {b"", b"."}
        if depth < 0:
            return True
    return False


@contextmanager
def _failures_told() -> Iterator[None]:
    try:
        yield
    except tuple(_FAILURES) as error:
        raise UpstreamError(_FAILURES[type(error)]) from error
