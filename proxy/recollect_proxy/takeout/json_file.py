"""Splits a JSON file into the items of its outermost lists, to be parsed one by one.

The file is mapped, so the system reads its pages as they are needed, and drops them. A file of any size takes the memory of
its largest item, and about eighty bytes for each.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw

from recollect.errors import RecollectError
from recollect.wire.linear_bytes import linear_bytes

Item: TypeAlias = Raw | memoryview

LARGEST_ITEM = 64 * 1024 * 1024
"""The most bytes of an item: a chat of some ten thousand messages."""

_MOST_COMMAS = 100_000_000
"""The most commas of a file, and so of items: each takes memory, however short it is. Text of 4 GB has about as many."""

_PIECE = 1 << 24
_CUT_OFF = "The file ends within its JSON: it is broken, or not whole."
_TOO_DEEP = "The file is nested too deeply."
_BOM = b"\xef\xbb\xbf"
_SURROGATE = rb"\\u[dD][89a-fA-F].."
_PAIR = rb"\\u[dD][89abAB]..\\u[dD][c-fC-F].."
_SOUND = rb'(?:[^"\\]|\\[^u]|\\u[^dD]...|\\u[dD][^89a-fA-F]..|' + _PAIR + rb")*"
_INSIDE = linear_bytes(rb"(?s)" + _SOUND)
_OUTSIDE = linear_bytes(rb'(?s)(?:[^"NI]|"' + _SOUND + rb'")*')
_UNSOUND = linear_bytes(rb'(?s)"|NaN|Infinity|' + _SURROGATE)


class FileError(RecollectError):
    """A file to be imported can't be read."""


@dataclass(frozen=True, slots=True)
class JsonFile:
    """The items of a file.

    Attributes:
        lists: The items of each list in the file's object, by the list's name; of a file that is itself a list, by "".
        values: The other values of the object, by name.
    """

    lists: Mapping[str, Sequence[Item]]
    values: Mapping[str, Item] = field(default_factory=dict)


def split_lists(path: Path) -> JsonFile:
    """Split a JSON list, or the lists of a JSON object, into items.

    Raises:
        FileError: It can't be read, is no JSON list or object, ends within one, is nested too deeply, or has too many items.
    """
    data, start = _mapped(path)
    if len(data) > _MOST_COMMAS and _commas(data) > _MOST_COMMAS:
        raise FileError("The file has too many items: split it.")
    whole = memoryview(data)[start:]
    try:
        try:
            return _split(whole)
        except (msgspec.DecodeError, UnicodeDecodeError):
            _mend(data)
            return _split(whole)
    except RecursionError:
        raise FileError(_TOO_DEEP) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        is_cut_off = "truncated" in str(error)
        raise FileError(
            _CUT_OFF if is_cut_off else "The file is no JSON list or object, or it is broken."
        ) from None


def split_lines(path: Path) -> list[Item]:
    """Split a file into its lines, without blank ones.

    Raises:
        FileError: It can't be read.
    """
    data, at = _mapped(path)
    lines: list[Item] = []
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if end - at > LARGEST_ITEM or not data[at:end].isspace():
            lines.append(memoryview(data)[at:end])
        at = end
    return lines


def as_one_item(path: Path) -> Item:
    """Return a whole file as one item.

    Raises:
        FileError: It can't be read.
    """
    data, start = _mapped(path)
    return memoryview(data)[start:]


def content_of(item: Item) -> bytes:
    """Return the JSON text of an item.

    Raises:
        FileError: It is too large.
    """
    view = memoryview(item)
    if len(view) > LARGEST_ITEM:
        raise FileError(f"An item of the file is larger than {LARGEST_ITEM >> 20} MiB.")
    return bytes(view)


def decoded(item: Item) -> Any:
    """Parse an item. Lone surrogates, NaN, Infinity and integers of any size are accepted, as other products write them.

    Raises:
        FileError: It is too large, or no JSON.
    """
    content = content_of(item)
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise FileError("A part of the file is no JSON.") from None


def _mapped(path: Path) -> tuple[mmap, int]:
    """Map a file into memory, for changes that the file does not get; return where its text begins, too."""
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise FileError(_CUT_OFF)
            data = mmap(file.fileno(), 0, access=ACCESS_COPY)
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    return data, len(_BOM) if data[: len(_BOM)] == _BOM else 0


def _commas(data: mmap) -> int:
    return sum(data[at : at + _PIECE].count(b",") for at in range(0, len(data), _PIECE))


def _split(whole: memoryview) -> JsonFile:
    try:
        return JsonFile({"": msgspec.json.decode(whole, type=list[Raw])})
    except msgspec.ValidationError:  # it is no list
        values = msgspec.json.decode(whole, type=dict[str, Raw])
    lists = {name for name, value in values.items() if bytes(memoryview(value)[:1]) == b"["}
    return JsonFile(
        {name: msgspec.json.decode(values[name], type=list[Raw]) for name in lists},
        {name: value for name, value in values.items() if name not in lists},
    )


def _mend(data: mmap) -> None:
    """Replace lone surrogates by U+FFFD, and NaN and Infinity by 0, each by as many bytes.

    JavaScript and Python write these, and a strict parser rejects the whole file for one of them.
    """
    at, is_inside = 0, False
    while True:
        sound = (_INSIDE if is_inside else _OUTSIDE).match(data, at)
        at = sound.end() if sound else at
        found = _UNSOUND.match(data, at)
        if found is None:
            return
        if found[0] == b'"':
            is_inside = not is_inside
        elif is_inside:
            data[at : found.end()] = rb"\ufffd"
        else:
            data[at : found.end()] = b"0".ljust(found.end() - at)
        at = found.end()
