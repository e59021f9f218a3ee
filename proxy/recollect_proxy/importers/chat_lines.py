"""Reads lines of chat messages, as the chat completions API has them. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from recollect.model import Role
from recollect_proxy.identity.caller import opaque_id
from recollect_proxy.importers.common_format import (
    BrokenRowError,
    Row,
    Said,
    StoredChat,
    in_order,
    moment,
    parts_of,
    text_of,
)

_CHATS = ("chat_id", "session_id", "conversation_id", "thread_id", "id")
_USERS = ("user_id", "user")
_TIMES = ("created_at", "created", "timestamp", "time")
_UNSPOKEN = frozenset({"system", "developer", "tool", "function"})


def read_line(item: Row) -> Iterator[StoredChat]:
    """Yield the chat of a line. A chat without an id gets one that is derived from its first messages.

    Raises:
        BrokenRowError: It holds no messages.
    """
    messages = item.get("messages")
    if not isinstance(messages, list):
        raise BrokenRowError("it holds no list of messages")
    told = in_order(_messages_of(messages, text_of(item.get("model"))))
    yield StoredChat(_first_id(item, _CHATS) or _name_of(told), _first_id(item, _USERS), told, _time(item))


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
