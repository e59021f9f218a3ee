"""Reads the items of other products' exports: chats and memories of ChatGPT and Claude, memories of mem0, lines of chat messages. Pure.

Lines of messages are as the chat completions API has them.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from recollect.model import Role
from recollect.text.normalization import storable_text
from recollect.text.patterns import anchored
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    Said,
    SourceChat,
    SourceMemory,
    as_object,
    branch,
    merge_answers,
    metadata_in,
    moment,
    parts_of,
    tags_in,
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


def read_chatgpt(item: Row) -> Iterator[SourceChat | SourceMemory]:
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
    messages = merge_answers(said for node in nodes if (said := _node_message(node)) is not None)
    yield SourceChat(chat_id, "", messages, moment(item.get("create_time")))
    yield from _saved_memories(nodes)


def _saved_memories(nodes: Sequence[Row]) -> Iterator[SourceMemory]:
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


def _saved_memory(text: str, at: datetime | None) -> SourceMemory:
    return SourceMemory(text, "", text, created_at=at, said_at=at)


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


_MEMORIES = ("conversations_memory", "project_memories")
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_SHORTEST = 3


def is_claude_file(name: str) -> bool:
    """Return by its name whether a file of the archive holds chats or memories."""
    return name in {"conversations.json", "memories.json"}


def read_claude(item: Row) -> Iterator[SourceChat | SourceMemory]:
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
    yield SourceChat(
        chat_id,
        "",
        merge_answers(map(_claude_message, _claude_branch(messages))),
        moment(item.get("created_at")),
    )


def _paragraphs(item: Row) -> Iterator[SourceMemory]:
    projects = item.get("project_memories")
    for text in (
        item.get("conversations_memory"),
        *(projects.values() if isinstance(projects, dict) else ()),
    ):
        for line in text_of(text).splitlines():
            said = line.strip().removeprefix("- ").removeprefix("* ").strip()
            is_heading = said.startswith("#") or (said.startswith("**") and said.rstrip(":").endswith("**"))
            if len(said) >= _SHORTEST and not is_heading:
                yield SourceMemory(said, "", said)


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
    text = parts_of([each for each in parts if isinstance(each, dict) and each.get("type") == "text"])
    return text or text_of(message.get("text"))


_TEXTS = ("memory", "data", "text", "content")


def read_mem0(item: Row) -> Iterator[SourceMemory]:
    """Yield a memory.

    Raises:
        BrokenRowError: It has no text.
    """
    payload = item.get("payload")
    merged = {**item, **payload} if isinstance(payload, dict) else item
    content = next((merged[name] for name in _TEXTS if isinstance(merged.get(name), str)), None)
    if content is None:
        raise BrokenRowError("it has no text")
    id_, at = item.get("id"), moment(merged.get("created_at"))
    yield SourceMemory(
        id=storable_text(str(id_) if isinstance(id_, str | int) else content),
        user_id=opaque_id(merged.get("user_id")) or "",
        content=storable_text(content),
        created_at=at,
        said_at=moment(merged.get("updated_at")) or at,
        tags=tags_in(merged.get("categories")),
        metadata=metadata_in(merged.get("metadata")),
    )


_CHATS = ("chat_id", "session_id", "conversation_id", "thread_id", "id")
_USERS = ("user_id", "user")
_TIMES = ("created_at", "created", "timestamp", "time")
_UNSPOKEN = frozenset({"system", "developer", "tool", "function"})


def read_line(item: Row) -> Iterator[SourceChat]:
    """Yield the chat of a line. A chat without an id gets one that is derived from its first messages.

    Raises:
        BrokenRowError: It holds no messages.
    """
    messages = item.get("messages")
    if not isinstance(messages, list):
        raise BrokenRowError("it holds no list of messages")
    said = merge_answers(_messages_of(messages, text_of(item.get("model"))))
    yield SourceChat(_first_id(item, _CHATS) or _name_of(said), _first_id(item, _USERS), said, _time(item))


def _messages_of(messages: list[Any], model: str) -> Iterator[Said]:
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BrokenRowError("one of its messages can't be read")
        role = message.get("role")
        if role in ("user", "assistant"):
            yield Said(
                opaque_id(message.get("id")) or str(number),
                Role(role),
                parts_of(message.get("content")),
                _time(message),
                text_of(message.get("model")) or model,
                is_failed=role == "assistant" and bool(message.get("error")),
            )
        elif not isinstance(role, str) or role not in _UNSPOKEN:
            raise BrokenRowError("one of its messages has an unknown role")


def _first_id(item: Row, names: Sequence[str]) -> str:
    return next((text for name in names if (text := opaque_id(item.get(name)))), "")


def _time(item: Row) -> datetime | None:
    return next((at for name in _TIMES if (at := moment(item.get(name))) is not None), None)


def _name_of(messages: Sequence[Said]) -> str:
    """Derive an id from a chat's first three messages, so that it stays the same when the chat goes on."""
    begun = [(each.role, each.text) for each in messages[:3]]
    return f"jsonl-{sha256(msgspec.json.encode(begun)).hexdigest()[:32]}"
