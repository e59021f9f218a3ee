"""Opens a product's files as a source, which reads item by item: JSON lists, lines of JSON, or zip archives of such files."""

import asyncio
import json
import zipfile
from array import array
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import msgspec

from recollect_proxy.importers import chatgpt, claude, jsonl, mem0, openwebui
from recollect_proxy.importers.lines import (
    BrokenRowError,
    Row,
    SourceError,
    StoredChat,
    StoredMemory,
    name_of,
)
from recollect_proxy.importers.source import Broken, Listed
from recollect_proxy.takeout.json_items import LARGEST_ITEM, FileError, Items, find_items

LARGEST_FILE = 8 << 30
"""The most bytes to unpack from an archive in all."""

_MOST_TIMES = 200
"""The largest compression ratio of a file: JSON text does not reach it, a zip bomb exceeds it."""

_ROOM = 1 << 20
"""Up to so many bytes, a file's compression ratio is not limited."""

_MOST_MEMBERS = 1_000_000
_MOST_MEMORIES = 1_000_000
_CHUNK = 1 << 20
_ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
_ANY = "*"
"""The name of the list of a file's lines, or of the file itself as its only item."""


@dataclass(frozen=True, slots=True)
class Product:
    """A product whose files can be imported.

    Attributes:
        read: Yields the chats and memories in an item of a file; raises BrokenRowError.
        lists: The names of the lists that a file's object may hold; "" for a file that is a list itself.
        is_wanted: Tells by its name whether to read a file of an archive; None: the product exports no archives.
        has_lines: Whether a file may also have one item per line, or be a single item.
        keys: The keys of which every item that is none of the product's lacks all; empty: any object may be an item.
    """

    read: Callable[[Row], Iterator[StoredChat | StoredMemory]]
    lists: Sequence[str] = ("",)
    is_wanted: Callable[[str], bool] | None = None
    has_lines: bool = True
    keys: frozenset[str] = frozenset()


PRODUCTS = {
    "openwebui": Product(openwebui.read, ("memories", "chats", ""), keys=frozenset({"chat", "content"})),
    "chatgpt": Product(chatgpt.read, is_wanted=chatgpt.is_wanted, has_lines=False),
    "claude": Product(claude.read, is_wanted=claude.is_wanted, has_lines=False),
    "mem0": Product(mem0.read, ("results", "memories", "data", "")),
    "jsonl": Product(jsonl.read),
}


@asynccontextmanager
async def open_files(origin: str, path: Path) -> AsyncIterator["FileSource"]:
    """Open a file or an archive of one of ``PRODUCTS`` as a source; an archive is unpacked within the context.

    Raises:
        FileError: The file can't be read, is no archive or JSON, lacks wanted files, or unpacks to more than the limits.
        SourceError: It is JSON, and none of the product's.
    """
    product = PRODUCTS[origin]
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        source = await asyncio.to_thread(_opened, origin, product, path, Path(folder))
        yield source


def _opened(origin: str, product: Product, path: Path, folder: Path) -> "FileSource":
    files = _files(path, folder, product.is_wanted) if product.is_wanted is not None else [path]
    source = FileSource(origin, product, [_items(each, product) for each in files])
    source.look()
    return source


# -- files -----------------------------------------------------------------------------------------


def _files(path: Path, folder: Path, is_wanted: Callable[[str], bool]) -> list[Path]:
    """Unpack the wanted files of an archive, and return their paths in order; of a single file its own."""
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP)) != _ZIP:
                return [path]
        files = _unpacked(path, folder, is_wanted)
    except (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, NotImplementedError) as error:
        raise FileError(f"{path} is no zip archive that can be read ({type(error).__name__}).") from None
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    if not files:
        raise FileError(f"{path} is an archive without any of the files that are looked for.")
    return list(files.values())


def _unpacked(path: Path, folder: Path, is_wanted: Callable[[str], bool]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    left = LARGEST_FILE
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > _MOST_MEMBERS:
            raise FileError(f"{path} has more than {_MOST_MEMBERS} files.")
        for member in sorted(archive.infolist(), key=lambda each: each.filename):
            name = PurePosixPath(member.filename).name
            if member.is_dir() or not is_wanted(name) or name in files:
                continue
            files[name] = folder / f"{len(files)}.json"
            most = min(left, max(_ROOM, _MOST_TIMES * member.compress_size))
            left -= _unpack(archive, member, files[name], most)
    return files


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, to: Path, most: int) -> int:
    """Unpack a file up to ``most`` bytes, whatever size the archive declares, and return its size."""
    size = 0
    with archive.open(member) as packed, to.open("wb") as file:
        while chunk := packed.read(_CHUNK):
            size += len(chunk)
            if size > most:
                name = PurePosixPath(member.filename).name[:60]
                raise FileError(f"{name!r} in the archive unpacks to more than chats would: it is refused.")
            file.write(chunk)
    return size


def _items(path: Path, product: Product) -> Items:
    """Return the items of a file's lists; else its lines, or the file itself as the only item."""
    try:
        items = find_items(path)
    except FileError:
        items = _lines(path) if product.has_lines and path.is_file() else Items(path)
        if not any(_decoded(raw) is not None for raw in items.raw(_ANY)):
            raise
        return items
    if any(name in items.lists for name in product.lists):
        is_chat = product.has_lines and "" in items.lists and "role" in _first(items)
        return _whole(path) if is_chat else items
    if not product.has_lines:
        raise FileError(f"{path.name} holds no list of chats.")
    return _whole(path)


def _first(items: Items) -> Row:
    first = _decoded(next(items.raw(""), b""))
    return first if isinstance(first, dict) else {}


def _whole(path: Path) -> Items:
    with path.open("rb") as file:
        start = len(_BOM) if file.read(len(_BOM)) == _BOM else 0
    return Items(path, {_ANY: array("Q", (start, path.stat().st_size))})


def _lines(path: Path) -> Items:
    places, at = array("Q"), 0
    with path.open("rb") as file:
        if file.read(len(_BOM)) == _BOM:
            at = len(_BOM)
        file.seek(at)
        while line := file.readline(LARGEST_ITEM + 1):
            if len(line) > LARGEST_ITEM:
                raise FileError(f"A line of the file is longer than {LARGEST_ITEM >> 20} MiB.")
            if line.strip():
                places.extend((at, at + len(line)))
            at += len(line)
    return Items(path, {_ANY: places})


def _decoded(raw: bytes) -> object:
    """Parse JSON that may hold lone surrogates, as browsers write them; None if it can't be parsed."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        return json.loads(raw) if len(raw) <= LARGEST_ITEM else None
    except (ValueError, RecursionError):
        return None


# -- the source ------------------------------------------------------------------------------------


@dataclass(slots=True)
class FileSource:
    """Memories and chats in a product's files.

    Attributes:
        origin: The name of the product.
        product: How to read its items.
        files: The items of each file.
    """

    origin: str
    product: Product
    files: Sequence[Items]
    _memories: list[StoredMemory | Broken] = field(default_factory=list, init=False)
    _chats: list[Listed] = field(default_factory=list, init=False)

    async def users(self) -> frozenset[str] | None:
        """Return None: files do not list accounts."""
        return None

    async def memories(self) -> Sequence[StoredMemory | Broken]:
        """Return all memories, and the rows that can't be read, in the order of the files."""
        return self._memories

    async def chats(self) -> Sequence[Listed]:
        """Return the place of each chat, oldest first."""
        return self._chats

    async def chat(self, listed: Listed) -> StoredChat | None:
        """Read a chat once more."""
        file, name, number = listed.place
        item = await asyncio.to_thread(lambda: self._item(self.files[file].at(name, number)))
        return next(each for each in self.product.read(item) if isinstance(each, StoredChat))

    def look(self) -> None:
        """Read every item once: keep the memories, and sort the places of chats by time.

        Raises:
            SourceError: No item is one of the product's.
            FileError: There are too many memories.
        """
        has_items = has_own = False
        for file, items in enumerate(self.files):
            for name in (*self.product.lists, _ANY):
                for number in range(items.count(name)):
                    has_items = True
                    item: Row = {}
                    try:
                        item = self._item(items.at(name, number))
                        has_own = has_own or not self.product.keys or not self.product.keys.isdisjoint(item)
                        self._take(self.product.read(item), (file, name, number))
                    except (BrokenRowError, FileError) as error:
                        name_or_place = name_of(item.get("id", f"number {number + 1}"))
                        self._memories.append(Broken(f"row {name_or_place}", str(error)))
        if has_items and not has_own:
            raise SourceError(
                "The file holds nothing that this product exports, but other JSON: neither its memories nor its chats."
            )
        self._chats.sort(key=lambda each: each.began)

    def _take(self, found: Iterator[StoredChat | StoredMemory], place: tuple[int, str, int]) -> None:
        for each in found:
            if isinstance(each, StoredChat):
                began = each.began.timestamp() if each.began else 0.0
                self._chats.append(Listed(each.id, each.user_id, place, began))
            else:
                self._memories.append(each)
        if len(self._memories) > _MOST_MEMORIES:
            raise SourceError(f"The file has more than {_MOST_MEMORIES} memories.")

    def _item(self, raw: bytes) -> Row:
        """Parse an item, which is an object; a list becomes ``{"messages": [...]}``."""
        item = _decoded(raw)
        if isinstance(item, list):
            item = {"messages": item}
        if not isinstance(item, dict):
            raise BrokenRowError("it is no JSON object")
        return item
