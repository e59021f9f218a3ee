"""Reads the chats and memories in an export of Claude. Pure."""

from collections.abc import Iterator
from typing import Any

from recollect.model import Role
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    Said,
    StoredChat,
    StoredMemory,
    branch,
    in_order,
    moment,
    parts_of,
    text_of,
)

_MEMORIES = ("conversations_memory", "project_memories")
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_SHORTEST = 3


def is_claude_file(name: str) -> bool:
    """Return by its name whether a file of the archive holds chats or memories."""
    return name in {"conversations.json", "memories.json"}


def read_claude(item: Row) -> Iterator[StoredChat | StoredMemory]:
    """Yield a chat, with the branch that ends in its latest message; or memories of chats and projects, one per paragraph.

    Raises:
        BrokenRowError: It has no id or no messages.
    """
    if any(name in item for name in _MEMORIES):
        yield from _paragraphs(item)
        return
    chat_id, messages = opaque_id(item.get("uuid")), item.get("chat_messages")
    if chat_id is None:
        raise BrokenRowError("it has no id")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise BrokenRowError("its messages can't be read")
    yield StoredChat(
        chat_id, "", in_order(map(_claude_message, _claude_branch(messages))), moment(item.get("created_at"))
    )


def _paragraphs(item: Row) -> Iterator[StoredMemory]:
    projects = item.get("project_memories")
    for text in (
        item.get("conversations_memory"),
        *(projects.values() if isinstance(projects, dict) else ()),
    ):
        for line in text_of(text).splitlines():
            said = line.strip().removeprefix("- ").removeprefix("* ").strip()
            is_heading = said.startswith("#") or (said.startswith("**") and said.rstrip(":").endswith("**"))
            if len(said) >= _SHORTEST and not is_heading:
                yield StoredMemory(said, "", said)


def _claude_branch(messages: list[Any]) -> list[Row]:
    """Return the messages up to the latest by their parents; all of them if they do not name these."""
    by_id = {each["uuid"]: each for each in messages if isinstance(each.get("uuid"), str)}
    if len(by_id) < len(messages) or not any(each.get("parent_message_uuid") in by_id for each in messages):
        return messages
    return branch(by_id, None, "parent_message_uuid", lambda message: message.get("created_at"))


def _claude_message(message: Row) -> Said:
    role, id_ = _ROLES.get(str(message.get("sender"))), opaque_id(message.get("uuid"))
    if role is None or id_ is None:
        raise BrokenRowError("one of its messages can't be read")
    failed = role is Role.ASSISTANT and bool(message.get("error") or message.get("stop_reason") == "error")
    return Said(
        id_,
        role,
        "" if failed else _claude_text(message),
        moment(message.get("created_at")),
        text_of(message.get("model")),
        is_failed=failed,
    )


def _claude_text(message: Row) -> str:
    """Return the text parts of a message, without thinking and tools; its plain text if it has no parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    told = parts_of([each for each in parts if isinstance(each, dict) and each.get("type") == "text"])
    return told or text_of(message.get("text"))
