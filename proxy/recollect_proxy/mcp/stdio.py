"""The protocol over standard input and output, for a client that starts us: over the store, or over a running server.

A request to a running server has a connection of its own, under the client's name, so the server may restart in between.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, Implementation

from recollect import __version__
from recollect.api.queries import PROJECT
from recollect.assembly.lifecycle import open_engine
from recollect.model import project_scope
from recollect.settings.engine_settings import WorkerPlace
from recollect_proxy.mcp import PATH, REFUSED_HEADER
from recollect_proxy.mcp.protocol_server import (
    UNNAMED,
    Context,
    client_of,
    instructions_for,
    make_server,
    quiet_sdk,
    server_of,
)
from recollect_proxy.mcp.tools import ActingAgent
from recollect_proxy.settings.proxy_settings import ProxySettings

_LONGEST_LINE = 1024 * 1024
_STDOUT, _STDERR = 1, 2


async def serve_store(settings: ProxySettings, user_id: str) -> None:
    """Serve a user's memories from the configured store until the client ends its side.

    Raises:
        ConfigurationError: The settings make no sense.
        StoreUnavailableError: The database can't be reached.
        EmbedderError: The embedder can't be loaded.
    """
    alone = settings.model_copy(
        update={"worker": WorkerPlace.ELSEWHERE}
    )  # it forms nothing: that is a server's
    async with AsyncExitStack() as opened:
        with _stdout_kept_clean():
            engine = await opened.enter_async_context(open_engine(alone, upstream=settings.upstream_api))
        await _serve_stdio(
            make_server(lambda context: ActingAgent(lambda: engine, user_id, client_of(context)), user_id)
        )


async def _serve_stdio(server: "Server[Any]") -> None:
    quiet_sdk()
    async with (
        _lines() as lines,
        stdio_server(stdin=cast("Any", lines)) as (incoming, outgoing),
    ):
        await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def _lines() -> AsyncIterator[AsyncIterator[bytes] | None]:
    """Yield the lines of standard input; None if it is a file, which the SDK reads.

    The SDK reads in a thread that nothing ends but a line, so that a signal could not end us.
    """
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    try:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
    except (ValueError, OSError):
        yield None
        return
    try:
        yield aiter(reader)
    finally:
        transport.close()


@contextmanager
def _stdout_kept_clean() -> Iterator[None]:
    """Redirect standard output to standard error meanwhile, for this process and its children."""
    sys.stdout.flush()
    kept = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, _STDOUT)
        os.close(kept)


_SECONDS = 60.0
_PATIENCE_SECONDS = 5.0
"""The most seconds that the start waits for the server's instructions."""
_NOT_FOUND = 404
_REFUSED = {
    "user_not_named": "Recollect does not know for whom this is: start `recollect mcp` with --user.",
    "bad_project": "Recollect can't read the project: start `recollect mcp` with another --project.",
    "unauthorized": "Recollect does not know the token: set RECOLLECT_TOKEN to one that is valid.",
    "too_many_attempts": "Too many wrong tokens came from this address: wait a minute, and set RECOLLECT_TOKEN to a valid one.",
    "forbidden": "Recollect does not allow this token to act for this user, or in this project.",
    "not_found": "Recollect serves no agents there: look at RECOLLECT_URL.",
}

_Result = TypeVar("_Result")


async def serve_bridge(url: str, token: str, user_id: str | None, project: str) -> None:
    """Serve `bridge` until the client ends its side."""
    async with bridge(url, token, user_id, project) as server:
        await _serve_stdio(server)


@asynccontextmanager
async def bridge(
    url: str, token: str, user_id: str | None, project: str = ""
) -> AsyncIterator["Server[Any]"]:
    """Yield a server that passes requests on to a running one.

    Args:
        url: The running server, with or without `/memory/mcp`.
        token: Opens it.
        user_id: For whom; None: whose token it is.
        project: The project of theirs; "" for none.
    """
    headers = {"Authorization": f"Bearer {token}"}
    if user_id is not None:
        headers["X-Recollect-User"] = quote(user_id, safe="")
    if project:
        headers[PROJECT] = quote(project, safe="")
    async with httpx2.AsyncClient(headers=headers, timeout=_SECONDS) as http_client:
        asked = _Bridge(endpoint(url), http_client)
        instructions = (
            await asked.instructions()
        )  # the token may be for an agent's memory, without ``project``
        yield server_of(asked, instructions or instructions_for(project_scope(user_id or "", project)))


def endpoint(url: str) -> str:
    """Return where agents are served on a server. Raises ValueError: it is no URL of one."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("not an http(s) URL, as http://127.0.0.1:8787")
    path = parts.path.rstrip("/")
    whole = path if path.endswith(PATH.decode()) else path + PATH.decode()
    return f"{parts.scheme}://{parts.netloc}{whole}"


class _Bridge:
    def __init__(self, url: str, http_client: httpx2.AsyncClient) -> None:
        self._url = url
        self._http_client = http_client
        self._refused: str | None = None
        http_client.event_hooks["response"].append(self._note)
        self.list_tools = self._passed_on(lambda client, _: client.list_tools())
        self.call_tool = self._passed_on(lambda client, sent: client.call_tool(sent.name, sent.arguments))
        self.list_resources = self._passed_on(lambda client, _: client.list_resources())
        self.list_templates = self._passed_on(lambda client, _: client.list_resource_templates())
        self.read_resource = self._passed_on(lambda client, sent: client.read_resource(str(sent.uri)))

    def _passed_on(
        self, ask: Callable[[Client, Any], Awaitable[_Result]]
    ) -> Callable[[Context, Any], Awaitable[_Result]]:
        """Return what answers a request of the client's with the server's answer."""

        async def pass_on(context: Context, sent: Any) -> _Result:
            return await self._ask_server(context, lambda client: ask(client, sent))

        return pass_on

    async def instructions(self) -> str | None:
        """Return the server's instructions; None if they can't be had, which later requests explain."""
        with suppress(Exception):
            async with asyncio.timeout(_PATIENCE_SECONDS), self._connected(UNNAMED) as client:
                return client.instructions
        return None

    async def _note(self, response: httpx2.Response) -> None:
        self._refused = response.headers.get(REFUSED_HEADER.decode())
        if response.status_code == _NOT_FOUND and not self._refused:
            self._refused = "not_found"

    async def _ask_server(self, context: Context, ask: Callable[[Client], Awaitable[_Result]]) -> _Result:
        self._refused = None
        try:
            async with self._connected(client_of(context)) as client:
                return await ask(client)
        except Exception as error:
            answered = _answer_in(error)
            if answered is not None and self._refused is None:
                raise answered from None
            message = _REFUSED.get(self._refused or "", "Recollect can't be reached at RECOLLECT_URL.")
            raise MCPError(INTERNAL_ERROR, message) from error

    @asynccontextmanager
    async def _connected(self, name: str) -> AsyncIterator[Client]:
        transport = streamable_http_client(self._url, http_client=self._http_client)
        info = Implementation(name=name, version=__version__)
        async with Client(transport, client_info=info) as client:
            yield client


def _answer_in(error: BaseException) -> MCPError | None:
    """Return the server's own answer among the raised errors, if any."""
    if isinstance(error, MCPError):
        return error
    if isinstance(error, BaseExceptionGroup):
        found = (_answer_in(each) for each in error.exceptions)
        return next((each for each in found if each is not None), None)
    return None
