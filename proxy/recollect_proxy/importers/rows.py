"""Parses rows of OpenWebUI's tables `memory` and `chat`, or of its exports, up to release 0.12. Pure.

Never: where they come from.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from recollect.errors import RecollectError
from recollect.text.normalization import storable_text
from recollect_proxy.identity import opaque_id

Row: TypeAlias = Mapping[str, Any]

_MILLISECONDS = 10**11
"""A larger number is not in seconds, which would mean a year after 5138."""

_SHARED = "shared-"


class SourceError(RecollectError):
    """The source of an import can't be read."""


class BrokenRowError(RecollectError):
    """A row can't be read."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory of the source product.

    Attributes:
        id: Its id in the product; if it has none, its text.
        user_id: Its owner.
        content: Its text, unchanged.
        is_always_told: Whether its type is `user`: OpenWebUI adds such a memory to every turn.
        path: The path under which it is filed, such as `family/sister`; "" for none.
        created_at: When it was created; None if unknown. Edits do not change it.
        said_at: When its present text was written; None if unknown.
        session_id: The id of the chat it comes from; None if unknown.
        is_manual: Whether its owner wrote it by hand.
        origin: The name of the product.
    """

    id: str
    user_id: str
    content: str
    is_always_told: bool = False
    path: str = ""
    created_at: datetime | None = None
    said_at: datetime | None = None
    session_id: str | None = None
    is_manual: bool = False
    origin: str = "openwebui"


@dataclass(frozen=True, slots=True)
class StoredChat:
    """A chat of the source product.

    Attributes:
        id: Its id, which the frontend also sends with each of its requests.
        user_id: Its owner.
        content: The tree of its messages, and further state of the web page.
        meta: Its metadata.
        created_at: When it began; None if unknown.
        current_id: The id of the last message on the displayed branch; None if the row lacks it.
        origin: The name of the product.
    """

    id: str
    user_id: str
    content: Row
    meta: Row
    created_at: datetime | None = None
    current_id: str | None = None
    origin: str = "openwebui"


def read_memory(row: Row, *, owner: str | None = None) -> StoredMemory:
    """Parse a row of the table `memory`.

    Args:
        row: The row.
        owner: The owner to use if the row names none.

    Raises:
        BrokenRowError: It has no text or no owner.
    """
    content = row.get("content")
    if not isinstance(content, str):
        raise BrokenRowError("it has no text")
    meta = as_object(row.get("meta"))
    created_at = moment(row.get("created_at"))
    return StoredMemory(
        id=storable_text(content if row.get("id") is None else str(row["id"])),
        user_id=_owner(row, owner),
        content=storable_text(content),
        is_always_told=row.get("type") == "user",
        path=storable_text(row["path"]).strip() if isinstance(row.get("path"), str) else "",
        created_at=created_at,
        said_at=moment(row.get("updated_at")) or created_at,
        session_id=opaque_id(meta.get("chat_id")),
        is_manual=meta.get("created_by") == "manual",
    )


def read_chat(row: Row, *, owner: str | None = None) -> StoredChat:
    """Parse a row of the table `chat`.

    Args:
        row: The row.
        owner: The owner to use if the row names none.

    Raises:
        BrokenRowError: It has no valid id, no messages or no owner.
    """
    chat_id = opaque_id(row.get("id"))
    content = as_object(row.get("chat"))
    if chat_id is None:
        raise BrokenRowError("its id is no valid id of a chat")
    if not content:
        raise BrokenRowError("its messages can't be read")
    return StoredChat(
        id=chat_id,
        user_id=_owner(row, owner),
        content=content,
        meta=as_object(row.get("meta")),
        created_at=moment(row.get("created_at")) or moment(content.get("timestamp")),
        current_id=opaque_id(row.get("current_message_id")),
    )


def is_shared_copy(row: Row) -> bool:
    """Tell whether a chat is the copy behind a shared link, which older releases store and which no user owns."""
    return isinstance(row.get("user_id"), str) and row["user_id"].startswith(_SHARED)


def name_of(row: Row) -> str:
    """Return the name of a row in error messages: the printable characters of its id, at most 100."""
    return "".join(filter(str.isprintable, str(row.get("id", "without id"))[:100]))


def as_object(value: object) -> Row:
    """Return a JSON object, from its text if need be; an empty one for anything else."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def moment(value: object) -> datetime | None:
    """Convert a Unix time in seconds, milliseconds, microseconds or nanoseconds; None if it is none of these."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        if not math.isfinite(value) or value <= 0:
            return None
    except OverflowError:  # JSON sets no limit to integers
        return None
    while value >= _MILLISECONDS:
        value /= 1000
    return datetime.fromtimestamp(value, UTC)


def _owner(row: Row, owner: str | None) -> str:
    user_id = opaque_id(row.get("user_id") or owner)
    if user_id is None:
        raise BrokenRowError("it names no owner")
    return user_id
