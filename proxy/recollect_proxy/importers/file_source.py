"""A ``Source`` over files of JSON: finds the chats of a file, and reads them one by one. Never: a product's format."""

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
"""Returns a product's chat as a row, as ``Source`` has it, or raises BrokenRowError."""

MemoryReader = Callable[[Row], Iterator[Row]]
"""Yields the memories that an item of a file holds, as rows."""


@dataclass(frozen=True, slots=True)
class Chats:
    """The chats of a file.

    Attributes:
        items: Where they stand.
        name: In which list.
    """

    items: Items
    name: str = ""


@dataclass(slots=True)
class FileSource:
    """What people have in files.

    Attributes:
        origin: The product.
        chat_files: Where the chats are.
        read_chat: Reads one.
        read_memories: Yields the memories that one says were saved; None: none does.
        kept: Memories that stand by themselves, as rows.
        user_id: Whose all of it is; None: as the rows say.
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
        """Return None: a file does not tell who has an account."""
        return None

    async def memories(self) -> Sequence[Row]:
        """Return the rows of memories, in their order in the files."""
        await self._look()
        return [self._owned(row) for row in (*self.kept, *self._saved)]

    async def chats(self) -> Sequence[Row]:
        """Return where each chat is, the oldest first."""
        await self._look()
        return self._listed or []

    async def chat(self, listed: Row) -> Row | None:
        """Return the row of a chat."""
        return await asyncio.to_thread(self._read, listed)

    def _read(self, listed: Row) -> Row:
        source = self.chat_files[listed["file"]]
        row = self.read_chat(_item(source.items.at(source.name, listed["number"])))
        return self._owned(row)

    async def _look(self) -> None:
        if self._listed is None:
            self._listed = await asyncio.to_thread(self._list)

    def _list(self) -> list[Row]:
        """Read every chat once: it is imported in the order of time, and files have them in any."""
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
                    pass  # it is read again, and told of then
                listed.append(self._owned(row))
        return sorted(listed, key=lambda row: row["began"])

    def _owned(self, row: Row) -> dict[str, Any]:
        return {**row, "user_id": self.user_id or row.get("user_id")}


def rows_of(items: Items, name: str) -> Iterator[Row]:
    """Yield the objects of a list; an empty one for whatever is none."""
    for raw in items.raw(name):
        try:
            yield _item(raw)
        except BrokenRowError:
            yield {}


def _item(raw: bytes) -> Row:
    """Return a JSON object.

    Raises:
        BrokenRowError: It is none.
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
    """Return what JSON says that holds halves of surrogate pairs, as browsers write them."""
    if len(raw) > LARGEST_ITEM:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def seconds(value: object) -> float | None:
    """Return a time as seconds since 1970: a number as it is, a text as ISO 8601; None if it is neither."""
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
    """Return a text as it can be kept; "" for what is none."""
    return storable_text(value) if isinstance(value, str) else ""


def tree(chat: Row, messages: Sequence[Row], *, created_at: float | None) -> Row:
    """Return a chat as a row.

    Args:
        chat: With `id`, and `user_id` where that is known.
        messages: Each with `id`, `role`, `content`, and more; in order.
        created_at: When it began.
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
    """Return messages with an answer that came in parts, with tools between, as one; a failed part makes none of the others fail."""
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
