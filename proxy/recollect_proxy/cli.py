"""The command line: every command of `recollect`; docs/commands.md lists them.

A command imports what it needs when it runs, so that `recollect --help` and a mistyped option answer at once. Never: what the commands do.
"""

import signal
import sys
from asyncio import Task, get_running_loop
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer
from pydantic.fields import FieldInfo

from recollect import __version__
from recollect.errors import ConfigurationError, RecollectError
from recollect.settings import is_setting
from recollect_proxy.calibrate import calibrate
from recollect_proxy.command_settings import settings_of_start
from recollect_proxy.config_command import as_variable, config
from recollect_proxy.importers.import_commands import import_app
from recollect_proxy.key_command import key
from recollect_proxy.mcp_command import mcp
from recollect_proxy.openwebui import import_command as _of_openwebui  # noqa: F401 -- it adds its command
from recollect_proxy.openwebui.doctor_command import doctor
from recollect_proxy.prepare_command import prepare
from recollect_proxy.report_command import report
from recollect_proxy.settings import ProxySettings
from recollect_proxy.store_commands.audit_command import audit_store
from recollect_proxy.store_commands.backfill_command import backfill
from recollect_proxy.store_commands.export_command import export
from recollect_proxy.store_commands.memories_commands import memories_app
from recollect_proxy.store_commands.reembed_command import reembed
from recollect_proxy.store_commands.reindex_command import reindex
from recollect_proxy.store_commands.sessions_commands import sessions_app
from recollect_proxy.store_commands.upkeep_commands import erase, migrate, users
from recollect_proxy.worker_command import worker

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


def _settings_help() -> str:
    def line(name: str, field: FieldInfo) -> str:
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        shown = as_variable(default)
        told = f" (default: {shown})" if shown else ""  # rich takes [...] for markup
        return f"RECOLLECT_{name.upper()}: {field.description}{told}"

    lines = [line(name, field) for name, field in ProxySettings.model_fields.items() if is_setting(field)]
    return "Settings (environment variables; options win over them):\n\n" + "\n\n".join(lines)


_CANNOT_START = 3
"""As uvicorn ends where an application does not start."""

_MISTAKEN = 2
"""As typer ends where the options make no sense; a service manager does not start us again then."""

_STOPPED = 128 + signal.SIGINT
"""What a shell makes of a program that Ctrl-C ended, and typer of the exception."""

app = typer.Typer(
    name="recollect",
    help="Long-term memory for any chat frontend: a transparent proxy before any OpenAI-compatible LLM.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 -- typer calls it with the option's value
    if wanted:
        typer.echo(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def _of_every_command(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version, and end.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Take what stands before the command; typer shows the help of `app`, not this."""


app.command()(calibrate)
app.command()(report)
app.command()(doctor)
app.command()(worker)
app.command()(config)
app.command()(key)
app.command()(prepare)
app.command()(migrate)
app.command()(users)
app.command()(export)
app.command()(backfill)
app.command()(reembed)
app.command()(audit_store)
app.command()(reindex)
app.command()(erase)
app.add_typer(memories_app, name="memories")
app.add_typer(sessions_app, name="sessions")
app.command()(mcp)
app.add_typer(import_app, name="import")


@app.command(epilog=_settings_help())
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
        str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.", metavar="NAME")
    ] = None,
    extraction_model: Annotated[
        str | None,
        typer.Option(help="The model that extracts memories. (default: the chat's)", metavar="NAME"),
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(help="How much is logged.", envvar="RECOLLECT_LOG_LEVEL")
    ] = "info",
) -> None:
    """Serve the proxy. Every option is a setting too: see below."""
    from recollect.logs import configure_logging

    configure_logging(log_level)
    _run_server(
        settings_of_start(
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
    """Serve until the process is told to stop."""
    from recollect_proxy.free_port import why_not_free

    if (reason := why_not_free(settings.host, settings.port)) is not None:
        typer.echo(reason, err=True)
        raise typer.Exit(_CANNOT_START)
    import uvloop

    from recollect_proxy.admin_token import admin_token
    from recollect_proxy.app import App
    from recollect_proxy.banner import banner
    from recollect_proxy.server import Server
    from recollect_proxy.upstream_check import tell_of_upstream

    try:
        token = admin_token(settings)
    except OSError as error:
        typer.echo(f"RECOLLECT_DATA_DIR: {settings.data_dir} can't be used: {error.strerror}", err=True)
        raise typer.Exit(2) from None
    application = App(settings, admin_token=token.value)

    looking: list[Task[None]] = []  # which the loop itself holds but weakly, and ends with itself

    def ready(bound: int) -> None:
        print(banner(settings, application, bound, token), flush=True)  # noqa: T201 -- for the person who started us
        token.was_shown()
        looking.append(
            get_running_loop().create_task(tell_of_upstream(application.upstream, settings.upstream_api))
        )

    server = Server(application, settings, ready=ready)
    uvloop.run(server.serve())  # exits with 3 if it can't start
    if server.was_interrupted:
        typer.echo("Stopped.")


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ConfigurationError as error:
        typer.echo(str(error), err=True)
        sys.exit(_MISTAKEN)
    except RecollectError as error:
        sys.exit(f"{error}")
    except SystemExit as ending:
        if ending.code == _STOPPED:
            typer.echo("Stopped.", err=True)
        raise
