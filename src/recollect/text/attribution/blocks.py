"""Finds what machines put into a message of the user: blocks of frontends and agents, and lines of our own. Pure.

Tags are only taken for such a block where one opens a line and is closed. Never: what else is not the person's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.text.attribution.cuts import Span, lines_of
from recollect.text.normalization import normalize
from recollect.text.patterns import anchored, bounded, linear

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
_BULLET = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:\[[A-Z][A-Z_]{2,20}(?: BY [^\]\n]{1,80})?(?:[,;:][^\]\n]{0,60})?\]|(?:User|Assistant|Summary):)[ \t]*"
)
_SAID_ON = anchored(
    r"[ \t]*[-*\u2022][ \t]+(?:User(?: [^:\n]{1,60})?|Assistant|Summary|Exchange), [0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?: \(no longer so\))?:[ \t]*"
)
_OURS = anchored(r"[ \t]*\u2022[ \t]+")
"""How statements begin."""
_PLAIN_BULLET = anchored(r"[-*\u2022][ \t]+")
_DATE = bounded(r"[ \t]*\([0-9]{4}-[0-9]{2}-[0-9]{2}[^()\n]{0,80}\)[ \t]*$")
"""How lines of earlier versions ended."""
_NOTE = bounded(
    r"[ \t]*\((?:(?:(?:on|due|since|only from|until|was so until) [0-9]{4}-[0-9]{2}-[0-9]{2}|may no longer hold|the user also said otherwise)"
    r"(?:, )?){1,4}\)[ \t]*$"
)
_LEAST = 2
"""So many of our lines together are no coincidence."""


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


def injected_lines(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return what the bullets of our blocks say, each once: without label and date, on one line.

    Args:
        blocks: As they were added to prompts.
    """
    found: dict[str, None] = {}
    for block in blocks:
        found |= dict.fromkeys(filter(None, map(_bare, _bullets(block))))
    return tuple(found)


def returned_lines(text: str, blocks: Sequence[str]) -> list[Span]:
    """Return where lines of ``text`` stand that are ours.

    A line in the form of our bullets is, with words of a block, or with who said it or a label and when. A line without
    that form is only where at least two stand together: the person may well say again what they said once.
    """
    known = {normalize(_bare(line)) for block in blocks for line in [*_bullets(block), *block.splitlines()]}
    found: list[Span] = []
    together: list[Span] = []
    for start, end in lines_of(text):
        line = text[start:end].strip("\n\r")
        if not line.strip():
            continue
        if normalize(_bare(line)) in known:
            together.append((start, end))
            is_bullet = bool(_OURS.match(line) or _BULLET.match(line) or _SAID_ON.match(line))
        else:
            _keep(found, together)
            together = []
            is_bullet = bool(_SAID_ON.match(line) or (_BULLET.match(line) and _DATE.search(line)))
        if is_bullet:
            found.append((start, end))
    _keep(found, together)
    return sorted(set(found))


def _keep(found: list[Span], together: list[Span]) -> None:
    if len(together) >= _LEAST:
        found += together


def _bullets(block: str) -> Iterator[str]:
    """Yield each bullet with the lines that go on with it."""
    bullet: list[str] = []
    for line in block.splitlines():
        if _PLAIN_BULLET.match(line):
            if bullet:
                yield " ".join(bullet)
            bullet = [line]
        elif bullet and line.startswith("  "):
            bullet.append(line.strip())
        elif bullet:
            yield " ".join(bullet)
            bullet = []
    if bullet:
        yield " ".join(bullet)


def _bare(line: str) -> str:
    opening = _SAID_ON.match(line) or _BULLET.match(line) or _PLAIN_BULLET.match(line)
    return _NOTE.sub("", _DATE.sub("", line[opening.end() if opening else 0 :])).strip()
