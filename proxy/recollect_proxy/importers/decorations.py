"""Strips and parses the decorations that community filters add to a memory's text. Pure. Never: how the text is used.

The format is that of Adaptive Memory and its forks: `[Tags: a, b] text [Memory Bank: Work] [Confidence: 0.95]`.
"""

import math
import re
from dataclasses import dataclass

from recollect.text.patterns import anchored

_MARK = anchored(r"\[(tags|memory bank|confidence):([^\[\]\n]{0,300})\]", re.IGNORECASE)
_LONGEST = 320
_MOST = 6
"""The most decorations to strip at either end."""


@dataclass(frozen=True, slots=True)
class Undecorated:
    """A memory's text and the values of its decorations.

    Attributes:
        text: The text without decorations.
        tags: The tags, in lower case.
        confidence: The confidence, 0 to 1; None if none is given.
        is_decorated: Whether there were any decorations.
    """

    text: str
    tags: frozenset[str] = frozenset()
    confidence: float | None = None
    is_decorated: bool = False


def undecorated(text: str) -> Undecorated:
    """Strip the decorations at the beginning and the end of a text; those within it stay."""
    text = text.strip()
    marks: dict[str, str] = {}
    for _ in range(_MOST):
        if leading := _MARK.match(text[:_LONGEST]):
            text = text[leading.end() :].strip()
            marks.setdefault(leading[1].lower(), leading[2])
        opens = text.rfind("[", -_LONGEST) if text.endswith("]") else -1
        if opens >= 0 and (trailing := _MARK.fullmatch(text[opens:])):
            text = text[:opens].strip()
            marks.setdefault(trailing[1].lower(), trailing[2])
    tags = frozenset(filter(None, (tag.strip().lower() for tag in marks.get("tags", "").split(","))))
    return Undecorated(text, tags, _share(marks.get("confidence")), is_decorated=bool(marks))


def _share(written: str | None) -> float | None:
    """Parse a share such as "0.95" or "95 %", limited to 0 to 1; None if it is no number."""
    try:
        number = float((written or "").strip().rstrip("% "))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return min(1.0, max(0.0, number / 100 if number > 1 else number))
