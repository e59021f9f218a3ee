"""Finds blocks that frontends and agents put into a message of the user. Pure. Never: those of our own.

Tags are only taken for such a block where one opens a line and is closed.
"""

import re
from collections.abc import Iterator

from recollect.formation.reading.cutting import Span
from recollect.patterns import bounded, linear

_NAMES = (
    "memory_context memory_user_context memory memories user_memory user_memories retrieved_memories relevant_memories "
    "recollect_memories recollect_history attached_files attached_file attachment attachments source sources user_context "
    "system-reminder system_reminder system_instruction environment_details environment_context context retrieved_context "
    "file files file_content document documents search_results search_result web_search_results tool_result tool_results "
    "tool_response function_results background_information knowledge_base editor_selection open_files selected_code "
    "chat_history conversation_history transcript"
)
_TAG = bounded(
    rf"(?P<line>(?:^|(?<=\n))[ \t]{{0,8}})?<(?P<closes>/?)(?P<name>{'|'.join(map(re.escape, sorted(_NAMES.split(), key=len, reverse=True)))})"
    r"(?=[\s>/])(?:[^<>\n]{0,500})>",
    re.IGNORECASE,
)
_NOTICE = linear(
    r"^(?:"
    r"System: \[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,40}\][^\n]*"  # OpenClaw's events, in front of what was typed
    r"|[A-Z][\w ]{0,60} \(untrusted(?: metadata|,[^)\n]{0,80})?\):[ \t]*"  # the same one's word on who speaks
    r"|\[Historical voice assistant transcript;[^\]\n]{0,200}\][^\n]*"
    r")$",
    re.MULTILINE,
)


def frontend_blocks(text: str) -> list[Span]:
    """Return where blocks of frontends stand, in order, and lines that agents put in front."""
    return sorted([*_tagged(text), *(notice.span() for notice in _NOTICE.finditer(text))])


def _tagged(text: str) -> Iterator[Span]:
    tags = list(_TAG.finditer(text))
    last_closing = {tag["name"].lower(): tag.start() for tag in tags if tag["closes"]}
    opening: re.Match[str] | None = None
    depth = 0
    for tag in tags:
        name = tag["name"].lower()
        if opening is None:
            if not tag["closes"] and tag["line"] is not None and last_closing.get(name, -1) > tag.start():
                opening, depth = tag, 1
        elif name == opening["name"].lower():
            depth += -1 if tag["closes"] else 1
            if depth == 0 or tag.start() == last_closing[name]:
                yield opening.start(), tag.end()
                opening = None
