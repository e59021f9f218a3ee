"""Restores an export: checks each row, and has the store keep it. Never: a connection, how a row is stored."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from recollect.engine import Engine
from recollect.model import Source
from recollect_proxy.takeout.json_items import FileError, Items, find_items
from recollect_proxy.takeout.rows import FORMAT, NOT_IMPORTED, ROWS, VERSION

_ROWS_AT_ONCE = 200
_BYTES_AT_ONCE = 8 * 1024 * 1024


@dataclass(slots=True)
class Restored:
    """The result of restoring an export: counts by section.

    Attributes:
        new: Rows that were not there.
        there: Rows that were there and stay as they are, or that another row of the store replaces.
        ignored: Rows that can't be restored.
    """

    new: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)


def open_export(path: Path) -> Items:
    """Return the items of an export.

    Raises:
        FileError: It can't be read, is none, or of a version that is not known here.
    """
    items = find_items(path)
    if items.value("format") != FORMAT:
        raise FileError('This is no export of Recollect: "format" is not "recollect-export".')
    if items.value("version") != VERSION:
        raise FileError(f"This export is of another version than {VERSION}: a newer Recollect wrote it.")
    for name in ROWS:
        if name not in items.lists and name not in items.values:
            raise FileError(f'This export is not whole: "{name}" is missing.')
        if name in items.values:
            raise FileError(f'"{name}" of this export is no list.')
    return items


async def restore_file(
    engine: Engine | None,
    path: Path,
    user_id: str,
    *,
    began: Callable[[int], None] = lambda _count: None,
    advance: Callable[[int], None] = lambda _count: None,
) -> Restored:
    """Store the rows of an export for a user; rows that exist stay. Every row is checked before the first is stored.

    Args:
        engine: The engine to store with; None: only check.
        path: The file.
        user_id: The user who owns the rows from now on, also if another user's were exported.
        began: Called with the number of rows.
        advance: Called with the number of further rows that are done.

    Raises:
        FileError: It can't be read, or a row is invalid; nothing was stored.
        StoreError: The store failed. Stored rows stay, and a second run adds the rest.
    """
    items = await asyncio.to_thread(open_export, path)
    await asyncio.to_thread(_check, items)
    began(sum(items.count(name) for name in ROWS))
    restored = Restored()
    for section in ROWS:
        if section in NOT_IMPORTED:
            restored.ignored[section] += items.count(section)
            advance(items.count(section))
            continue
        batches = _batches(items, section)
        while batch := await asyncio.to_thread(next, batches, None):
            new = 0 if engine is None else await engine.restore(user_id, section, batch)
            restored.new[section] += new if engine is not None else len(batch)
            restored.there[section] += len(batch) - new if engine is not None else 0
            advance(len(batch))
    if engine is not None:
        await engine.restored(user_id)
    return restored


def _check(items: Items) -> None:
    for section in ROWS:
        for _ in _rows(items, section):
            pass


def _batches(items: Items, section: str) -> Iterator[list[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    size = 0
    for row, length in _rows(items, section):
        batch.append(row)
        size += length
        if len(batch) >= _ROWS_AT_ONCE or size >= _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _rows(items: Items, section: str) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield each row of a section, checked, with its length in bytes."""
    for number, raw in enumerate(items.raw(section), start=1):
        try:
            row = msgspec.json.decode(raw, type=ROWS[section])
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OverflowError) as error:
            # Only where it is wrong is told: what stands there may be anybody's words.
            where = str(error).rpartition(" - at ")[2] if isinstance(error, msgspec.ValidationError) else ""
            place = f", at {where}" if where.startswith("`$") else ""
            raise FileError(f"Row {number} of {section} is not what it must be{place}.") from None
        document = msgspec.to_builtins(row)
        if document.get("source") == Source.GLOBAL:
            raise FileError(f"Row {number} of {section} is nobody's own: it serves everybody.")
        if b"\\u0000" in raw and _holds_nul(document):
            raise FileError(f"Row {number} of {section} holds a NUL, which can't be kept.")
        yield document, len(raw)


def _holds_nul(value: object) -> bool:
    """Tell whether a text in a JSON value holds what no column can."""
    if isinstance(value, dict):
        return any(map(_holds_nul, (*value.keys(), *value.values())))
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value
