"""Separates a user's own words from text that a frontend put around them.

It knows the shapes of Open WebUI 0.12 (the RAG template, attached files, cited sources, its own memories), other frontends' files,
and our own fences, which a frontend may send back. A tag counts only at a place where a frontend puts it. It never raises.
"""

import re
from collections.abc import Iterator, Sequence

from recollect.model import Message, Role
from recollect.text.attribution import is_context, without_frame
from recollect.text.attribution.text_spans import cut
from recollect.text.attribution.thoughts import without_data, without_thoughts
from recollect.text.patterns import Pattern, anchored, bounded
from recollect.wire.request_body import ChatMessage

_TEMPLATE = "### Task:"
_TEMPLATE_CONTEXT = bounded(r"^<context>(?:[ \t]*\r?$|\s*<source )", re.MULTILINE)
_ANY_CONTEXT = bounded(r"^<context>\s*<source (?:id|name)=\"", re.MULTILINE)
_CONTEXT_CLOSES = "</context>"
_QUERY_OPENS, _QUERY_CLOSES = "<user_query>", "</user_query>"
_SOURCE = anchored(r"\s*<source (?:id|name)=\"")
_SOURCE_CLOSES = "</source>"
_BLOCKS = (
    (bounded(r"^<attached_files>[ \t]*\r?$", re.MULTILINE), "</attached_files>"),
    (bounded(r"^<attached_documents>[ \t]*\r?$", re.MULTILINE), "</attached_documents>"),
    (bounded(r"^<memory_context>", re.MULTILINE), "</memory_context>"),
    (bounded(r"^<memory_user_context>", re.MULTILINE), "</memory_user_context>"),
)

_OUR_FENCE = bounded(r"^<(?P<closes>/?)recollect_(?P<what>memories|history)>[ \t]*\r?$", re.MULTILINE)


def authored_text(message: ChatMessage, *, by_agent: bool = False) -> str:
    """Return the author's own words in a message: its text parts, joined by line ends; "" where nothing is left.

    An assistant's text loses its thoughts; each of a user's loses retrieved documents, lists of attached files, files written
    into it, source tags, injected memories and our own fenced blocks. Of several parts those are left out that an agent wrote
    around the words (``<system-reminder>``). A coding agent joins several messages of its person as parts, and writes no file
    so. A mark stands for each image that is written into a text.
    """
    if message.role == "assistant":
        return without_thoughts(without_data(message.text))
    if message.role != "user":
        return message.text
    if isinstance(message.content, str):  # as nearly all of a long chat
        return _unwrapped(without_data(message.content))
    texts = message.texts
    if isinstance(message.content, list) and len(message.content) > 1:
        texts = [text for text in texts if not is_context(text)]
    # An agent's parts come before the words, so they are gone when the parts behind the words are looked at.
    words = texts if by_agent else without_file_parts(texts)
    return "\n".join(filter(None, (_unwrapped(without_data(text)) for text in words)))


def known_by(message: Message) -> str:
    """Return the words that identify a message; of a user's message, the words without a client's own additions."""
    if message.role is not Role.USER or "<" not in message.text or "</" not in message.text:
        return message.text
    # An editor says with each message which files are open, and these change.
    return without_frame(message.text)


def own_blocks(text: str) -> list[tuple[int, int]]:
    """Find where in a text our fenced blocks stand, in order: from its first character to behind its last."""
    found: list[tuple[int, int]] = []
    if "recollect_" not in text:  # a hundred times as fast as to search for tags
        return found
    opening: re.Match[str] | None = None
    for tag in _OUR_FENCE.finditer(text):
        if not tag["closes"]:
            opening = tag  # the last one counts: a block of ours holds no fence, but words in front of it may
        elif opening and opening["what"] == tag["what"]:
            found.append((opening.start(), tag.end()))
            opening = None
    return found


def _unwrapped(text: str) -> str:
    text = without_files(text).strip()
    if "<" not in text:
        return text
    # Ours first: a quote in one may look like the end of another.
    text = cut(text, own_blocks(text)).strip()
    text = _without_retrieved(text)
    for opens, closes in _BLOCKS:
        if closes in text:
            text = cut(text, _blocks(text, opens, closes))
    return _without_sources(text).strip()


def _blocks(text: str, opens: Pattern, closes: str) -> Iterator[tuple[int, int]]:
    """Yield the span of every closed block, in one pass over the text; an open one stays."""
    at = 0
    for opening in opens.finditer(text):
        if opening.start() < at:
            continue  # within the block before
        if (end := text.find(closes, opening.end())) < 0:
            break
        at = end + len(closes)
        yield opening.start(), at


def _without_retrieved(text: str) -> str:
    """Cut off the RAG template in front of the question."""
    # The last closing tag: a document may hold one, too, and its words must never pass as the user's.
    end = text.rfind(_CONTEXT_CLOSES)
    if end < 0:
        return text
    shape = _TEMPLATE_CONTEXT if text.startswith(_TEMPLATE) else _ANY_CONTEXT
    if shape.search(text, 0, end) is None:
        return text
    return _query(text[end + len(_CONTEXT_CLOSES) :].strip())


def _query(text: str) -> str:
    """Unwrap the question from the tags an older template puts it in, before the question itself."""
    end = text.find(_QUERY_CLOSES)
    if not text.startswith(_QUERY_OPENS) or end < 0:
        return text
    return text[end + len(_QUERY_CLOSES) :].strip() or text[len(_QUERY_OPENS) : end]


def _without_sources(text: str) -> str:
    """Cut off source tags at the beginning, with or without bodies."""
    at = 0
    while (opening := _SOURCE.match(text, at)) and (end := text.find(_SOURCE_CLOSES, opening.end())) >= 0:
        at = end + len(_SOURCE_CLOSES)
    return text[at:]


_HEADING = "Attached document(s):\n"
_FENCED = anchored(r'Attached document\(s\):\n```\w{0,20} ?# "[^"\n]{1,255}"\n')
"""LibreChat: a heading, and behind it a block of code that begins with the first file's name."""
_FENCE_CLOSES = "\n\n```\n"
_FILE_NAME = anchored(r"[^\n\\/:*?\"<>|]{1,255}\.\w{1,8}\r?\n")
"""Cherry Studio: each part behind the words is a file, and its first line is its name."""


def without_files(text: str) -> str:
    """Return a user's text without the files in it."""
    if not text.startswith(_HEADING) or not _FENCED.match(text):
        return text
    # The last fence: a file may hold others, and its words must never pass as the user's.
    _, closes, behind = f"{text}\n".rpartition(_FENCE_CLOSES)
    return behind if closes else text


def without_file_parts(texts: Sequence[str]) -> Sequence[str]:
    """Return the text parts of a message; the first alone if all behind it are files."""
    return texts[:1] if all(map(_FILE_NAME.match, texts[1:])) else texts
