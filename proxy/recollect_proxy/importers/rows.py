"""Reads rows as OpenWebUI keeps or exports them, of any of its releases. Pure. Never: where they come from.

The columns are those of its `memory` and `chat` tables, 0.12 and before.
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
"""A time that is larger is no count of seconds: these would be in the year 5138."""

_SHARED = "shared-"


class SourceError(RecollectError):
    """What is to be imported can't be read."""


class BrokenRowError(RecollectError):
    """A row can't be read."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory of OpenWebUI.

    Attributes:
        id: Its id there; of one without id its text.
        user_id: Whose.
        content: Its text, as it stands.
        is_always_told: Whether it is of the type `user`, which OpenWebUI tells the model in every turn.
        path: Where it is filed, as `family/sister`; "" if nowhere.
        created_at: When it was first written; None if that is not known. It stays, whatever is written over it.
        said_at: When it was written as it stands; None if that is not known.
        session_id: The chat it comes from, if known.
        is_manual: Whether the person wrote it themselves.
        origin: The product it is from.
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
    """A chat of OpenWebUI.

    Attributes:
        id: Its id, which comes with each of its requests.
        user_id: Whose.
        content: Its messages, as a tree, and what else the web page keeps of it.
        meta: What is special about it.
        created_at: When it began; None if that is not known.
        current_id: The last message of the branch that is shown, if the row says it.
        origin: The product it is from.
    """

    id: str
    user_id: str
    content: Row
    meta: Row
    created_at: datetime | None = None
    current_id: str | None = None
    origin: str = "openwebui"


def read_memory(row: Row, *, owner: str | None = None) -> StoredMemory:
    """Read a row of the table `memory`.

    Args:
        row: The row.
        owner: Whose it is, where it does not say so itself.

    Raises:
        BrokenRowError: It has no text, or it is not known whose it is.
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
    """Read a row of the table `chat`.

    Args:
        row: The row.
        owner: Whose it is, where it does not say so itself.

    Raises:
        BrokenRowError: It has no usable id, holds no messages, or it is not known whose it is.
    """
    chat_id = opaque_id(row.get("id"))
    content = as_object(row.get("chat"))
    if chat_id is None:
        raise BrokenRowError("its id is none that a chat can have")
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
    """Tell whether a chat is the copy that older releases keep of one that is shared by a link: nobody's own."""
    return isinstance(row.get("user_id"), str) and row["user_id"].startswith(_SHARED)


def name_of(row: Row) -> str:
    """Return what a row is called in messages: its id, as far as it can be shown."""
    return "".join(filter(str.isprintable, str(row.get("id", "without id"))[:100]))


def as_object(value: object) -> Row:
    """Return a JSON object, as it stands in a column or as a database read it; of anything else an empty one."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def moment(value: object) -> datetime | None:
    """Return a time that is written as seconds since 1970, or milli-, micro- or nanoseconds; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        if not math.isfinite(value) or value <= 0:
            return None
    except OverflowError:  # JSON's whole numbers may be of any length
        return None
    while value >= _MILLISECONDS:
        value /= 1000
    return datetime.fromtimestamp(value, UTC)


def _owner(row: Row, owner: str | None) -> str:
    user_id = opaque_id(row.get("user_id") or owner)
    if user_id is None:
        raise BrokenRowError("it does not say whose it is")
    return user_id
