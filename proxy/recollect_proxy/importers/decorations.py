"""Takes off what community filters write around a memory's text, and reads it. Pure. Never: what becomes of the text.

The shape is that of Adaptive Memory and its forks: `[Tags: a, b] text [Memory Bank: Work] [Confidence: 0.95]`.
"""

import math
import re
from dataclasses import dataclass

from recollect.text.patterns import anchored

_MARK = anchored(r"\[(tags|memory bank|confidence):([^\[\]\n]{0,300})\]", re.IGNORECASE)
_LONGEST = 320
_MOST = 6
"""Decorations that are taken off at either end."""


@dataclass(frozen=True, slots=True)
class Undecorated:
    """A memory's text by itself.

    Attributes:
        text: Without decorations.
        tags: In lower case.
        confidence: 0 to 1; None where nothing is said.
        is_decorated: Whether there were any.
    """

    text: str
    tags: frozenset[str] = frozenset()
    confidence: float | None = None
    is_decorated: bool = False


def undecorated(text: str) -> Undecorated:
    """Return a text without the decorations at its beginning and its end; those within it are its own."""
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
    """Return a share of 1 as people write it: 0.95, or 95 %; None where it is no number."""
    try:
        number = float((written or "").strip().rstrip("% "))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return min(1.0, max(0.0, number / 100 if number > 1 else number))
