"""Parses chats of ChatGPT's data export: trees of messages, of which the current branch was displayed. Pure.

ChatGPT's saved memories are found in the chats: in the calls of its tool `bio`, and in the context given to the model.
"""

from collections.abc import Iterator
from typing import Any

from recollect.text.patterns import anchored
from recollect_proxy.identity import opaque_id
from recollect_proxy.importers.file_source import joined, seconds, text_of, tree
from recollect_proxy.importers.rows import BrokenRowError, Row

_SPOKEN = frozenset({"text", "multimodal_text"})
_FAILED = frozenset({"system_error", "error"})
_MOST_NODES = 200_000
_SAVED = anchored(r"[0-9]{1,5}\. ?\[([0-9]{4}-[0-9]{2}-[0-9]{2})\]\.? ?")
"""What precedes each memory in the model's context, at the start of a line: "1. [2024-04-01]. Likes tea."."""


def is_conversations(name: str) -> bool:
    """Tell by its name whether a file of the archive holds chats; a large export has several numbered files."""
    stem, _, ending = name.rpartition(".")
    return ending == "json" and (
        stem == "conversations" or (stem.startswith("conversations-") and stem[14:].isdigit())
    )


def read_chat(item: Row) -> Row:
    """Convert a chat to a row with the branch that was displayed last.

    Raises:
        BrokenRowError: It has no id or no tree.
    """
    chat_id = opaque_id(item.get("conversation_id")) or opaque_id(item.get("id"))
    if chat_id is None:
        raise BrokenRowError("it has no id")
    messages = [message for node in _branch(item) if (message := _message(node)) is not None]
    return tree({"id": chat_id}, joined(messages), created_at=seconds(item.get("create_time")))


def read_memories(item: Row) -> Iterator[Row]:
    """Yield the memories that ChatGPT saved, as far as a chat contains them, as rows."""
    for node in _branch(item):
        message = node.get("message")
        if not isinstance(message, dict):
            continue
        at = seconds(message.get("create_time"))
        content = _object(message.get("content"))
        if content.get("content_type") == "model_editable_context":
            yield from _given(text_of(content.get("model_set_context")))
        elif message.get("recipient") == "bio":
            text = _text(content).strip()
            if text:
                yield {"id": text, "content": text, "created_at": at, "updated_at": at}


def _given(context: str) -> Iterator[Row]:
    for line in context.splitlines():
        found = _SAVED.match(line)
        if found is not None and (text := line[found.end() :].strip()):
            at = seconds(found[1])
            yield {"id": text, "content": text, "created_at": at, "updated_at": at}


def _branch(item: Row) -> list[Row]:
    """Return the nodes of the current branch, oldest first.

    Raises:
        BrokenRowError: There is no tree, or a node can't be read.
    """
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        raise BrokenRowError("it has no tree of messages")
    current = item.get("current_node")
    if not isinstance(current, str) or current not in mapping:
        current = max(mapping, key=lambda name: _time(mapping[name]), default=None)
    branch: list[Row] = []
    visited: set[str] = set()
    while (
        isinstance(current, str)
        and current in mapping
        and current not in visited
        and len(visited) < _MOST_NODES
    ):
        visited.add(current)
        node = mapping[current]
        if not isinstance(node, dict):
            raise BrokenRowError("one of its messages can't be read")
        branch.append({**node, "id": current})
        current = node.get("parent")
    return branch[::-1]


def _time(node: object) -> float:
    return seconds(_object(_object(node).get("message")).get("create_time")) or 0.0


def _message(node: Row) -> Row | None:
    """Return a node's message; None for messages of tools and the system, and for hidden ones."""
    message = _object(node.get("message"))
    role = _object(message.get("author")).get("role")
    content, metadata = _object(message.get("content")), _object(message.get("metadata"))
    kind = content.get("content_type")
    if role not in {"user", "assistant"} or metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    failed = role == "assistant" and (kind in _FAILED or metadata.get("is_error") is True)
    if not failed and (kind not in _SPOKEN or message.get("recipient", "all") not in {"all", None}):
        return None
    return {
        "id": node["id"],
        "role": role,
        "content": "" if failed else _text(content),
        "timestamp": seconds(message.get("create_time")),
        "model": text_of(metadata.get("model_slug")),
        "failed": failed,
    }


def _text(content: Row) -> str:
    parts = content.get("parts")
    texts = [
        part if isinstance(part, str) else _object(part).get("text")
        for part in (parts if isinstance(parts, list) else [])
    ]
    return "\n".join(filter(None, map(text_of, texts)))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
