"""The protocol over standard input and output, for a client that starts us."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any, cast

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from recollect.assembly.lifecycle import open_engine
from recollect.settings import Worker
from recollect_proxy.mcp.protocol_server import client_of, make_server, quiet_sdk
from recollect_proxy.mcp.tools import Caller
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
    alone = settings.model_copy(update={"worker": Worker.ELSEWHERE})  # it forms nothing: that is a server's
    async with AsyncExitStack() as opened:
        with stdout_kept_clean():
            engine = await opened.enter_async_context(open_engine(alone, upstream=settings.upstream_api))
        await serve_stdio(
            make_server(lambda context: Caller(lambda: engine, user_id, client_of(context)), user_id)
        )


async def serve_stdio(server: "Server[Any]") -> None:
    """Serve until the client ends its side."""
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
def stdout_kept_clean() -> Iterator[None]:
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
