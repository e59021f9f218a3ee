"""Finds the places of the items of a JSON file's outermost lists, so that they can be read one by one. Never: parses an item.

A file of any size takes the memory of its largest item, and sixteen bytes for each. It is mapped, so the system reads its
pages as they are needed, and drops them. Within an item only brackets, braces and strings are looked at.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from recollect.errors import RecollectError
from recollect.wire.linear_bytes import linear_bytes

LARGEST_ITEM = 64 * 1024 * 1024
"""Bytes of an item: a chat of some ten thousand messages."""

_DEEPEST = 200
_MOST_NAMES = 1_000
_LONGEST_NAME = 1024 * 1024
_CUT_OFF = "The file ends within its JSON: it is broken, or not whole."
_BOM = b"\xef\xbb\xbf"
_SPACE = linear_bytes(rb"[ \t\r\n]*")
_STRING = rb'"(?:[^"\\]|\\.)*"'
_SCALAR = linear_bytes(rb"(?s)" + _STRING + rb'|[^\[\]{}",: \t\r\n]+')
_WITHIN = linear_bytes(rb'(?s)(?:[^\[\]{}"]|' + _STRING + rb")*")
"""Up to the next bracket or brace, past whole strings; or to the quote of a string that does not end."""


class FileError(RecollectError):
    """What is to be imported can't be read."""


@dataclass(slots=True)
class Items:
    """Where items stand: of each list of an object by its name, and of a list by "".

    Attributes:
        path: The file.
        lists: Begin and end of each item, by turns, in bytes.
        values: Begin and end of what else an object holds, by its name.
    """

    path: Path
    lists: dict[str, "array[int]"] = field(default_factory=dict)
    values: dict[str, tuple[int, int]] = field(default_factory=dict)

    def count(self, name: str = "") -> int:
        """Return how many items a list has."""
        return len(self.lists.get(name, ())) // 2

    def value(self, name: str) -> Any:
        """Return what an object holds under a name, where it is no list; None where it holds nothing.

        Raises:
            FileError: It can't be read.
        """
        if name not in self.values:
            return None
        with self.path.open("rb") as file:
            return decoded(_read(file, *self.values[name]))

    def raw(self, name: str = "") -> Iterator[bytes]:
        """Yield each item of a list as it stands.

        Raises:
            FileError: One is too large.
        """
        places = self.lists.get(name, array("Q"))
        with self.path.open("rb") as file:
            for number in range(0, len(places), 2):
                yield _read(file, places[number], places[number + 1])

    def at(self, name: str, number: int) -> bytes:
        """Return one item of a list as it stands.

        Raises:
            FileError: It is too large.
        """
        places = self.lists[name]
        with self.path.open("rb") as file:
            return _read(file, places[2 * number], places[2 * number + 1])


def decoded(raw: bytes) -> Any:
    """Return what JSON says.

    Raises:
        FileError: It is none.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise FileError("A part of the file is no JSON.") from None


def _read(file: BinaryIO, begin: int, end: int) -> bytes:
    if end - begin > LARGEST_ITEM:
        raise FileError(f"An item of the file is larger than {LARGEST_ITEM >> 20} MiB.")
    file.seek(begin)
    return file.read(end - begin)


def find_items(path: Path) -> Items:
    """Return the places of a file's items.

    Raises:
        FileError: It can't be read, is no JSON list or object, ends within one, or is nested too deeply.
    """
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise FileError(_CUT_OFF)
            with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                return _Scan(data, Items(path)).whole()
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None


@dataclass(slots=True)
class _Scan:
    """Moves through a file from its beginning.

    Attributes:
        data: The file.
        items: The places that were found.
        at: The place of the next byte.
    """

    data: mmap
    items: Items
    at: int = 0

    def whole(self) -> Items:
        """Return the places of a file's items."""
        if self.data[: len(_BOM)] == _BOM:
            self.at = len(_BOM)
        match self._next():
            case b"[":
                self._list("")
            case b"{":
                self._object()
            case _:
                raise FileError("The file is no JSON list or object.")
        if self._next():
            raise FileError("Behind its JSON the file goes on.")
        return self.items

    def _list(self, name: str) -> None:
        places = self.items.lists.setdefault(name, array("Q"))
        self.at += 1
        is_over = self._next() == b"]" and bool(self._take(b"]"))
        while not is_over:
            places.extend(self._value())
            is_over = self._take(b",]") == b"]"

    def _object(self) -> None:
        self.at += 1
        is_over = self._next() == b"}" and bool(self._take(b"}"))
        while not is_over:
            name = self._name()
            self._take(b":")
            if self._next() == b"[":
                self._list(name)
            else:
                self.items.values[name] = self._value()
            if len(self.items.values) + len(self.items.lists) > _MOST_NAMES:
                raise FileError(f"The file's object has more than {_MOST_NAMES} names.")
            is_over = self._take(b",}") == b"}"

    def _name(self) -> str:
        begin, end = self._value()
        try:
            return msgspec.json.decode(self.data[begin : min(end, begin + _LONGEST_NAME)], type=str)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise FileError("A name in the file is no JSON.") from None

    def _value(self) -> tuple[int, int]:
        """Move past a value, and return its begin and end."""
        begin = self.at
        if self._next() not in (b"[", b"{"):
            begin, found = self.at, _SCALAR.match(self.data, self.at)
            if found is None:
                raise self._broken()
            self.at = found.end()
            return begin, self.at
        begin, opened = self.at, b""
        while True:
            mark = self.data[self.at : self.at + 1]
            if mark in (b"[", b"{"):
                opened += b"]" if mark == b"[" else b"}"
                if len(opened) > _DEEPEST:
                    raise FileError(f"The file is nested more than {_DEEPEST} deep.")
            elif mark and mark == opened[-1:]:
                opened = opened[:-1]
            else:
                raise self._broken()
            self.at += 1
            if not opened:
                return begin, self.at
            within = _WITHIN.match(self.data, self.at)
            self.at = within.end() if within else self.at

    def _next(self) -> bytes:
        """Move past white space, and return the byte there; b"" at the end."""
        found = _SPACE.match(self.data, self.at)
        self.at = found.end() if found else self.at
        return self.data[self.at : self.at + 1]

    def _take(self, marks: bytes) -> bytes:
        """Move past one of these bytes, and return it."""
        mark = self._next()
        if not mark or mark not in marks:
            raise self._broken()
        self.at += 1
        return mark

    def _broken(self) -> FileError:
        is_cut_off = self.at >= len(self.data) or self.data[self.at : self.at + 1] == b'"'
        return FileError(_CUT_OFF if is_cut_off else "The file is no JSON: it is broken.")
