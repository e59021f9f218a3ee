"""The command line: every command of `recollect`; docs/reference/commands.md lists them.

A command imports its modules when it runs, so that `recollect --help` and a mistyped option answer at once.
"""

import inspect
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from recollect import __version__
from recollect_proxy.commands.config import as_variable, config, grouped_fields
from recollect_proxy.commands.key import key
from recollect_proxy.commands.mcp import mcp
from recollect_proxy.commands.serve import serve, worker
from recollect_proxy.commands.try_model import try_model
from recollect_proxy.doctor.doctor_command import doctor
from recollect_proxy.importers.import_command import import_
from recollect_proxy.store_commands.audit_store_command import audit_store
from recollect_proxy.store_commands.backlog_commands import backfill, reembed, reindex
from recollect_proxy.store_commands.memories_commands import chats_app, memories_app
from recollect_proxy.store_commands.projects_commands import projects_app, teams_app
from recollect_proxy.store_commands.users_and_upkeep_commands import (
    erase,
    export,
    migrate,
    report,
    retry,
    usage,
    users,
)


def _settings_help() -> str:
    def line(name: str, field: FieldInfo) -> str:
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        shown = as_variable(default)
        ending = f" (default: {shown})" if shown else ""  # rich takes [...] for markup
        return f"RECOLLECT_{name.upper()}: {field.description}{ending}"

    groups = [
        "\n\n".join([f"{title}:", *(line(name, field) for name, field in fields)])
        for title, fields in grouped_fields()
    ]
    return "\n\n".join(["Settings (environment variables; options win over them).", *groups])


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
    """Take the options before the command; typer shows the help of `app`, not this."""


for each in (
    *(report, usage, doctor, worker, config, key, migrate, users, export),
    *(backfill, reembed, audit_store, reindex, retry, erase, mcp),
):
    app.command()(each)
app.command("try-model", no_args_is_help=True)(try_model)
app.command("import", no_args_is_help=True)(import_)
for name, below in (
    ("memories", memories_app),
    ("chats", chats_app),
    ("projects", projects_app),
    ("teams", teams_app),
):
    app.add_typer(below, name=name)
app.command(epilog=_settings_help())(serve)
for command in app.registered_commands:
    # Typer would keep the line breaks of a docstring, however wide the terminal is.
    paragraphs = (inspect.getdoc(command.callback) or "").split("\n\n")
    command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
