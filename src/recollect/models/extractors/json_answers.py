"""Finds the JSON in what a model answered. Never: what it should hold.

Models wrap their JSON in prose, code fences and thoughts, and break it off.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from recollect.text.patterns import bounded, linear

ANSWER_LENGTH = 200_000
"""The most characters of an answer that are looked at: as many as a hundred statements can need."""

_Found = TypeVar("_Found")

_ATTEMPTS = 120  # a page of opening brackets must not be parsed from each of them
_FENCES = 10

_THINKING = ("think", "thinking", "thought", "reasoning")
_THOUGHT = bounded(f"<({'|'.join(_THINKING)})>", re.IGNORECASE)
_THOUGHT_END = bounded(f"</(?:{'|'.join(_THINKING)})>", re.IGNORECASE)
_END_OF_THOUGHT = {name: bounded(f"</{name}>", re.IGNORECASE) for name in _THINKING}
_FENCE = linear(r"```[ \t]*(?:\w+[ \t]*)?\n(.*?)(?:```|\Z)", re.DOTALL)
# A string is matched to step over it; its closing quote is optional, so that each is scanned once.
_STRING_OR_COMMA = linear(r'("(?:[^"\\]|\\.)*"?)|,(\s*[}\]])', re.DOTALL)
_OPENING = bounded(r"[{\[]")


def without_thoughts(text: str) -> str:
    """Leave out a thinking model's thoughts; some servers deliver only their closing tag."""
    kept: list[str] = []
    at = 0
    while opening := _THOUGHT.search(text, at):
        kept.append(text[at : opening.start()])
        closing = _END_OF_THOUGHT[opening[1].lower()].search(text, opening.end())
        at = closing.end() if closing else len(text)
    spoken: str = _THOUGHT_END.split("".join((*kept, text[at:])))[-1]
    return spoken.strip()


def find(text: str, read: Callable[[object], _Found | None]) -> _Found | None:
    """Return what ``read`` makes of the JSON in ``text``; None where it makes nothing of any.

    A value that is the whole answer, or a code fence in it, comes before those within prose. Of several the
    last counts: the ones before are drafts.
    """
    for whole in whole_values(text):
        found = read(whole)
        if found is not None:
            return found
    last: _Found | None = None
    for value in values_within(text):
        found = read(value)
        last = last if found is None else found
    return last


def whole_values(text: str) -> Iterator[object]:
    """Yield what the whole answer is as JSON, then its code fences, the last one first."""
    spoken = without_thoughts(text[:ANSWER_LENGTH])
    fences = _FENCE.findall(spoken)[-_FENCES:]
    for whole in dict.fromkeys((text[:ANSWER_LENGTH], spoken, *reversed(fences))):
        value = _parse(whole)
        if value is not None:
            yield value


def values_within(text: str) -> Iterator[object]:
    """Yield the JSON objects and lists that stand in prose, also behind one that breaks off."""
    spoken = _STRING_OR_COMMA.sub(_drop_comma, without_thoughts(text[:ANSWER_LENGTH]))
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(spoken, position)
        if opening is None:
            return
        try:
            value, position = decoder.raw_decode(spoken, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
        else:
            yield value


def _parse(text: str) -> object:
    for attempt in (text, _STRING_OR_COMMA.sub(_drop_comma, text)):
        try:
            return json.loads(attempt)
        except (ValueError, RecursionError):
            continue
    return None


def _drop_comma(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""
