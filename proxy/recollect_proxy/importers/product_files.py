"""Opens the files of a product as a source: JSON lists, lines of JSON, or a zip archive of such files."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from recollect_proxy.importers import other_products as others
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Listed,
    Row,
    Source,
    SourceChat,
    SourceError,
    SourceMemory,
    name_of,
)
from recollect_proxy.importers.openwebui import read_item
from recollect_proxy.takeout.large_json import FileError, Item, as_one_item, decoded, split_lines, split_lists

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


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How the files of a product are laid out, and what reads their items.

    Attributes:
        read: Yields the chats and memories in an item of a file; raises BrokenRowError.
        lists: The names of the lists that a file's object may hold; "" for a file that is a list itself.
        is_wanted: Decides by its name whether to read a file of an archive; None: the product exports no archives.
        has_lines: Whether a file may also have one item per line, or be a single item.
        keys: An item has at least one of these keys; if empty, any object is an item.
    """

    read: Callable[[Row], Iterator[SourceChat | SourceMemory]]
    lists: Sequence[str] = ("",)
    is_wanted: Callable[[str], bool] | None = None
    has_lines: bool = True
    keys: frozenset[str] = frozenset()


LAYOUTS = {
    "openwebui": FileLayout(read_item, ("memories", "chats", ""), keys=frozenset({"chat", "content"})),
    "chatgpt": FileLayout(others.read_chatgpt, is_wanted=others.is_chatgpt_file, has_lines=False),
    "claude": FileLayout(others.read_claude, is_wanted=others.is_claude_file, has_lines=False),
    "mem0": FileLayout(others.read_mem0, ("results", "memories", "data", "")),
    "jsonl": FileLayout(others.read_line),
}


@asynccontextmanager
async def open_files(origin: str, path: Path) -> AsyncIterator[Source]:
    """Open a file or an archive of one of ``LAYOUTS`` as a source; an archive is unpacked within the context.

    Raises:
        FileError: The file can't be read, is no archive or JSON, lacks wanted files, or unpacks to more than the limits.
        SourceError: It is JSON, and none of the product's; or it has too many memories.
    """
    with TemporaryDirectory(prefix="recollect-import-") as folder:
        yield await asyncio.to_thread(_opened, origin, path, Path(folder))


def _opened(origin: str, path: Path, folder: Path) -> Source:
    """Read every item once: keep the memories, and sort the chats by time."""
    layout = LAYOUTS[origin]
    files = [path] if layout.is_wanted is None else _files(path, folder, layout.is_wanted)
    memories: list[SourceMemory] = []
    chats: list[tuple[float, Listed]] = []
    broken: list[str] = []
    has_items = has_own = False
    for items in [items for each in files for items in _lists_of(each, layout)]:
        for number, item in enumerate(items, start=1):
            has_items = True
            row: Row = {}
            try:
                row = _row(item)
                has_own = has_own or not layout.keys or not layout.keys.isdisjoint(row)
                for each in layout.read(row):
                    if isinstance(each, SourceMemory):
                        memories.append(each)
                    else:
                        began = each.began.timestamp() if each.began else 0.0
                        chats.append((began, Listed(each.id, each.user_id, _reader(layout, item))))
            except (BrokenRowError, FileError) as error:
                broken.append(f"row {name_of(row.get('id', f'number {number}'))}: {error}")
            if len(memories) > _MOST_MEMORIES:
                raise SourceError(f"The file has more than {_MOST_MEMORIES} memories.")
    if has_items and not has_own:
        raise SourceError(
            "The file holds nothing that this product exports, but other JSON: neither its memories nor its chats."
        )
    return Source(origin, memories, [chat for _, chat in sorted(chats, key=itemgetter(0))], broken)


def _reader(layout: FileLayout, item: Item) -> Callable[[], Awaitable[SourceChat]]:
    """Return a function that reads a chat once more, so that only one is held at a time."""

    async def read_chat() -> SourceChat:
        row = await asyncio.to_thread(_row, item)
        return next(each for each in layout.read(row) if isinstance(each, SourceChat))

    return read_chat


def _row(item: Item) -> Row:
    """Parse an item, which is an object; a list becomes ``{"messages": [...]}``."""
    row = decoded(item)
    if isinstance(row, list):
        row = {"messages": row}
    if not isinstance(row, dict):
        raise BrokenRowError("it is no JSON object")
    return row


def _lists_of(path: Path, layout: FileLayout) -> list[Sequence[Item]]:
    """Return the items of a file's lists; else its lines, or the file itself as the only item."""
    try:
        lists = split_lists(path).lists
    except FileError:
        lines = split_lines(path) if layout.has_lines and path.is_file() else []
        if all(_parsed(line) is None for line in lines):
            raise
        return [lines]
    found = [lists[name] for name in layout.lists if name in lists]
    if not layout.has_lines:
        if not found:
            raise FileError(f"{path.name} holds no list of chats.")
        return found
    first = _parsed(lists[""][0]) if lists.get("") else None
    is_chat = isinstance(first, dict) and "role" in first  # a list of messages
    return [[as_one_item(path)]] if is_chat or not found else found


def _parsed(item: Item) -> object:
    """Parse an item; return None if it is no JSON."""
    try:
        return decoded(item)
    except FileError:
        return None


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
    return files


def _unpacked(path: Path, folder: Path, is_wanted: Callable[[str], bool]) -> list[Path]:
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
    return list(files.values())


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
