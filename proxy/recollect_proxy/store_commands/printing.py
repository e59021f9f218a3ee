"""Prints a command's result: one JSON document, or a table and lines that hold nothing that a terminal would obey."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
import typer

from recollect.model.local_time import server_zone, wall

_SHORT_ID = 8
"""The least characters of an id that a table shows."""

_GAP, _TEXT_COLUMNS = 2, 24
"""The room between columns, and the least in which a long text is worth wrapping."""


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
    """Print rows under the names of their columns; to a pipe as lines with tabs, and ids whole.

    On a terminal the table keeps to its width: an id is shown by its end, which tells it from the others, and a long text in the
    last column is wrapped. No other value is cut: if they take more, a row becomes a paragraph.
    """
    # Most commands print no table.
    from rich.cells import cell_len  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table as Layout  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console, listed = Console(), [*rows]
    if not console.is_terminal:
        for row in listed:
            typer.echo("\t".join(_line(each) for each in row))
        return
    if not listed:
        console.print("There is nothing to list.")
        return
    cells = [[_line(each) for each in row] for row in _with_short_ids(listed)]
    *before, last = (max(map(cell_len, column)) for column in zip(columns, *cells, strict=True))
    if sum(before) + _GAP * len(before) + min(last, _TEXT_COLUMNS) > console.width:
        for first, *values in cells:
            named = zip(columns[1:], values, strict=True)
            others = ", ".join(f"{name}: {value}" for name, value in named if value)
            console.print(Text(first, overflow="fold"), Padding(Text(others, overflow="fold"), (0, 0, 0, 4)))
        return
    layout = Layout(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="")
    for at, name in enumerate(columns):
        is_numeric = all(isinstance(row[at], int | float | None) for row in listed)
        is_whole = at < len(before)
        layout.add_column(name, justify="right" if is_numeric else "left", no_wrap=is_whole, overflow="fold")
    for each in cells:
        layout.add_row(*map(Text, each))
    console.print(layout)


def _with_short_ids(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return the rows with ids of version 7 by their ends: their beginnings are the time, and much alike."""
    ids = {each for row in rows for each in row if isinstance(each, UUID)}
    length = next(
        count for count in range(_SHORT_ID, 33) if len({each.hex[-count:] for each in ids}) == len(ids)
    )
    return [[each.hex[-length:] if isinstance(each, UUID) else each for each in row] for row in rows]


def on_a_terminal(text: str) -> str:
    """Return a text with control and invisible characters as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _line(value: object) -> str:
    """Return a value in one line, without control characters and separators."""
    if isinstance(value, datetime):
        value = f"{wall(value, server_zone()):%Y-%m-%d %H:%M}"
    return "".join(
        letter if letter.isprintable() else " " for letter in ("" if value is None else str(value))
    )
