"""The command line: `recollect serve`, `worker`, `key`, `calibrate`, `import`, `doctor`, `config`.

A command imports what it needs when it runs, so that `recollect --help` and a mistyped option answer at once. Never: what the commands do.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer
from pydantic.fields import FieldInfo

from recollect.errors import RecollectError
from recollect.settings import NOWHERE, is_setting
from recollect_proxy.calibrate import calibrate
from recollect_proxy.command_settings import UNUSED_UPSTREAM, read_settings, settings_of_start
from recollect_proxy.config_command import config
from recollect_proxy.openwebui.doctor_command import doctor
from recollect_proxy.openwebui.import_command import import_app
from recollect_proxy.settings import ProxySettings
from recollect_proxy.worker_command import worker

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]


def _settings_help() -> str:
    def line(name: str, field: FieldInfo) -> str:
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        told = "" if default is None else f" (default: {default})"  # rich takes [...] for markup
        return f"RECOLLECT_{name.upper()}: {field.description}{told}"

    lines = [line(name, field) for name, field in ProxySettings.model_fields.items() if is_setting(field)]
    return "Settings (environment variables; options win over them):\n\n" + "\n\n".join(lines)


app = typer.Typer(
    name="recollect",
    help="Long-term memory for any chat frontend: a transparent proxy before any OpenAI-compatible LLM.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command()(calibrate)
app.command()(doctor)
app.command()(worker)
app.command()(config)
app.add_typer(import_app, name="import")


@app.command(epilog=_settings_help())
def serve(
    upstream: Annotated[
        str | None, typer.Option(help="Base URL of the LLM, as http://127.0.0.1:11434/v1.", metavar="URL")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to serve on. (default: 127.0.0.1)")] = None,
    port: Annotated[int | None, typer.Option(help="Port to serve on. (default: 8787)")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of database and caches, or :memory:.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one, or memory:.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")] = None,
    extraction_model: Annotated[
        str | None, typer.Option(help="The model that extracts memories. (default: the chat's)")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(help="How much is logged.", envvar="RECOLLECT_LOG_LEVEL")
    ] = "info",
) -> None:
    """Serve the proxy. Every option is a setting too: see below."""
    from recollect.logs import configure_logging

    configure_logging(log_level)
    settings = settings_of_start(
        upstream=upstream,
        host=host,
        port=port,
        data_dir=data_dir,
        database_url=database_url,
        embedder=embedder,
        extraction_model=extraction_model,
    )
    _run_server(settings)


def _run_server(settings: ProxySettings) -> None:
    """Serve until the process is told to stop."""
    import uvloop

    from recollect_proxy.admin_token import admin_token
    from recollect_proxy.app import App
    from recollect_proxy.banner import banner
    from recollect_proxy.server import Server

    try:
        token = admin_token(settings)
    except OSError as error:
        typer.echo(f"RECOLLECT_DATA_DIR: {settings.data_dir} can't be used: {error.strerror}", err=True)
        raise typer.Exit(2) from None
    application = App(settings, admin_token=token.value)

    def ready(bound: int) -> None:
        print(banner(settings, application, bound, token), flush=True)  # noqa: T201 -- for the person who started us
        token.was_shown()

    uvloop.run(Server(application, settings, ready=ready).serve())  # exits with 3 if it can't start


@app.command()
def key(
    user: Annotated[str, typer.Argument(help="The user's id, as the memory API knows it.")],
    file: Annotated[
        Path | None, typer.Option(help="The file of keys; by itself, api-keys of the data folder.")
    ] = None,
) -> None:
    """Make an API key for a user: printed once, kept as a hash. A server reads the file at its start."""
    from recollect_proxy.identity import add_key

    if file is None:
        settings = read_settings(upstream=UNUSED_UPSTREAM)
        if settings.data_dir == NOWHERE:
            raise typer.BadParameter("a data folder that keeps nothing keeps no key", param_hint="--file")
        file = settings.api_key_file
        file.parent.mkdir(parents=True, exist_ok=True)
    typer.echo(add_key(file, user))


def main() -> None:
    """Run the command line."""
    try:
        app()
    except RecollectError as error:
        sys.exit(f"{error}")
