"""Detects by a chat request whether OpenWebUI's own memory is on. Pure.

OpenWebUI puts a person's memories, if there are any, into a system message. It also gives the model tools to search and to
write memories, even if there are none yet.
"""

import re
from typing import Any

import msgspec

from recollect.text.patterns import bounded
from recollect.wire import ChatBody

_BLOCKS = (
    ("<memory_context>\n", "\n</memory_context>"),
    ("<memory_user_context>\n", "\n</memory_user_context>"),
)
"""How OpenWebUI 0.12 and 0.9 enclose memories. Each mark has a line of its own; a mark within a line is only a mention."""

_LIST = bounded(r"^User Context:\n1\. \[(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|Unknown Date)\] ", re.MULTILINE)
"""How earlier releases list memories: numbered, each with its date."""

_TOOLS = frozenset({"search_memories", "add_memory", "replace_memory_content"})
"""The memory tools of OpenWebUI up to 0.12. A single one of these names may belong to another tool."""


class _Tools(msgspec.Struct):
    tools: list[Any] = []  # msgspec copies it


def has_builtin_memories(chat: ChatBody) -> bool:
    """Return whether a system message of the request contains memories of OpenWebUI."""
    system = (message.text for message in chat.messages if message.role in {"system", "developer"})
    return any(map(_tells, system))


def has_builtin_memory_tools(chat: ChatBody) -> bool:
    """Return whether the request offers the model at least two of OpenWebUI's memory tools."""
    try:
        tools = msgspec.json.decode(chat.raw, type=_Tools).tools
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return len(_TOOLS.intersection(map(_name, tools))) > 1


def _tells(text: str) -> bool:
    blocks = ((text.find(opening), closing) for opening, closing in _BLOCKS)
    is_block = any(start >= 0 and text.find(closing, start) >= 0 for start, closing in blocks)
    return is_block or _LIST.search(text) is not None


def _name(tool: object) -> str | None:
    """Return a tool's name: from ``function.name``, or in the Responses API from ``name``; None if it has none."""
    given = tool if isinstance(tool, dict) else {}
    function = given.get("function")
    name = (function if isinstance(function, dict) else given).get("name")
    return name if isinstance(name, str) else None
