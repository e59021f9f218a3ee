"""Answers as the scripted LLM does: by rules, and with lines of its own prompt. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.text.patterns import bounded

NOTED = "(scripted) Noted."
UNKNOWN = "(scripted) I don't know: nothing in my prompt says so."
TOLD = "(scripted) My prompt says: "

_LINES_SAID = 2
_WORD = bounded(r"[^\W_]+(?:'\w+)?")
_ITEM = bounded(r"^\s*[-*\u2022]\s+(?:\[[A-Z]{1,20}\]\s*)?")
_DATE = bounded(r"\s*\([^()]{0,60}\)$")
_MESSAGE = bounded(r"^Message [0-9]+[^\n]{0,200}:\n=====\n([^\n]{1,500})\n=====", re.MULTILINE)
_KNOWN = bounded(r"^\[([0-9]{1,3})\] \([^)\n]{0,200}\) ([^\n]{1,500})$", re.MULTILINE)
_SHORTEST_WORD = 4
_EMPTY_WORDS = {
    *("about", "been", "called", "could", "does", "from", "have", "know", "like", "name", "please", "should"),
    *("some", "tell", "than", "that", "their", "them", "there", "these", "they", "this", "those", "told"),
    *("were", "what", "what's", "when", "where", "which", "whose", "will", "with", "would", "your", "yours"),
}

_LESSONS = (
    (bounded(r"\bI live in (\w+)"), "Lives in", "home"),
    (bounded(r"\bI moved to (\w+)"), "Lives in", "home"),
    (bounded(r"\bI'm allergic to (\w+)"), "Is allergic to", "recipes and meals"),
)
"""The sentences that the script understands, the beginnings of their statements, and the requests that need them.

A statement with the beginning of a known memory takes its place.
"""


def answer(messages: Sequence[Mapping[str, Any]]) -> str:
    """Answer the last message.

    A question is answered with those lines of the messages before it that share most words with it;
    anything else is noted.
    """
    *before, last = [_text(message) for message in messages]
    if "?" not in last:
        return NOTED
    asked = _content_words(last)
    shared: dict[str, int] = {}
    for line in _statements(before):
        if count := len(asked & _content_words(line)):
            shared.setdefault(line, count)
    best = sorted(shared, key=lambda line: -shared[line])[:_LINES_SAID]
    return TOLD + " / ".join(best) if best else UNKNOWN


def extract(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the statements in a prompt of extraction that the script understands, and no hints, as JSON."""
    prompt = _text(messages[-1])
    known = {content: int(number) for number, content in _KNOWN.findall(prompt)}
    told = [
        _memory(found[0], f"{beginning} {found[1]}", topic, known)
        for message in _MESSAGE.findall(prompt)
        for form, beginning, topic in _LESSONS
        if (found := form.search(message))
    ]
    return json.dumps({"words": "own", "wishes": [], "memories": told, "needs": []})


def _memory(evidence: str, content: str, topic: str, known: Mapping[str, int]) -> dict[str, Any]:
    beginning = content.rpartition(" ")[0]
    earlier = [number for text, number in known.items() if text.startswith(beginning)]
    repeats = known.get(content)
    relation = "new" if not earlier else "contradicts" if repeats is None else "repeats"
    return {
        "evidence": evidence,
        "content": content,
        "kind": "fact",
        "importance": 0.7,
        "relation": relation,
        "about": earlier[:1] if repeats is None else [repeats],
        "topics": [topic],
    }


def _statements(texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines that say something: no markup, no date, no questions, nothing that the script said."""
    for text in texts:
        for line in text.splitlines():
            statement = _DATE.sub("", _ITEM.sub("", line).strip())
            if statement and "(scripted)" not in statement and "?" not in statement and statement[0] != "<":
                yield statement


def _content_words(text: str) -> set[str]:
    """Return the words that carry something; a plural or "lives" counts as its stem."""
    words = {word.rstrip("s") for word in _WORD.findall(text.lower()) if word not in _EMPTY_WORDS}
    return {word for word in words if len(word) >= _SHORTEST_WORD}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
