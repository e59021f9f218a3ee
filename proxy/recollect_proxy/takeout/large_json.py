"""Splits a JSON file into the items of its outermost lists, to be parsed one by one. It finds an item without parsing it.

The file is mapped, so the system reads its pages as they are needed, and drops them. A file of any size takes the memory of
its largest item, and sixteen bytes for each. The search is many short steps, so that the process's other threads go on.
"""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias, overload

import msgspec

from recollect.errors import RecollectError
from recollect.wire.raw_json import linear_bytes

Item: TypeAlias = memoryview

LARGEST_ITEM = 64 * 1024 * 1024
"""The most bytes of an item: a chat of some ten thousand messages."""

_DEEPEST = 200
_MOST_NAMES = 1_000
_LONGEST_NAME = 1024 * 1024
_CUT_OFF = "The file ends within its JSON: it is broken, or not whole."
_BOM = b"\xef\xbb\xbf"
_SPACE = linear_bytes(rb"[ \t\r\n]*")
_STRING = rb'"(?:[^"\\]|\\.)*"'
_SCALAR = linear_bytes(rb"(?s)" + _STRING + rb'|[^\[\]{}",: \t\r\n]+')
_WITHIN = linear_bytes(rb'(?s)(?:[^\[\]{}"]|' + _STRING + rb")*")
"""The text up to the next bracket or brace, past whole strings, or up to a string without an end."""


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
        FileError: It can't be read, is no JSON list or object, ends within one, or is nested too deeply.
    """
    data, start = _mapped(path)
    return _Scan(data, start).whole()


def split_lines(path: Path) -> list[Item]:
    """Split a file into its lines, without blank ones. Raises FileError: it can't be read."""
    data, at = _mapped(path)
    lines: list[Item] = []
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if end - at > LARGEST_ITEM or not data[at:end].isspace():
            lines.append(memoryview(data)[at:end])
        at = end
    return lines


def as_one_item(path: Path) -> Item:
    """Return a whole file as one item. Raises FileError: it can't be read."""
    data, start = _mapped(path)
    return memoryview(data)[start:]


def content_of(item: Item) -> bytes:
    """Return the JSON text of an item. Raises FileError: it is too large."""
    view = memoryview(item)
    if len(view) > LARGEST_ITEM:
        raise FileError(f"An item of the file is larger than {LARGEST_ITEM >> 20} MiB.")
    return bytes(view)


def decoded(item: Item) -> Any:
    """Parse an item. U+FFFD replaces lone surrogates, 0 NaN, Infinity and larger numbers.

    Raises:
        FileError: It is too large, or no JSON.
    """
    content = content_of(item)
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass  # JavaScript and Python write such items, which a strict parser rejects as a whole
    try:
        text = json.dumps(json.loads(content), ensure_ascii=False)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return json.loads(text, parse_constant=lambda _: 0)
    except (ValueError, RecursionError):
        raise FileError("A part of the file is no JSON.") from None


def _mapped(path: Path) -> tuple[mmap, int]:
    """Map a file into memory; return the place where its text begins, too."""
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise FileError(_CUT_OFF)
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    return data, len(_BOM) if data[: len(_BOM)] == _BOM else 0


class _Places(Sequence[Item]):
    """The items of a list, by their places: beginning, end, beginning, end, ..."""

    def __init__(self, data: memoryview, places: "array[int]") -> None:
        self._data = data
        self._places = places

    def __len__(self) -> int:
        return len(self._places) // 2

    @overload
    def __getitem__(self, number: int) -> Item: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Item]: ...
    def __getitem__(self, number: int | slice) -> Item | Sequence[Item]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        place = 2 * range(len(self))[number]
        return self._data[self._places[place] : self._places[place + 1]]


class _Scan:
    """Moves through a file from its beginning. It reads only brackets, braces and strings of an item."""

    def __init__(self, data: mmap, start: int) -> None:
        self._data = data
        self._at = start
        self._lists: dict[str, array[int]] = {}
        self._values: dict[str, tuple[int, int]] = {}

    def whole(self) -> JsonFile:
        """Return the items of the file."""
        match self._next():
            case b"[":
                self._list("")
            case b"{":
                self._object()
            case _:
                raise FileError("The file is no JSON list or object.")
        if self._next():
            raise FileError("The file goes on after its JSON.")
        data = memoryview(self._data)
        lists = {name: _Places(data, places) for name, places in self._lists.items()}
        return JsonFile(lists, {name: data[begin:end] for name, (begin, end) in self._values.items()})

    def _list(self, name: str) -> None:
        places = self._lists.setdefault(name, array("Q"))
        self._at += 1
        is_over = self._next() == b"]" and bool(self._take(b"]"))
        while not is_over:
            places.extend(self._value())
            is_over = self._take(b",]") == b"]"

    def _object(self) -> None:
        self._at += 1
        is_over = self._next() == b"}" and bool(self._take(b"}"))
        while not is_over:
            name = self._name()
            self._take(b":")
            if self._next() == b"[":
                self._list(name)
            else:
                self._values[name] = self._value()
            if len(self._values) + len(self._lists) > _MOST_NAMES:
                raise FileError(f"The file's object has more than {_MOST_NAMES} names.")
            is_over = self._take(b",}") == b"}"

    def _name(self) -> str:
        begin, end = self._value()
        name = decoded(memoryview(self._data)[begin : min(end, begin + _LONGEST_NAME)])
        if not isinstance(name, str):
            raise FileError("A name in the file is no JSON.")
        return name

    def _value(self) -> tuple[int, int]:
        """Move past a value, and return its beginning and end."""
        if self._next() not in (b"[", b"{"):
            begin, found = self._at, _SCALAR.match(self._data, self._at)
            if found is None:
                raise self._broken()
            self._at = found.end()
            return begin, self._at
        begin, opened = self._at, b""
        while True:
            mark = self._data[self._at : self._at + 1]
            if mark in (b"[", b"{"):
                opened += b"]" if mark == b"[" else b"}"
                if len(opened) > _DEEPEST:
                    raise FileError(f"The file is nested more than {_DEEPEST} deep.")
            elif mark and mark == opened[-1:]:
                opened = opened[:-1]
            else:
                raise self._broken()
            self._at += 1
            if not opened:
                return begin, self._at
            within = _WITHIN.match(self._data, self._at)
            self._at = within.end() if within else self._at

    def _next(self) -> bytes:
        """Move past white space, and return the byte there; b"" at the end."""
        found = _SPACE.match(self._data, self._at)
        self._at = found.end() if found else self._at
        return self._data[self._at : self._at + 1]

    def _take(self, marks: bytes) -> bytes:
        """Move past one of these bytes, and return it."""
        mark = self._next()
        if not mark or mark not in marks:
            raise self._broken()
        self._at += 1
        return mark

    def _broken(self) -> FileError:
        is_cut_off = self._at >= len(self._data) or self._data[self._at : self._at + 1] == b'"'
        return FileError(_CUT_OFF if is_cut_off else "The file is no JSON: it is broken.")
