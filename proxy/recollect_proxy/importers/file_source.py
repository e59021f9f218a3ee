"""A ``Source`` over JSON files, which reads chats one by one. Never: a product's format."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.text.normalization import storable_text
from recollect_proxy.importers.rows import BrokenRowError, Row
from recollect_proxy.takeout.json_items import LARGEST_ITEM, FileError, Items

ChatReader = Callable[[Row], Row]
"""Converts a product's chat to a row as in ``Source``; raises BrokenRowError."""

MemoryReader = Callable[[Row], Iterator[Row]]
"""Yields the memories in an item of a file as rows."""


@dataclass(frozen=True, slots=True)
class Chats:
    """The chats of a file.

    Attributes:
        items: The items of the file.
        name: The name of the list of chats; "" if the file itself is the list.
    """

    items: Items
    name: str = ""


@dataclass(slots=True)
class FileSource:
    """Memories and chats in a product's files.

    Attributes:
        origin: The name of the product.
        chat_files: The files with chats.
        read_chat: Converts a chat.
        read_memories: Yields the saved memories that a chat contains; None if the product's chats contain none.
        kept: The memories outside chats, as rows.
        user_id: The owner of everything; None: the rows name their owners.
    """

    origin: str
    chat_files: Sequence[Chats]
    read_chat: ChatReader
    read_memories: MemoryReader | None = None
    kept: Sequence[Row] = ()
    user_id: str | None = None
    _listed: list[Row] | None = field(default=None, init=False)
    _saved: list[Row] = field(default_factory=list, init=False)

    async def users(self) -> frozenset[str] | None:
        """Return None: files do not list accounts."""
        return None

    async def memories(self) -> Sequence[Row]:
        """Return the rows of all memories, in the order of the files."""
        await self._look()
        return [self._owned(row) for row in (*self.kept, *self._saved)]

    async def chats(self) -> Sequence[Row]:
        """Return the location of each chat, oldest first."""
        await self._look()
        return self._listed or []

    async def chat(self, listed: Row) -> Row | None:
        """Return the row of a chat.

        Raises:
            BrokenRowError, FileError: It can't be read.
        """
        return await asyncio.to_thread(self._read, listed)

    def _read(self, listed: Row) -> Row:
        source = self.chat_files[listed["file"]]
        row = self.read_chat(_item(source.items.at(source.name, listed["number"])))
        return self._owned(row)

    async def _look(self) -> None:
        if self._listed is None:
            self._listed = await asyncio.to_thread(self._list)

    def _list(self) -> list[Row]:
        """Read every chat once to sort them by time: files have them in any order."""
        listed: list[dict[str, Any]] = []
        for file, source in enumerate(self.chat_files):
            for number in range(source.items.count(source.name)):
                row: dict[str, Any] = {
                    "id": f"number {number + 1}",
                    "file": file,
                    "number": number,
                    "began": 0.0,
                }
                try:
                    item = _item(source.items.at(source.name, number))
                    chat = self.read_chat(item)
                    if self.read_memories is not None:
                        self._saved.extend(self.read_memories(item))
                    row |= {
                        "id": chat["id"],
                        "began": chat.get("created_at") or 0.0,
                        "user_id": chat.get("user_id"),
                    }
                except (BrokenRowError, FileError):
                    pass  # the import reads it again, and reports the error then
                listed.append(self._owned(row))
        return sorted(listed, key=lambda row: row["began"])

    def _owned(self, row: Row) -> dict[str, Any]:
        return {**row, "user_id": self.user_id or row.get("user_id")}


def rows_of(items: Items, name: str) -> Iterator[Row]:
    """Yield the items of a list; an empty object for each that is no object."""
    for raw in items.raw(name):
        try:
            yield _item(raw)
        except BrokenRowError:
            yield {}


def _item(raw: bytes) -> Row:
    """Parse a JSON object; a list becomes ``{"messages": [...]}``.

    Raises:
        BrokenRowError: It is neither.
    """
    try:
        item = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        item = _leniently(raw)
    if isinstance(item, list):
        item = {"messages": item}
    if not isinstance(item, dict):
        raise BrokenRowError("it is no JSON object")
    return item


def _leniently(raw: bytes) -> object:
    """Parse JSON that may contain lone surrogates, as browsers write them; None if it can't be parsed."""
    if len(raw) > LARGEST_ITEM:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def seconds(value: object) -> float | None:
    """Return a Unix time in seconds, from a number or from ISO 8601 text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or len(value) > 64:  # noqa: PLR2004 -- longer is no time
        return None
    try:
        at = datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def text_of(value: object) -> str:
    """Return a text in the form that the store can hold; "" if the value is no text."""
    return storable_text(value) if isinstance(value, str) else ""


def tree(chat: Row, messages: Sequence[Row], *, created_at: float | None) -> Row:
    """Build the row of a chat as in ``Source``.

    Args:
        chat: The row's `id`, and `user_id` if known.
        messages: The messages in order, each with at least `id`, `role` and `content`.
        created_at: When the chat began, as Unix time in seconds; None: the time of the first message that has one.
    """
    by_id: dict[str, Row] = {}
    parent: str | None = None
    for message in messages:
        by_id[message["id"]] = {**message, "parentId": parent}
        parent = message["id"]
    began = created_at
    if began is None:
        began = next((each["timestamp"] for each in messages if each.get("timestamp")), None)
    return {**chat, "created_at": began, "chat": {"history": {"messages": by_id, "currentId": parent}}}


def joined(messages: Sequence[Row]) -> list[Row]:
    """Merge consecutive assistant messages, which tool calls separated, into one; it is failed if it has no text at all."""
    told: list[Row] = []
    for message in messages:
        last = told[-1] if told else None
        if last is None or message["role"] != "assistant" or last["role"] != "assistant":
            told.append(message)
            continue
        texts = [each["content"] for each in (last, message) if each["content"] and not each.get("failed")]
        failed = not texts and bool(last.get("failed") or message.get("failed"))
        told[-1] = {
            **last,
            "content": "\n\n".join(texts),
            "failed": failed,
            "model": last.get("model") or message.get("model"),
        }
    return told
