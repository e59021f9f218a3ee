"""Spans of a text, and the text without them. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from recollect.text.patterns import linear

Span: TypeAlias = tuple[int, int]

GAP = "\n\n"
"""Replaces whole lines that were cut."""

_EMPTY_LINES = linear(r"\n[ \t\r\n]*\n")


def lines_of(text: str) -> list[Span]:
    """Return the span of each line, its end included."""
    found: list[Span] = []
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        found.append((at, end))
        at = end
    return found


def cut(text: str, spans: Iterable[Span], *, gap: str = GAP) -> tuple[str, list[str]]:
    """Return a text without these pieces, and the pieces.

    Args:
        text: Any text.
        spans: In order; those that overlap or touch become one piece.
        gap: What is put in a piece's place.
    """
    kept: list[str] = []
    pieces: list[str] = []
    at = 0
    for start, end in joined(spans):
        pieces.append(text[start:end])
        kept += text[at:start], gap
        at = end
    return "".join((*kept, text[at:])), [piece.strip() for piece in pieces if piece.strip()]


def tidy(text: str) -> str:
    """Return a text stripped, with single empty lines."""
    return _EMPTY_LINES.sub(GAP, text).strip()


def without(spans: Iterable[Span], holes: Sequence[Span]) -> list[Span]:
    """Return spans minus these holes. Both are in order, and neither overlaps within itself."""
    left: list[Span] = []
    waiting = deque(holes)
    for start, end in spans:
        at = start
        while waiting and waiting[0][0] < end:
            hole = waiting[0]
            if hole[0] > at:
                left.append((at, hole[0]))
            at = max(at, hole[1])
            if hole[1] > end:
                break
            waiting.popleft()
        if at < end:
            left.append((at, end))
    return left


def joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans in order; overlapping or touching ones become one."""
    last: Span | None = None
    for start, end in spans:
        if last and start <= last[1]:
            last = last[0], max(end, last[1])
        else:
            if last:
                yield last
            last = start, end
    if last:
        yield last
