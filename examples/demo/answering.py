"""Answers as the demo model does: with lines of its own prompt. Pure. Never: a model."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.text.patterns import bounded

NOTED = "(demo model) Noted."
UNKNOWN = "(demo model) I don't know: nothing I was told speaks of it."
TOLD = "(demo model) From what I was told: "

_LINES_SAID = 2
_WORD = bounded(r"[^\W_]+(?:'\w+)?")
_BULLET = bounded(r"^\s*[-*\u2022]\s+")
_MESSAGE = bounded(r"^Message [0-9]+[^\n]{0,200}:\n=====\n([^\n]{1,500})\n=====", re.MULTILINE)
_SHORTEST_WORD = 4
_EMPTY_WORDS = {
    *("about", "been", "called", "could", "does", "from", "have", "know", "like", "name", "please", "should"),
    *("some", "tell", "than", "that", "their", "them", "there", "these", "they", "this", "those", "told"),
    *("were", "what", "what's", "when", "where", "which", "whose", "will", "with", "would", "your", "yours"),
}


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
    """Return what the person's messages in a prompt of extraction tell, as JSON: each one that asks nothing, word by word."""
    told = [found[1].strip() for found in _MESSAGE.finditer(_text(messages[-1]))]
    memories = [
        {"evidence": each, "content": each, "kind": "fact", "importance": 0.7}
        for each in told
        if "?" not in each
    ]
    return json.dumps({"words": "own", "wishes": [], "memories": memories})


def _statements(texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines that say something: no markup, no questions, nothing that a demo model said."""
    for text in texts:
        for line in text.splitlines():
            statement = _BULLET.sub("", line).strip()
            if statement and "(demo model)" not in statement and "?" not in statement and statement[0] != "<":
                yield statement


def _content_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) >= _SHORTEST_WORD} - _EMPTY_WORDS


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
