"""Parses chats and memories of Claude's data export. Pure. Never: an archive."""

from collections.abc import Iterator
from typing import Any

from recollect_proxy.identity import opaque_id
from recollect_proxy.importers.file_source import joined, seconds, text_of, tree
from recollect_proxy.importers.rows import BrokenRowError, Row

CONVERSATIONS, MEMORIES = "conversations.json", "memories.json"
_ROLES = {"human": "user", "assistant": "assistant"}
_SHORTEST = 3


def read_chat(item: Row) -> Row:
    """Convert a chat to a row with the branch that ends in its latest message.

    Raises:
        BrokenRowError: It has no id or no messages.
    """
    chat_id, messages = opaque_id(item.get("uuid")), item.get("chat_messages")
    if chat_id is None:
        raise BrokenRowError("it has no id")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise BrokenRowError("its messages can't be read")
    told = [message for each in _branch(messages) if (message := _message(each)) is not None]
    return tree({"id": chat_id}, joined(told), created_at=seconds(item.get("created_at")))


def read_memories(item: Row) -> Iterator[Row]:
    """Yield Claude's memories of chats and projects as rows, one per paragraph."""
    projects = item.get("project_memories")
    texts = [item.get("conversations_memory"), *(projects.values() if isinstance(projects, dict) else ())]
    for text in texts:
        for line in text_of(text).splitlines():
            said = line.strip().removeprefix("- ").removeprefix("* ").strip()
            if len(said) >= _SHORTEST and not _is_heading(said):
                yield {"id": said, "content": said}


def _is_heading(line: str) -> bool:
    return line.startswith("#") or (line.startswith("**") and line.rstrip(":").endswith("**"))


def _branch(messages: list[Any]) -> list[Row]:
    """Return the messages up to the last one by their parents; all of them where they do not tell these."""
    by_id = {each["uuid"]: each for each in messages if isinstance(each.get("uuid"), str)}
    if not messages or len(by_id) < len(messages) or not any(_parent(each) in by_id for each in messages):
        return messages
    branch: list[Row] = []
    current: object = max(messages, key=lambda each: seconds(each.get("created_at")) or 0.0)["uuid"]
    visited: set[str] = set()
    while isinstance(current, str) and current in by_id and current not in visited:
        visited.add(current)
        branch.append(by_id[current])
        current = _parent(by_id[current])
    return branch[::-1]


def _parent(message: Row) -> object:
    return message.get("parent_message_uuid")


def _message(message: Row) -> Row | None:
    role, id_ = _ROLES.get(str(message.get("sender"))), opaque_id(message.get("uuid"))
    if role is None or id_ is None:
        raise BrokenRowError("one of its messages can't be read")
    failed = role == "assistant" and bool(message.get("error") or message.get("stop_reason") == "error")
    return {
        "id": id_,
        "role": role,
        "content": "" if failed else _text(message),
        "timestamp": seconds(message.get("created_at")),
        "model": text_of(message.get("model")),
        "failed": failed,
    }


def _text(message: Row) -> str:
    """Return the text parts of a message, without thinking and tools; its plain text if it has no parts."""
    parts = message.get("content")
    texts = [
        part.get("text")
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, dict) and part.get("type") == "text"
    ]
    return "\n".join(filter(None, map(text_of, texts))) or text_of(message.get("text"))
