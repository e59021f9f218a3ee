"""The common parts of commands over the store: options, opening, printing and ending.

Never: what a command does.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar
from uuid import UUID

import msgspec
import typer

from recollect.errors import RecollectError
from recollect.model.local_time import server_zone, wall
from recollect_proxy.settings.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.settings.proxy_settings import ProxySettings

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from rich.progress import Progress

    from recollect.engine import Engine

FAILED, MISUSED = 1, 2
"""Exit codes: it could not be done; it was asked for wrongly."""

_WIDE = 110
"""Columns of a terminal that has room for an id in one line, and for text next to it."""

DataDir = Annotated[Path | None, typer.Option(help="Folder of the database and the caches.")]
DatabaseUrl = Annotated[
    str | None, typer.Option(help="A Postgres with pgvector instead of the embedded one.")
]
_LONGEST_ID = 40

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, and nothing else, to stdout.")]
User = Annotated[str, typer.Argument(help="The user's id, as the frontend sends it.")]
Users = Annotated[
    list[str] | None,
    typer.Option("--user", help="Only of the user with this id; may be repeated.", metavar="ID"),
]
Embedder = Annotated[str | None, typer.Option(help="local:MODEL, local:/path or openai:MODEL.")]
Upstream = Annotated[str | None, typer.Option(help="Base URL of the LLM, where it extracts.", metavar="URL")]
ExtractionModel = Annotated[
    str | None, typer.Option(help="The model that extracts memories. (default: the chat's)")
]

_Result = TypeVar("_Result")


def settings_of(data_dir: Path | None, database_url: str | None, **options: Any) -> ProxySettings:
    """Return the settings of a command; nothing but errors is logged from here on."""
    from recollect.logs import configure_logging

    configure_logging("error")
    return read_settings(upstream=UNUSED_UPSTREAM, data_dir=data_dir, database_url=database_url, **options)


def with_engine(
    settings: ProxySettings, work: "Callable[[Engine], Awaitable[_Result]]", *, embeds: bool = False
) -> _Result:
    """Open the store, and return the result of the work there.

    Exits with ``FAILED`` and a line on stderr if it fails.
    """
    from recollect.assembly import open_administration

    async def opened() -> _Result:
        async with open_administration(settings, embeds=embeds) as engine:
            return await work(engine)

    return run(opened())


def run(work: "Coroutine[Any, Any, _Result]") -> _Result:
    """Return the result of ``work``; exit with ``FAILED`` and a line on stderr if it fails."""
    from recollect_proxy.serving.ephemeral_server import run_to_the_end

    try:
        return run_to_the_end(work)
    except RecollectError as error:
        fail(str(error))


def progress_display() -> "Progress":
    """Return a progress display on stderr; on anything but a terminal it shows nothing."""
    from rich.console import Console
    from rich.progress import Progress

    errors = Console(stderr=True)
    return Progress(console=errors, transient=True, disable=not errors.is_terminal)


def fail(why: str, code: int = FAILED) -> NoReturn:
    """Say why on stderr, and exit."""
    typer.echo(why, err=True)
    raise typer.Exit(code)


def user_named(given: str) -> str:
    """Return the id of a user; exit with ``MISUSED`` if it can be none."""
    from recollect_proxy.identity import opaque_id

    user = opaque_id(given)
    if user is None:
        fail(
            "A user's id has 1 to 256 characters, without NUL, is not `*`, and no template as `{{USER_ID}}`.",
            MISUSED,
        )
    return user


def uuid_named(given: str) -> UUID:
    """Return the id of a memory or a change; exit with ``MISUSED`` if it is none."""
    with suppress(ValueError):
        return UUID(given)
    fail("Not an id: it has to be a UUID, as the lists show it.", MISUSED)


def print_json(document: object) -> None:
    """Print one JSON document, with control characters as escapes (RFC 8259, section 7)."""
    written = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    typer.echo("".join(_escaped(letter) for letter in written))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under the names of their columns; to a pipe without a frame. Nothing is cut, and an id takes one line.

    A terminal that is too narrow for that gets each row as a paragraph.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table

    console = Console()
    if not console.is_terminal:
        for row in rows:
            typer.echo("\t".join(_line(each) for each in row))
        return
    listed = [*rows]
    if not listed:
        console.print("There is nothing to list.")
        return
    if console.width < _WIDE or any(len(_cell(row[0])) > _LONGEST_ID for row in listed):
        for row in listed:
            _print_paragraph(columns, row)
        return
    table = Table(
        *(
            Column(name, overflow="fold", no_wrap=isinstance(cell, UUID))
            for name, cell in zip(columns, listed[0], strict=True)
        ),
        box=box.SIMPLE_HEAD,
    )
    for row in listed:
        table.add_row(*(_markup_free(_cell(each)) for each in row))
    console.print(table)


def _print_paragraph(columns: Sequence[str], row: Sequence[object]) -> None:
    """Print a row's id in a line of its own, and below it what else there is, by name."""
    typer.echo(on_a_terminal(_cell(row[0])))
    for name, value in zip(columns[1:], row[1:], strict=True):
        if told := _line(value):
            typer.echo(f"    {name}: {told}")


def on_a_terminal(text: str) -> str:
    """Return a text with control and invisible characters as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{wall(value, server_zone()):%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)


def _line(value: object) -> str:
    """Return a value in one line, without control characters and separators."""
    return "".join(letter if letter.isprintable() else " " for letter in _cell(value))


def _markup_free(text: str) -> Any:
    from rich.text import Text

    return Text("".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text))
