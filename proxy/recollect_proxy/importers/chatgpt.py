"""Reads the chats in an export of ChatGPT, and the memories in them. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from recollect.model import Role
from recollect.text.patterns import anchored
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    Said,
    StoredChat,
    StoredMemory,
    as_object,
    branch,
    in_order,
    moment,
    parts_of,
    text_of,
)

_SPOKEN = frozenset({"text", "multimodal_text"})
_FAILED = frozenset({"system_error", "error"})
_SAVED = anchored(r"[0-9]{1,5}\. ?\[([0-9]{4}-[0-9]{2}-[0-9]{2})\]\.? ?")
"""The mark before each memory in the model's context, at the start of a line: "1. [2024-04-01]. Likes tea."."""


def is_chatgpt_file(name: str) -> bool:
    """Return by its name whether a file of the archive holds chats; a large export has several numbered files."""
    stem, _, ending = name.rpartition(".")
    number = stem.removeprefix("conversations-")
    return ending == "json" and (stem == "conversations" or (number != stem and number.isdigit()))


def read_chatgpt(item: Row) -> Iterator[StoredChat | StoredMemory]:
    """Yield a chat, with the branch that was displayed last, and the memories that it contains.

    Raises:
        BrokenRowError: It has no id or no tree.
    """
    chat_id = opaque_id(item.get("conversation_id")) or opaque_id(item.get("id"))
    if chat_id is None:
        raise BrokenRowError("it has no id")
    mapping = item.get("mapping")
    if not isinstance(mapping, dict):
        raise BrokenRowError("it has no tree of messages")
    nodes = branch(
        mapping,
        item.get("current_node"),
        "parent",
        lambda node: as_object(node.get("message")).get("create_time"),
    )
    messages = in_order(said for node in nodes if (said := _node_message(node)) is not None)
    yield StoredChat(chat_id, "", messages, moment(item.get("create_time")))
    yield from _saved_memories(nodes)


def _saved_memories(nodes: Sequence[Row]) -> Iterator[StoredMemory]:
    for node in nodes:
        message = as_object(node.get("message"))
        at, content = moment(message.get("create_time")), as_object(message.get("content"))
        if content.get("content_type") == "model_editable_context":
            for line in text_of(content.get("model_set_context")).splitlines():
                found = _SAVED.match(line)
                if found is not None and (text := line[found.end() :].strip()):
                    yield _saved_memory(text, moment(found[1]))
        elif message.get("recipient") == "bio" and (text := _node_text(content).strip()):
            yield _saved_memory(text, at)


def _saved_memory(text: str, at: datetime | None) -> StoredMemory:
    return StoredMemory(text, "", text, created_at=at, said_at=at)


def _node_message(node: Row) -> Said | None:
    """Return a node's message; None for messages of tools and the system, and for hidden ones."""
    message = as_object(node.get("message"))
    role = as_object(message.get("author")).get("role")
    content, metadata = as_object(message.get("content")), as_object(message.get("metadata"))
    kind = content.get("content_type")
    if role not in {"user", "assistant"} or metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    failed = role == "assistant" and (kind in _FAILED or metadata.get("is_error") is True)
    if not failed and (kind not in _SPOKEN or message.get("recipient", "all") not in {"all", None}):
        return None
    return Said(
        node["id"],
        Role(role),
        "" if failed else _node_text(content),
        moment(message.get("create_time")),
        text_of(metadata.get("model_slug")),
        is_failed=failed,
    )


def _node_text(content: Row) -> str:
    parts = content.get("parts")
    return parts_of(parts if isinstance(parts, list) else [])
