"""Opens each product's files as a source. Never: their format."""

import asyncio
from array import array
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

from recollect_proxy.importers import chatgpt, claude, jsonl, mem0
from recollect_proxy.importers.archive import open_files
from recollect_proxy.importers.file_source import Chats, FileSource, MemoryReader, rows_of
from recollect_proxy.importers.rows import Row
from recollect_proxy.takeout.json_items import LARGEST_ITEM, FileError, Items, find_items

_MOST_MEMORIES = 1_000_000
_BOM = b"\xef\xbb\xbf"


@asynccontextmanager
async def opened(opening: AbstractContextManager[FileSource]) -> AsyncIterator[FileSource]:
    """Open and close a source in a thread, since unpacking an archive may take long."""
    source = await asyncio.to_thread(opening.__enter__)
    try:
        yield source
    finally:
        await asyncio.to_thread(opening.__exit__, None, None, None)


@contextmanager
def open_jsonl(path: Path) -> Iterator[FileSource]:
    """Open a file with one chat per line, a JSON list of chats, or a single chat.

    Raises:
        FileError: The file can't be read.
    """
    yield FileSource("jsonl", [Chats(_lines_or_list(path))], jsonl.read_chat)


@contextmanager
def open_chatgpt(path: Path, user_id: str) -> Iterator[FileSource]:
    """Open ChatGPT's data export; all of it belongs to ``user_id``.

    Raises:
        FileError: The file can't be read.
    """
    with open_files(path, chatgpt.is_conversations) as files:
        chats = [Chats(_list(each)) for each in files.values()]
        yield FileSource("chatgpt", chats, chatgpt.read_chat, chatgpt.read_memories, user_id=user_id)


@contextmanager
def open_claude(path: Path, user_id: str) -> Iterator[FileSource]:
    """Open Claude's data export; all of it belongs to ``user_id``.

    Raises:
        FileError: The file can't be read.
    """
    with open_files(path, {claude.CONVERSATIONS, claude.MEMORIES}.__contains__) as files:
        items = {name: find_items(each) for name, each in files.items()}
        remembered = [
            each for name, each in items.items() if name == claude.MEMORIES or _holds_memories(each)
        ]
        chats = [Chats(each) for each in items.values() if each not in remembered]
        kept = [row for each in remembered for row in _memories(each, "", claude.read_memories)]
        yield FileSource("claude", chats, claude.read_chat, kept=kept, user_id=user_id)


@contextmanager
def open_mem0(path: Path) -> Iterator[FileSource]:
    """Open a file with memories of mem0.

    Raises:
        FileError: The file can't be read, or has no list of memories.
    """
    items = _lines_or_list(path, *mem0.LISTS)
    name = next((name for name in mem0.LISTS if name in items.lists), None)
    if name is None:
        raise FileError("The file has no list of memories: `results`, `memories` or a list itself.")
    yield FileSource("mem0", [], jsonl.read_chat, kept=_memories(items, name, mem0.read_memories))


def _list(path: Path) -> Items:
    """Return the items of a file that holds a JSON list.

    Raises:
        FileError: It holds none.
    """
    items = find_items(path)
    if "" not in items.lists:
        raise FileError(f"{path.name} holds no list of chats.")
    return items


def _memories(items: Items, name: str, read: MemoryReader) -> list[Row]:
    found: list[Row] = []
    for row in rows_of(items, name):
        found.extend(read(row))
        if len(found) > _MOST_MEMORIES:
            raise FileError(f"The file has more than {_MOST_MEMORIES} memories.")
    return found


def _holds_memories(items: Items) -> bool:
    """Tell by its first item whether a file without a known name holds Claude's memories."""
    first = next(rows_of(items, ""), {})
    return "conversations_memory" in first or "project_memories" in first


def _lines_or_list(path: Path, *lists: str) -> Items:
    """Return the items of a file's JSON list, or of an object's list with one of these names; else its lines."""
    try:
        items = find_items(path)
    except FileError:
        return _lines(path)
    if "" in items.lists and not _is_line(items):
        return items
    return items if any(name in items.lists for name in lists) else _lines(path)


def _is_line(items: Items) -> bool:
    """Tell whether a list is a single chat, that is, a list of messages."""
    return "role" in next(rows_of(items, ""), {})


def _lines(path: Path) -> Items:
    """Locate the non-empty lines of a file.

    Raises:
        FileError: The file can't be read or holds no JSON, or a line is too long.
    """
    places, at = array("Q"), 0
    try:
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
    except OSError as error:
        raise FileError(f"{path} can't be read: {error.strerror}.") from None
    items = Items(path, {"": places})
    if places and not any(rows_of(items, "")):
        raise FileError(f"{path.name} holds no JSON.")
    return items
