"""Prints a command's result: one JSON document, or a table and lines that hold nothing that a terminal would obey."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import typer

from recollect.model.local_time import server_zone, wall

_WIDE = 110
"""Columns of a terminal that has room for an id in one line, and for text next to it."""

_LONGEST_ID = 40


class Table(NamedTuple):
    """Rows under the names of their columns."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Output:
    """The result of a command.

    Attributes:
        document: Its JSON.
        text: The same for a person.
        note: A line on stderr.
        failed: Whether the command exits with 1.
    """

    document: object
    text: Table | Sequence[str]
    note: str | None = None
    failed: bool = False


def print_output(output: Output, *, as_json: bool) -> None:
    """Print the result of a command, as JSON or for a person; exit with 1 if it has failed."""
    if as_json:
        print_json(output.document)
    elif isinstance(output.text, Table):
        print_table(*output.text)
    else:
        for line in output.text:
            typer.echo(line)
    if output.note is not None:
        typer.echo(output.note, err=True)
    if output.failed:
        raise typer.Exit(1)


def print_json(document: object) -> None:
    """Print one JSON document, with control characters as escapes (RFC 8259, section 7)."""
    written = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    typer.echo(
        "".join(
            letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1]
            for letter in written
        )
    )


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under the names of their columns; to a pipe without a frame. Nothing is cut, and an id takes one line.

    A terminal that is too narrow for that gets each row as a paragraph.
    """
    from rich.console import Console  # noqa: PLC0415 -- most commands print no table

    console, listed = Console(), [*rows]
    if not console.is_terminal:
        for row in listed:
            typer.echo("\t".join(_line(each) for each in row))
    elif not listed:
        console.print("There is nothing to list.")
    elif console.width < _WIDE or any(len(_cell(row[0])) > _LONGEST_ID for row in listed):
        for row in listed:
            _print_paragraph(columns, row)
    else:
        console.print(_framed(columns, listed))


def _framed(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Any:
    """Return rich's table."""
    from rich import box  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(
        *(
            Column(name, overflow="fold", no_wrap=isinstance(cell, UUID))
            for name, cell in zip(columns, rows[0], strict=True)
        ),
        box=box.SIMPLE_HEAD,
    )
    for row in rows:
        table.add_row(*(Text(_line(each, kept="\n")) for each in row))
    return table


def _print_paragraph(columns: Sequence[str], row: Sequence[object]) -> None:
    """Print a row's id on a line of its own, and below it the other columns by name."""
    typer.echo(on_a_terminal(_cell(row[0])))
    for name, value in zip(columns[1:], row[1:], strict=True):
        if line := _line(value):
            typer.echo(f"    {name}: {line}")


def on_a_terminal(text: str) -> str:
    """Return a text with control and invisible characters as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{wall(value, server_zone()):%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)


def _line(value: object, kept: str = "") -> str:
    """Return a value without control characters and separators, but for those ``kept``; by default one line."""
    return "".join(letter if letter.isprintable() or letter in kept else " " for letter in _cell(value))
