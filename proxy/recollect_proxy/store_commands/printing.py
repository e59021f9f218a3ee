"""Prints a command's result: one JSON document, or a table and lines that hold nothing that a terminal would obey."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec
import typer
from rich.cells import cell_len

from recollect.model.local_time import server_zone, wall

_SHORT_ID = 8
"""The least characters of an id that a table shows."""

_TEXT_COLUMNS = 24
"""The least room next to the other columns in which a text is worth wrapping; with less it goes below them."""


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
    last column is wrapped, or goes below its row. No other value is cut: if they take more, a row becomes a paragraph.
    """
    from rich.console import Console  # noqa: PLC0415 -- most commands print no table

    console, listed = Console(), [*rows]
    if not console.is_terminal:
        for row in listed:
            typer.echo("\t".join(_line(each) for each in row))
    elif not listed:
        console.print("There is nothing to list.")
    else:
        for line in _lines(columns, _with_short_ids(listed), console.width):
            typer.echo(line)


def _with_short_ids(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Return the rows with ids of version 7 by their ends: their beginnings are the time, and much alike."""
    ids = {each for row in rows for each in row if isinstance(each, UUID)}
    length = next(
        count for count in range(_SHORT_ID, 33) if len({each.hex[-count:] for each in ids}) == len(ids)
    )
    return [[each.hex[-length:] if isinstance(each, UUID) else each for each in row] for row in rows]


def _lines(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> Iterator[str]:
    """Yield the lines of a table, in the widest layout that fits."""
    cells = [[*columns], *([_line(each) for each in row] for row in rows)]
    numeric = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]
    widths = [max(cell_len(row[at]) for row in cells) for at in range(len(columns))]
    for gap in (2, 1):
        *before, last = widths
        room = width - sum(before) - gap * len(before)
        if last <= room:
            yield from (_aligned(row, widths, numeric, gap) for row in cells)
            return
        if room >= 0 and any(isinstance(row[-1], str) for row in rows):
            yield from _with_text(cells, [*before, room], numeric, gap)
            return
    yield from _paragraphs(cells, width)


def _with_text(
    cells: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool], gap: int
) -> Iterator[str]:
    """Yield rows whose last column is wrapped in its room; with too little room the text follows its row, indented."""
    *before, room = widths
    if room >= _TEXT_COLUMNS:
        indent = " " * (sum(before) + gap * len(before))
        for row in cells:
            first, *others = _wrapped(row[-1], room) or [""]
            yield _aligned([*row[:-1], first], widths, numeric, gap)
            yield from (indent + each for each in others)
        return
    head, *rows = cells
    yield _aligned(head[:-1], before, numeric, gap)
    for row in rows:
        yield _aligned(row[:-1], before, numeric, gap)
        yield from (
            "    " + each for each in _wrapped(row[-1], sum(before) + gap * len(before) + room - 4) if each
        )


def _paragraphs(cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield each row as a line with its first value, and below it the others by name."""
    (_, *names), *rows = cells
    for first, *values in rows:
        yield first
        others = ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True) if value)
        yield from ("    " + each for each in _wrapped(others, max(width - 4, 1)))


def _aligned(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool], gap: int) -> str:
    """Return a row with its values in columns, numbers at the right."""
    padded = (
        " " * (width - cell_len(cell)) + cell if at_right else cell + " " * (width - cell_len(cell))
        for cell, width, at_right in zip(row, widths, numeric, strict=False)
    )
    return (" " * gap).join(padded).rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of ``width`` columns, broken at spaces where that is possible."""
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width, overflow="fold")]


def on_a_terminal(text: str) -> str:
    """Return a text with control and invisible characters as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{wall(value, server_zone()):%Y-%m-%d %H:%M}"
    return "" if value is None else str(value)


def _line(value: object) -> str:
    """Return a value in one line, without control characters and separators."""
    return "".join(letter if letter.isprintable() else " " for letter in _cell(value))
