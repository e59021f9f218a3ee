"""Tells by a chat request whether OpenWebUI's own memory is on. Pure. Never: what it remembers.

It is told to the model in a system message, where a person has any; and the model is given tools to look into it, and to
write there, even where it is still empty.
"""

import re
from typing import Any

import msgspec

from recollect.chat import ChatBody
from recollect.text.patterns import bounded

_BLOCKS = (
    ("<memory_context>\n", "\n</memory_context>"),
    ("<memory_user_context>\n", "\n</memory_user_context>"),
)
"""As 0.12 tells memories, and 0.9: each mark in a line of its own, so that what speaks of them is none."""

_LIST = bounded(r"^User Context:\n1\. \[(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|Unknown Date)\] ", re.MULTILINE)
"""As releases before told them: numbered, each with its day."""

_TOOLS = frozenset({"search_memories", "add_memory", "replace_memory_content"})
"""Tools of 0.12 and before; one of them alone may be anybody's."""


class _Tools(msgspec.Struct):
    tools: list[Any] = []  # msgspec copies it


def has_builtin_memories(chat: ChatBody) -> bool:
    """Tell whether a request has a system message in which memories of OpenWebUI stand."""
    system = (message.text for message in chat.messages if message.role in {"system", "developer"})
    return any(map(_tells, system))


def has_builtin_memory_tools(chat: ChatBody) -> bool:
    """Tell whether a request gives the model the tools of OpenWebUI's memory."""
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
    """Return a tool's name; it stands in `function`, or, in the Responses API, beside it."""
    given = tool if isinstance(tool, dict) else {}
    function = given.get("function")
    name = (function if isinstance(function, dict) else given).get("name")
    return name if isinstance(name, str) else None
