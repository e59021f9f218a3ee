"""Replaces base64 files within a text by marks: a photo in an answer is megabytes of letters. Pure, in linear time."""

import re
from collections import deque
from collections.abc import Iterator

from recollect.text.patterns import anchored, linear

IMAGE = "![image]"
"""The mark of an image."""
FILE = "[file]"
_SIGN = ";base64,"
_PAYLOAD = linear(
    _SIGN + r"[A-Za-z0-9+/_%=-]*(?:\r?\n[A-Za-z0-9+/]{40,}={0,2})*(?:\r?\n[A-Za-z0-9+/]{2,75}={1,2})?"
)
_HEAD = anchored(r"data:(?P<kind>[\w.+-]{1,40})/[\w.+-]{1,80}(?:;[\w.=+-]{1,40}){0,3}")
_BEFORE = 300
_HEAD_CHARACTERS = 160
_MARKDOWN = anchored(r"!\[[^\]\n]*\]\(\s*<?")
_ELEMENT = anchored(r"<img\s[^<>\n]*[\"']?", re.IGNORECASE)
_BEHIND_MARKDOWN = anchored(r">?(?:\s+[\"'(][^\n)]{0,300})?\s*\)?")
_BEHIND_ELEMENT = anchored(r"[^<>\n]{0,300}>?")


def without_data(text: str) -> str:
    """Return a text in which a mark stands for each file that is in it as base64."""
    if not _has_data(text):
        return text
    kept: list[str] = []
    at = 0
    for start, _, end, mark in _files(text):
        kept += text[at:start], mark
        at = end
    return "".join((*kept, text[at:]))


def shortened_data(text: str) -> str:
    """Return the beginning of a text that goes on, without its files; one at its very end keeps its head, as more of it follows."""
    if not _has_data(text):
        return text
    last = next(iter(deque(_files(text), maxlen=1)), None)
    if last is None or last[2] < len(text):
        return without_data(text)
    return without_data(text[: last[0]]) + text[last[0] : last[1]]


def _has_data(text: str) -> bool:
    """Return whether a file may be in a text; to look for one rare letter first is twenty times as fast."""
    return ";" in text and _SIGN in text


def _files(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield the start of each file, the start of its data, its end, and its mark."""
    at = 0
    for payload in _PAYLOAD.finditer(text):
        sign, end = payload.span()
        begins = text.rfind("data:", max(at, sign - _HEAD_CHARACTERS), sign)
        head = _HEAD.fullmatch(text, begins, sign) if begins >= 0 else None
        if head is None:
            continue
        start = begins
        for opens, pattern, behind in (
            ("![", _MARKDOWN, _BEHIND_MARKDOWN),
            ("<img", _ELEMENT, _BEHIND_ELEMENT),
        ):
            place = text.rfind(opens, max(at, begins - _BEFORE), begins)
            if place >= 0 and pattern.fullmatch(text, place, begins):
                rest = behind.match(text, end)
                start, end = place, rest.end() if rest else end
                break
        yield start, sign + len(_SIGN), end, IMAGE if head["kind"] == "image" else FILE
        at = end
