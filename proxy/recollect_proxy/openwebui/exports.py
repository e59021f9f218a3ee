"""Reads a JSON file that OpenWebUI exported. Never: a database."""

import json
from codecs import BOM_UTF8
from collections.abc import Sequence
from pathlib import Path

import msgspec

from recollect_proxy.importers.rows import Row, SourceError

_LISTS = ("memories", "chats")

LARGEST_EXPORT = 1 << 30
"""The size limit of an export, in bytes. Parsed, it takes about two and a half times as much memory."""


def read_export(path: Path) -> list[Row]:
    """Return the objects of an export, in order. An item that is no object becomes a row with an ``id`` alone.

    Raises:
        SourceError: The file is too large, is not JSON, or holds neither memories nor chats.
    """
    try:
        if path.stat().st_size > LARGEST_EXPORT:
            raise SourceError(
                f"{path} is larger than {LARGEST_EXPORT >> 30} GiB, and an export is read as a whole. "
                "Import OpenWebUI's database, which is read chat by chat, or exports of fewer chats."
            )
        whole = _whole(path.read_bytes().removeprefix(BOM_UTF8))
    except (OSError, UnicodeError, RecursionError, MemoryError) as error:
        raise SourceError(
            f"{path} can't be read as an export of OpenWebUI: {type(error).__name__}."
        ) from None
    rows = _rows_of(whole)
    if rows and not any(map(_is_row, rows)):
        raise SourceError(
            f"{path} is no database of OpenWebUI, and no export: it holds {_kind(rows)}. An export is a JSON list of memories "
            '(each with "content") or of chats (each with "chat"), one of them, or one a line; or an object with such lists '
            'as "memories" and "chats".'
        )
    return [
        row if isinstance(row, dict) else {"id": f"number {number}"}
        for number, row in enumerate(rows, start=1)
    ]


def _whole(content: bytes) -> object:
    """Parse a file as JSON, else as lines of JSON; None for each line that is none."""
    try:
        # From bytes, not from str: a single emoji would make the str take four bytes a character.
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        text = content.decode()
    try:
        return json.loads(text)  # it is more lenient than msgspec: it accepts lone surrogates
    except ValueError:
        return [_of_line(line) for line in text.split("\n") if line.strip()] or [None]


def _rows_of(whole: object) -> list[object]:
    """Return the items of a list, those of an object's lists `memories` and `chats`, or the single object."""
    if isinstance(whole, dict) and not _is_row(whole):
        lists = [whole[name] for name in _LISTS if isinstance(whole.get(name), list)]
        if lists:
            return [row for each in lists for row in each]
    return whole if isinstance(whole, list) else [whole]


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and ("chat" in row or "content" in row)


def _kind(rows: Sequence[object]) -> str:
    """Describe what the file holds instead of rows, without quoting it."""
    if all(row is None for row in rows):
        return "no JSON"
    if not any(isinstance(row, dict) for row in rows):
        return "JSON without an object"
    return "JSON objects that are neither a memory nor a chat"


def _of_line(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
