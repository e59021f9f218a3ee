"""Forwards a request to the LLM and hands its answer on as bytes. Never: looks inside a body.

The client is aiohttp: no cookie jar, nothing decompressed, nothing re-quoted, no header of its own.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import aiohttp
from aiohttp import hdrs
from multidict import CIMultiDict
from yarl import URL

from recollect_proxy.asgi import Headers
from recollect_proxy.errors import (
    BAD_REQUEST,
    UPSTREAM_BROKE_OFF,
    UPSTREAM_SILENT,
    UPSTREAM_UNREACHABLE,
    Failure,
)
from recollect_proxy.headers import keyed, relayable

_LONGEST_HEADER = 128 * 1024


class UpstreamError(Exception):
    """The upstream could not be reached, or broke off before its answer began."""

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
    _response: aiohttp.ClientResponse

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, still compressed.

        Raises:
            TruncatedError: The upstream broke off; what came before it has been yielded.
        """
        try:
            async for chunk in self._response.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise TruncatedError from error

    async def read(self) -> bytes:
        """Return the whole body, or raise TruncatedError."""
        return b"".join([chunk async for chunk in self.chunks()])


class _Request(aiohttp.ClientRequest):
    """A request without the ``Content-Length: 0`` that aiohttp gives to one that has no body."""

    def update_body_from_data(self, body: Any, _stacklevel: int = 3) -> None:
        had_length = hdrs.CONTENT_LENGTH in self.headers
        super().update_body_from_data(body, _stacklevel + 1)
        if body is None and not had_length:
            self.headers.popall(hdrs.CONTENT_LENGTH, None)


class Upstream:
    """The LLM server behind the proxy."""

    def __init__(
        self, base_url: str, *, connect_timeout: float, read_timeout: float, api_key: str | None = None
    ) -> None:
        """Name the upstream; the connections are opened on first use.

        Args:
            base_url: Without a trailing slash; what follows the proxy's base path is appended to it.
            connect_timeout: Seconds to connect.
            read_timeout: Seconds of silence, before the answer or within it.
            api_key: Sent in place of the client's own; None: the client's is sent.
        """
        self._base_url = base_url
        self._api_key = api_key.encode() if api_key else None
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=connect_timeout, sock_read=read_timeout
        )
        self._session: aiohttp.ClientSession | None = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=1000,
                    # Below the idle timeout of the usual servers (uvicorn: 5 s), so that we
                    # never send on a connection they are just closing.
                    keepalive_timeout=4,
                    ttl_dns_cache=300,
                ),
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
                timeout=self._timeout,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
                read_bufsize=2**18,
                request_class=_Request,
                trace_configs=[_noting_reuse()],
            )
        return self._session

    def target(self, target: bytes) -> str:
        """Return the whole address of a target, verbatim."""
        return self._base_url + target.decode("latin-1")

    def keyed(self, headers: Headers) -> Headers:
        """Return the headers with the upstream's own key, if it has one, and never one that we made."""
        return keyed(headers, self._api_key)

    @asynccontextmanager
    async def forward(
        self,
        method: str,
        target: bytes,
        headers: Iterable[tuple[bytes, bytes]],
        body: bytes | AsyncIterator[bytes] | None,
    ) -> AsyncIterator[Answer]:
        """Send a request; the connection is closed on leaving unless the answer was read to its end.

        Args:
            method: As the client sent it.
            target: What follows the base URL, verbatim: path and query.
            headers: End-to-end headers, as ``forwardable`` returns them.
            body: Whole, as it comes, or None.

        Raises:
            UpstreamError: There is no answer.
        """
        try:
            response = await self._send(method, target, self.keyed(list(headers)), body)
        except (aiohttp.ServerTimeoutError, TimeoutError) as error:
            raise UpstreamError(UPSTREAM_SILENT) from error
        except aiohttp.ClientConnectorError as error:
            raise UpstreamError(UPSTREAM_UNREACHABLE) from error
        except (aiohttp.InvalidURL, ValueError) as error:
            raise UpstreamError(BAD_REQUEST) from error
        except (aiohttp.ClientError, OSError) as error:
            raise UpstreamError(UPSTREAM_BROKE_OFF) from error
        try:
            yield Answer(response.status, relayable(response.raw_headers, status=response.status), response)
        finally:
            # Closes the socket unless the answer was read whole: a client that left frees the LLM.
            response.close()

    async def _send(
        self, method: str, target: bytes, headers: Headers, body: bytes | AsyncIterator[bytes] | None
    ) -> aiohttp.ClientResponse:
        """Send a request; once more if the server had just closed the idle connection it went out on.

        RFC 9112 section 9.3.1 allows that where no byte of an answer was seen; the body must still
        be at hand.
        """
        url = URL(self.target(target), encoded=True)
        fields = CIMultiDict((name.decode("latin-1"), _text(value)) for name, value in headers)
        send = partial(self._open().request, method, url, headers=fields, data=body, allow_redirects=False)
        connection = SimpleNamespace(reused=False)
        try:
            return await send(trace_request_ctx=connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            stale = not isinstance(error, aiohttp.ClientConnectorError) and not _answered(error)
            if not (stale and connection.reused and isinstance(body, bytes | None)):
                raise
        return await send()

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()


def _noting_reuse() -> aiohttp.TraceConfig:
    """Return what notes of each request whether it went out on a connection that was open already."""

    async def note(_session: object, context: Any, _parameters: object) -> None:
        if context.trace_request_ctx is not None:
            context.trace_request_ctx.reused = True

    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(note)
    return config


def _answered(error: aiohttp.ClientError) -> bool:
    """Whether an answer had begun: aiohttp then has the beginning in place of its own words."""
    return isinstance(error, aiohttp.ServerDisconnectedError) and not isinstance(error.message, str)


def _text(value: bytes) -> str:
    """Return a header's value as aiohttp, which sends UTF-8, will send the same bytes wherever it can."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
