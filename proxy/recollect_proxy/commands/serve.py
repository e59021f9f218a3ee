"""`recollect serve` and `recollect worker`, which run until a signal stops them."""

import asyncio
import signal
import sys
from asyncio import Task, get_running_loop
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import structlog
import typer

from recollect.errors import UnfitDatabaseError
from recollect.settings.engine_settings import NOWHERE
from recollect_proxy.settings.command_settings import database_shown, no_upstream_for, settings_and_logging
from recollect_proxy.settings.proxy_settings import LogLevel, ProxySettings

if TYPE_CHECKING:
    from recollect_proxy.settings.admin_token import AdminToken

_SWITCH_SECONDS = 0.0005
"""How long a thread that computes keeps the interpreter from the event loop, which needs it again after each wait; Python's 5 ms
would be added to each answer of the database."""

_CANNOT_START = 3
"""The exit code of uvicorn if an application does not start: a service manager then tries again."""


def serve_app() -> typer.Typer:
    """Return the command line with this one command."""
    app = typer.Typer(name="recollect", add_completion=False, pretty_exceptions_enable=False)
    app.callback()(_of_this_command)
    app.command()(serve)
    return app


def _of_this_command() -> None:
    """Let the command be named though it is the only one."""


_LogLevel: TypeAlias = Annotated[
    LogLevel | None, typer.Option(help="How much is logged. (default: info)", case_sensitive=False)
]


def serve(
    upstream: Annotated[
        str | None, typer.Option(help="Base URL of the LLM, as http://127.0.0.1:11434/v1.", metavar="URL")
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to serve on. (default: 127.0.0.1)", metavar="ADDRESS")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to serve on. (default: 8787)", metavar="N")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of database and caches, or :memory:.", metavar="FOLDER")
    ] = None,
    database_url: Annotated[
        str | None,
        typer.Option(help="A Postgres with pgvector instead of the embedded one, or memory:.", metavar="URL"),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Of the log: local:multilingual-e5-small, openai:MODEL or mistral:MODEL.", metavar="NAME"
        ),
    ] = None,
    extraction_model: Annotated[
        str | None,
        typer.Option(help="The model that extracts memories. (default: the chat's)", metavar="NAME"),
    ] = None,
    log_level: _LogLevel = None,
) -> None:
    """Serve the proxy. Every option is a setting too: see below."""
    _run_server(
        settings_and_logging(
            log_level=log_level,
            upstream=upstream,
            host=host,
            port=port,
            data_dir=data_dir,
            database_url=database_url,
            embedder=embedder,
            extraction_model=extraction_model,
        )
    )


def _run_server(settings: ProxySettings) -> None:
    """Serve until a signal stops the process."""
    from recollect_proxy.serving.server import why_not_free

    if (reason := why_not_free(settings.host, settings.port)) is not None:
        typer.echo(reason, err=True)
        raise typer.Exit(_CANNOT_START)
    import uvloop

    from recollect.runtime.memory_allocator import give_memory_back
    from recollect_proxy.app import App
    from recollect_proxy.commands.banner import banner
    from recollect_proxy.serving.server import Server
    from recollect_proxy.upstream.upstream import tell_of_upstream

    give_memory_back()
    sys.setswitchinterval(_SWITCH_SECONDS)
    token = _token_of(settings)
    application = App(settings, admin_token=token.value)

    looking: list[Task[None]] = []  # which the loop itself holds but weakly, and ends with itself

    def ready(bound: int) -> None:
        print(banner(settings, application, bound, token), flush=True)  # noqa: T201 -- for the person who started us
        token.was_shown()
        check = tell_of_upstream(application.upstream, settings.upstream, settings.path_of_api)
        looking.append(get_running_loop().create_task(check))

    server = Server(application, settings, ready=ready)
    uvloop.run(server.serve())  # exits with 3 if it can't start
    if server.was_interrupted:
        typer.echo("Stopped.")


def _token_of(settings: ProxySettings) -> "AdminToken":
    """Return the admin token; a first start makes the data folder for it, and names that before."""
    from recollect_proxy.settings.admin_token import admin_token

    if settings.data_dir != NOWHERE and not settings.data_dir.exists():
        typer.echo(f"First start: makes the data folder {settings.data_dir} (--data-dir names another).")
    try:
        return admin_token(settings)
    except OSError as error:
        typer.echo(f"RECOLLECT_DATA_DIR: {settings.data_dir} can't be used: {error.strerror}", err=True)
        raise typer.Exit(2) from None


log = structlog.get_logger(__name__)


def worker(
    upstream: Annotated[
        str | None, typer.Option(help="Base URL of the LLM, where it extracts.", metavar="URL")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of database and caches.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="The Postgres of the proxies; empty: the one in the data folder.")
    ] = None,
    log_level: _LogLevel = None,
) -> None:
    """Form memories, next to the proxies' own workers or in their place (RECOLLECT_WORKER=elsewhere).

    It has the proxies' database and settings. A client's own API key never leaves the proxy that it came to: where chats
    bring their own, RECOLLECT_EXTRACTION_API_KEY is what extracts here. The log says which database it works on.
    Ends with 2 if the settings make no sense, and with 3 if the database refuses it or lacks something.
    """
    from recollect.assembly.lifecycle import run_worker

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
