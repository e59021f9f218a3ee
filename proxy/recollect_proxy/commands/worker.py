"""`recollect worker`: forms memories from the proxies' message log, and answers no chat. Never: how it forms them."""

import asyncio
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer

from recollect.errors import UnfitDatabaseError
from recollect_proxy.settings.command_settings import database_shown, no_upstream_for, settings_and_logging
from recollect_proxy.settings.proxy_settings import LogLevel

log = structlog.get_logger(__name__)

_CANNOT_START = 3
"""Another start may do it, and a service manager is to try: as `recollect serve` ends."""


def worker(
    upstream: Annotated[
        str | None, typer.Option(help="Base URL of the LLM, where it extracts.", metavar="URL")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of database and caches.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="The Postgres of the proxies; empty: the one in the data folder.")
    ] = None,
    log_level: Annotated[
        LogLevel | None, typer.Option(help="How much is logged. (default: info)", case_sensitive=False)
    ] = None,
) -> None:
    """Form memories, next to the proxies' own workers or in their place (RECOLLECT_WORKER=elsewhere).

    It has the proxies' database and settings. A client's own API key never leaves the proxy that it came to: where chats
    bring their own, RECOLLECT_EXTRACTION_API_KEY is what extracts here. The log says which database it works on.
    Ends with 2 if the settings make no sense, and with 3 if the database refuses it or lacks something.
    """
    from recollect.assembly import run_worker

    settings = settings_and_logging(
        no_upstream_for("worker"),
        log_level=log_level,
        upstream=upstream,
        data_dir=data_dir,
        database_url=database_url,
    )
    if settings.in_memory:
        typer.echo("A database in memory is its proxy's alone: there is nothing to form elsewhere.", err=True)
        raise typer.Exit(2)
    log.info("worker_database_selected", database=database_shown(settings))
    try:
        asyncio.run(_until_told(run_worker(settings.for_engine, upstream=settings.upstream_api)))
    except UnfitDatabaseError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(_CANNOT_START) from None


async def _until_told(work: Coroutine[Any, Any, None]) -> None:
    """Work until a signal says that it is enough."""
    working = asyncio.ensure_future(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, working.cancel)
    await asyncio.wait({working})
    if not working.cancelled():
        working.result()
