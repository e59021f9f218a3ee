"""Writes one user's data as one JSON document, piece by piece; restores such a document: checks each row, and passes the rows to the store.

It never holds more than one piece in memory, and does not know how the store keeps a row.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import msgspec

from recollect.engine import Engine
from recollect.model import YEARS, Source, project_name, project_scope
from recollect_proxy.takeout.export_format import FORMAT, NOT_IMPORTED, ROWS, VERSION
from recollect_proxy.takeout.large_json import FileError, JsonFile, content_of, decoded, split_lists

_WRITING = asyncio.Semaphore(2)
_PIECE = 1 << 18


async def export_document(engine: Engine, user_id: str, *, at: datetime) -> AsyncGenerator[bytes, None]:
    """Yield the document, as UTF-8, one row per line.

    Args:
        engine: The engine of the store. The export of an unknown user is empty.
        user_id: The user.
        at: The current time.

    Raises:
        StoreError: The store failed; before the first piece, if it can't be reached.
    """
    head = {"format": FORMAT, "version": VERSION, "exported_at": at, "user_id": user_id}
    piece = bytearray(msgspec.json.encode(head)[:-1])
    sections, begun = [*ROWS], 0

    def up_to(section: str) -> bytes:
        """Return the JSON that closes the open section and opens those up to ``section``; sections without rows are empty lists."""
        nonlocal begun
        new = sections[begun : sections.index(section) + 1]
        ends = "\n]" if begun and new else ""
        begun += len(new)
        return (ends + "\n]".join(f',\n"{name}": [' for name in new)).encode()

    async for section, row in engine.export(user_id):
        begins = up_to(section)
        piece += begins + (b"\n" if begins else b",\n") + row.encode()
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece + up_to(sections[-1]) + b"\n]}\n")


async def written_export(engine: Engine, user_id: str, *, at: datetime) -> AsyncGenerator[bytes, None]:
    """Return the document's pieces, from a temporary file that holds all of it.

    So a slow reader holds no connection to the database. Two documents are written at a time.

    Raises:
        StoreError: The store failed; nothing was returned then.
    """
    async with _WRITING:
        file = await asyncio.to_thread(TemporaryFile)
        try:
            async for piece in export_document(engine, user_id, at=at):
                await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(file.seek, 0)
        except BaseException:
            file.close()
            raise
    return _pieces(file)


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes, None]:
    with file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


_ROWS_AT_ONCE = 200
_BYTES_AT_ONCE = 8 * 1024 * 1024
_DEEPEST = 200


@dataclass(slots=True)
class Restored:
    """The result of restoring an export: counts by section.

    Attributes:
        new: Rows that were not there.
        there: Rows that the store has already, or another one in their place.
        ignored: Rows of sections that no import restores.
    """

    new: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)

    def document(self) -> dict[str, Counter[str]]:
        """Return the counts for JSON output."""
        return {"new": self.new, "there": self.there, "ignored": self.ignored}

    def lines(self, *, dry_run: bool) -> Iterator[str]:
        """Yield the lines of the summary."""
        if dry_run:
            yield "Dry run: nothing was written. This is in the file:"
        for section, count in self.new.items():
            yield f"{section}: {count} " + (
                "rows" if dry_run else f"new, {self.there[section]} there already"
            )
        for section, count in self.ignored.items():
            if count:
                yield f"{section}: {count} ignored: they can't be brought back"


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
        user_id: The user who will own the rows, even if the file is another user's export.
        began: Called with the number of rows.
        advance: Called with the number of further rows that are done.

    Raises:
        FileError: It can't be read, or a row is invalid; nothing was stored.
        StoreError: The store failed. Stored rows stay, and a second run adds the rest.
    """
    export = await asyncio.to_thread(_checked_export, path)
    began(sum(map(len, export.lists.values())))
    restored, scopes = Restored(), {user_id: None}
    for section in ROWS:
        if section in NOT_IMPORTED:
            restored.ignored[section] += len(export.lists[section])
            advance(len(export.lists[section]))
            continue
        batches = _batches(export, section)
        while found := await asyncio.to_thread(next, batches, None):
            project, batch = found
            scopes[scope := project_scope(user_id, project)] = None
            new = len(batch) if engine is None else await engine.restore(scope, section, batch)
            restored.new[section] += new
            restored.there[section] += len(batch) - new
            advance(len(batch))
    if engine is not None:
        for each in scopes:
            await engine.restored(each)
    return restored


def _checked_export(path: Path) -> JsonFile:
    """Open an export, and check each of its rows."""
    export = split_lists(path)
    head = {name: decoded(export.values[name]) for name in ("format", "version") if name in export.values}
    if head.get("format") != FORMAT:
        raise FileError('This is no export of Recollect: "format" is not "recollect-export".')
    if head.get("version") != VERSION:
        raise FileError(f"This export is of another version than {VERSION}: a newer Recollect wrote it.")
    for section in ROWS:
        if section in export.values:
            raise FileError(f'"{section}" of this export is no list.')
        if section not in export.lists:
            raise FileError(f'This export is not whole: "{section}" is missing.')
        for _ in _rows(export, section):
            pass
    return JsonFile({section: export.lists[section] for section in ROWS})


def _batches(export: JsonFile, section: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield batches of rows, each of one project; "" is the user's own memory."""
    batch: list[Mapping[str, Any]] = []
    size, project = 0, ""
    for row, length in _rows(export, section):
        of = row.pop("project", "")
        if batch and (of != project or len(batch) >= _ROWS_AT_ONCE or size >= _BYTES_AT_ONCE):
            yield project, batch
            batch, size = [], 0
        project = of
        batch.append(row)
        size += length
    if batch:
        yield project, batch


def _rows(export: JsonFile, section: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each row of a section, checked, with its length in bytes."""
    for number, item in enumerate(export.lists[section], start=1):
        content = content_of(item)
        try:
            row = msgspec.json.decode(content, type=ROWS[section])
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OverflowError) as error:
            # Only the place of the error is quoted: the value there may be the words of a person.
            where = str(error).rpartition(" - at ")[2] if isinstance(error, msgspec.ValidationError) else ""
            place = f", at {where}" if where.startswith("`$") else ""
            raise FileError(f"Row {number} of {section} is not what it must be{place}.") from None
        document = msgspec.to_builtins(row)
        if complaint := _complaint(row, document, content):
            raise FileError(f"Row {number} of {section} {complaint}.")
        yield document, len(content)


def _complaint(row: msgspec.Struct, document: Mapping[str, Any], content: bytes) -> str:
    """Return why the store can't keep a row of the right type; "" if it can."""
    if document.get("source") == Source.GLOBAL:
        return "is nobody's own: it serves everybody"
    if any(isinstance(each, datetime) and each.year not in YEARS for each in msgspec.structs.astuple(row)):
        return f"holds a time outside the years {YEARS[0]} to {YEARS[-1]}"
    project = document.get("project", document.get("name"))
    if project and project_name(project) != project:
        return "names a project in a form in which no request can name it"
    if b"\\u0000" not in content and content.count(b"[") + content.count(b"{") <= _DEEPEST:
        return ""
    level: list[Any] = [document]
    for _ in range(_DEEPEST):
        if any(isinstance(value, str) and "\0" in value for value in level):
            return "holds a NUL, which can't be kept"
        level = [inner for value in level for inner in _values_in(value)]
    return f"is nested more than {_DEEPEST} deep" if level else ""


def _values_in(value: object) -> list[Any]:
    """Return the values in a JSON object or list, and an object's names; [] for any other value."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []
