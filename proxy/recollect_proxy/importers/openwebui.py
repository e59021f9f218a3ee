"""Reads rows of OpenWebUI's tables `memory` and `chat`, or of its exports, up to release 0.12. Pure."""

from collections.abc import Iterator, Sequence

from recollect.model import Role
from recollect.text.attribution.thoughts import without_data, without_thoughts
from recollect.text.normalization import storable_text
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    Said,
    SourceChat,
    SourceMemory,
    as_object,
    branch,
    moment,
    owner_of,
    parts_of,
)

_LONGEST_MODEL = 200
DOCTOR = "recollect-doctor"
"""The model that `recollect doctor` shows in OpenWebUI. Its answers count as failed."""


def read_item(item: Row) -> Iterator[SourceChat | SourceMemory]:
    """Yield the memory or the chat of a row.

    Raises:
        BrokenRowError: It can't be read.
    """
    yield read_chat(item) if "chat" in item else read_memory(item)


def read_memory(row: Row) -> SourceMemory:
    """Read a row of the table `memory`.

    Raises:
        BrokenRowError: It has no text, or its owner's id is none.
    """
    content = row.get("content")
    if not isinstance(content, str):
        raise BrokenRowError("it has no text")
    meta, path = as_object(row.get("meta")), row.get("path")
    created_at = moment(row.get("created_at"))
    return SourceMemory(
        id=storable_text(content if row.get("id") is None else str(row["id"])),
        user_id=owner_of(row.get("user_id")),
        content=storable_text(content),
        is_always_told=row.get("type") == "user",
        path=storable_text(path).strip() if isinstance(path, str) else "",
        created_at=created_at,
        said_at=moment(row.get("updated_at")) or created_at,
        session_id=opaque_id(meta.get("chat_id")),
        is_manual=meta.get("created_by") == "manual",
    )


def read_chat(row: Row) -> SourceChat:
    """Read a row of the table `chat`.

    Raises:
        BrokenRowError: It has no valid id or no messages, or its owner's id is none.
    """
    chat_id, content, meta = opaque_id(row.get("id")), as_object(row.get("chat")), as_object(row.get("meta"))
    if chat_id is None:
        raise BrokenRowError("its id is no valid id of a chat")
    if not content:
        raise BrokenRowError("its messages can't be read")
    left_out = "of an automation" if meta.get("automation_id") else ""
    return SourceChat(
        chat_id,
        owner_of(row.get("user_id")),
        [_message_of(each) for each in _branch(content, row) if each.get("role") != "system"],
        moment(row.get("created_at")) or moment(content.get("timestamp")),
        "of a sub-agent" if meta.get("internal") is True else left_out,
    )


def _branch(content: Row, row: Row) -> Sequence[Row]:
    """Return the messages of the displayed branch, oldest first. Very old releases store a list instead of a tree."""
    history = as_object(content.get("history"))
    messages, listed = history.get("messages"), content.get("messages")
    if not isinstance(messages, dict) or not messages:
        return list(_chained(listed if isinstance(listed, list) else []))
    shown = (history.get("currentId"), row.get("current_message_id"))
    current = next((id_ for id_ in shown if isinstance(id_, str) and id_ in messages), None)
    return branch(messages, current, "parentId", lambda message: message.get("timestamp"))


def _chained(listed: Sequence[object]) -> Iterator[Row]:
    parent: object = None
    for message in listed:
        if not isinstance(message, dict):
            raise BrokenRowError("one of its messages can't be read")
        yield {"parentId": parent, **message}
        parent = message.get("id")


def _message_of(message: Row) -> Said:
    role, id_, model = message.get("role"), opaque_id(message.get("id")), message.get("model")
    if role not in ("user", "assistant") or id_ is None:
        raise BrokenRowError("one of its messages can't be read")
    is_users = role == "user"
    return Said(
        id=id_,
        role=Role(role),
        text=storable_text(_text_of(message.get("content")) if is_users else _reply(message)),
        at=moment(message.get("timestamp")),
        model=storable_text(model[:_LONGEST_MODEL]) if isinstance(model, str) else "",
        parent=opaque_id(message.get("parentId")),
        is_written=as_object(message.get("meta")).get("internal") is not True,
        is_failed=not is_users and model == DOCTOR,
    )


def _text_of(content: object) -> str:
    if isinstance(content, list):
        content = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return parts_of(content)


def _reply(message: Row) -> str:
    """Return a model's words, without reasoning and tool calls; "" if the answer is an error."""
    if message.get("error"):
        return ""
    output = message.get("output")
    parts = [
        part.get("text")
        for item in (output if isinstance(output, list) else [])
        if isinstance(item, dict) and item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, dict) and part.get("type") == "output_text"
    ]
    said = "".join(part for part in parts if isinstance(part, str))
    return without_data(without_thoughts(said or _text_of(message.get("content"))))
