"""Parses lines of chat messages in the format of the chat completions API. Pure. Never: where lines come from.

A line is a list of messages, or an object with `messages`.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from recollect_proxy.identity import opaque_id
from recollect_proxy.importers.file_source import joined, seconds, text_of, tree
from recollect_proxy.importers.rows import BrokenRowError, Row

_CHATS = ("chat_id", "session_id", "conversation_id", "thread_id", "id")
_USERS = ("user_id", "user")
_TIMES = ("created_at", "created", "timestamp", "time")


def read_chat(item: Row) -> Row:
    """Convert a line to the row of a chat. A chat without an id gets one that is derived from its first messages.

    Raises:
        BrokenRowError: It holds no messages.
    """
    messages = item.get("messages")
    if not isinstance(messages, list):
        raise BrokenRowError("it holds no list of messages")
    told = joined(list(_messages(messages)))
    chat_id = next((text for name in _CHATS if (text := opaque_id(item.get(name)))), None)
    user = next((text for name in _USERS if (text := opaque_id(item.get(name)))), None)
    at = next((at for name in _TIMES if (at := seconds(item.get(name))) is not None), None)
    model = text_of(item.get("model"))
    said = [{**each, "model": each["model"] or model} for each in told]
    return tree({"id": chat_id or _name_of(told), "user_id": user}, said, created_at=at)


def _messages(messages: list[Any]) -> Iterator[Row]:
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise BrokenRowError("one of its messages can't be read")
        role = message.get("role")
        if role in {"system", "developer", "tool", "function"}:
            continue
        if role not in {"user", "assistant"}:
            raise BrokenRowError("one of its messages has an unknown role")
        at = next((at for name in _TIMES if (at := seconds(message.get(name))) is not None), None)
        yield {
            "id": opaque_id(message.get("id")) or str(number),
            "role": role,
            "content": _content(message.get("content")),
            "timestamp": at,
            "model": text_of(message.get("model")),
            "failed": role == "assistant" and bool(message.get("error")),
        }


def _content(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(filter(None, map(text_of, texts)))


def _name_of(messages: list[Row]) -> str:
    """Derive an id from a chat's first three messages, so that it stays the same when the chat goes on."""
    begun = [(each["role"], each["content"]) for each in messages[:3]]
    return f"jsonl-{sha256(msgspec.json.encode(begun)).hexdigest()[:32]}"
