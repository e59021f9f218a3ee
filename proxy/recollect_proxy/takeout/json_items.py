"""Where in a file of JSON the items of its outermost lists stand, so that they can be read one by one. Never: what they say.

A file of any size takes as much memory as its largest item, and sixteen bytes for each. Only brackets, braces and strings are
looked at; what an item is, whoever reads it tells.
"""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from recollect.errors import RecollectError
from recollect.wire.linear_bytes import linear_bytes

LARGEST_ITEM = 64 * 1024 * 1024
"""Bytes of an item: a chat of some ten thousand messages."""

_DEEPEST = 200
_MOST_NAMES = 1_000
_CHUNK = 1024 * 1024
_LONGEST_NAME = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_MARK = re.compile(rb'[\[\]{}",:]')
# Up to the next bracket or brace, past whole strings; or to the quote of a string that the chunk ends within. Not by Python's
# engine: up to 3.11.4 it goes past that quote, as its possessive repetition does not go back where a repetition fails
# (python/cpython#106052).
_WITHIN = linear_bytes(rb'(?s)(?:[^\[\]{}"]|"(?:[^"\\]|\\.)*")*')
_STRING_MARK = re.compile(rb'["\\]')


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
    """Return where the items of a file stand.

    Raises:
        FileError: It can't be read, is no JSON list or object, ends within one, or is nested too deeply.
    """
    scanning = _Scan(Items(path))
    try:
        with path.open("rb") as file:
            scanning.offset = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
            file.seek(scanning.offset)
            while chunk := file.read(_CHUNK):
                scanning.feed(chunk)
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    return scanning.end()


@dataclass(slots=True)
class _Scan:
    """Reads a file chunk by chunk.

    Attributes:
        offset: Where in the file the next chunk begins.
        opened: The brackets and braces that are open.
        string: Where the string began that is open; None: none is.
        begun: Where the item began that is being read; None where it begins with the next mark.
        name: The name of the list or value that is being read.
    """

    items: Items
    offset: int = 0
    opened: bytes = b""
    string: int | None = None
    escaped: bool = False
    begun: int | None = None
    name: str = ""
    last_string: bytes = b""
    kept: bytearray = field(default_factory=bytearray)
    is_over: bool = False

    def feed(self, chunk: bytes) -> None:
        """Read on."""
        at, length = 0, len(chunk)
        while at < length:
            if self.string is not None:
                at = self._through_string(chunk, at)
                continue
            if self._is_within_item():
                at = self._through_item(chunk, at)
                continue
            found = _MARK.search(chunk, at)
            between = chunk[at : found.start() if found else length]
            if self.is_over and between.strip():
                raise FileError("Behind its JSON the file goes on.")
            if not self.opened and between.strip():
                raise FileError("The file is no JSON list or object.")
            if found is None:
                break
            at = found.end()
            self._take(found.group(), self.offset + found.start())
        self.offset += length

    def _is_within_item(self) -> bool:
        """Tell whether what comes is deeper than an item or a value begins."""
        return len(self.opened) > (2 if self.opened.startswith(b"{[") else 1)

    def _through_item(self, chunk: bytes, at: int) -> int:
        found = _WITHIN.match(chunk, at)
        assert found is not None  # noqa: S101 -- it matches nothing, too
        at = found.end()
        if mark := chunk[at : at + 1]:
            self._take(mark, self.offset + at)
        return at + len(mark)

    def _through_string(self, chunk: bytes, at: int) -> int:
        if self.escaped:
            self.escaped = False
            self._keep(chunk[at : at + 1])
            return at + 1
        found = _STRING_MARK.search(chunk, at)
        end = found.start() if found else len(chunk)
        self._keep(chunk[at:end])
        if found is None:
            return end
        if found.group() == b"\\":
            self.escaped = True
            self._keep(b"\\")
        else:
            self.string = None
            self.last_string = bytes(self.kept)
        return found.end()

    def _keep(self, piece: bytes) -> None:
        """Keep a name of the outermost object."""
        if len(self.opened) == 1 and len(self.kept) < _LONGEST_NAME:
            self.kept += piece

    def _take(self, mark: bytes, at: int) -> None:
        if self.is_over:
            raise FileError("Behind its JSON the file goes on.")
        if mark in b"[{":
            self._open(mark, at)
        elif mark in b"]}":
            self._close(mark, at)
        elif mark == b'"':
            if not self.opened:
                raise FileError("The file is no JSON list or object.")
            self.string = at
            self.kept.clear()
        elif mark == b",":
            self._separate(at)
        elif len(self.opened) == 1 and self.opened == b"{":
            self._name(at)

    def _open(self, mark: bytes, at: int) -> None:
        if len(self.opened) >= _DEEPEST:
            raise FileError(f"The file is nested more than {_DEEPEST} deep.")
        self.opened += mark
        if self._is_list_open():
            self.begun = at + 1
            self.items.lists.setdefault(self.name, array("Q"))

    def _is_list_open(self) -> bool:
        """Tell whether items begin here."""
        return self.opened in (b"[", b"{[")

    def _name(self, at: int) -> None:
        try:
            self.name = msgspec.json.decode(b'"' + self.last_string + b'"', type=str)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise FileError("A name in the file is no JSON.") from None
        if len(self.items.values) + len(self.items.lists) > _MOST_NAMES:
            raise FileError(f"The file's object has more than {_MOST_NAMES} names.")
        self.begun = at + 1

    def _separate(self, at: int) -> None:
        if self._is_list_open():
            self._item(at)
            self.begun = at + 1
        elif self.opened == b"{":
            self._value(at)

    def _close(self, mark: bytes, at: int) -> None:
        if not self.opened or self.opened[-1:] != (b"[" if mark == b"]" else b"{"):
            raise FileError("The file's brackets do not match: it is broken.")
        if self._is_list_open():
            self._item(at)
            self.begun = None
        elif self.opened == b"{":
            self._value(at)
        self.opened = self.opened[:-1]
        self.is_over = not self.opened

    def _item(self, at: int) -> None:
        """Note the item that ends here; whoever reads it strips white space, and finds it empty in an empty list."""
        if self.begun is not None:
            self.items.lists[self.name].extend((self.begun, at))

    def _value(self, at: int) -> None:
        if self.begun is not None:
            self.items.values[self.name] = (self.begun, at)
            self.begun = None

    def end(self) -> Items:
        """Return what was found."""
        if not self.is_over:
            raise FileError("The file ends within its JSON: it is broken, or not whole.")
        for name, places in self.items.lists.items():
            if len(places) == 2 and not self._has_words(places):  # noqa: PLR2004 -- the only item of an empty list
                self.items.lists[name] = array("Q")
        return self.items

    def _has_words(self, places: "array[int]") -> bool:
        if places[1] - places[0] > _LONGEST_NAME:
            return True
        with self.items.path.open("rb") as file:
            return bool(_read(file, places[0], places[1]).strip())
