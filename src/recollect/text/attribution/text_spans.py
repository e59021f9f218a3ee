"""Spans of a text, the text without them, and the pieces of a message that are not the person's own words. Pure."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from recollect.text.patterns import linear, replaced

Span: TypeAlias = tuple[int, int]


class PieceKind(StrEnum):
    """The kinds of pieces; a value is also the word by which a model is shown that one was there."""

    CONTEXT = "context"
    """A frontend or an agent put it around the person's words."""
    FILE = "file"
    QUOTED = "quoted"
    CODE = "code"
    IMAGE = "image"
    OURS = "memories"
    """Recollect added it to an earlier prompt."""


class Piece(NamedTuple):
    """A piece of a message.

    Attributes:
        start: Its first character.
        end: The place behind its last character.
        kind: Its kind.
        inline: Whether it stands within a sentence of the person's.
        is_sure: Whether its marks leave no doubt. A model is shown the words of the others, and decides whose they are.
    """

    start: int
    end: int
    kind: PieceKind
    inline: bool = False
    is_sure: bool = True

    @property
    def is_quotation(self) -> bool:
        """Whether it stands between quotation marks within a sentence."""
        return self.inline and self.kind is PieceKind.QUOTED


def pieces(
    spans: Iterable[Span], kind: PieceKind, *, inline: bool = False, is_sure: bool = True
) -> list[Piece]:
    """Return a piece of one kind for each span."""
    return [Piece(*span, kind, inline, is_sure) for span in spans]


def blanked(text: str, found: Iterable[Piece]) -> str:
    """Return a text of the same length with white space in place of these pieces, which do not overlap."""
    return replaced(text, ((piece.start, piece.end, _blank(piece)) for piece in sorted(found)))


def _blank(piece: Piece) -> str:
    length = piece.end - piece.start
    spaces = " " * (length if length < _SHORT else length - 3)
    return " " * length if piece.inline else f"\n\n{spaces}\n"[-length:]


def in_order(found: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces in order; what lies within another is left out, and what overlaps one is cut off there."""
    at = 0
    for piece in sorted(found, key=lambda each: (each.start, -each.end)):
        if piece.end > at:
            yield piece._replace(start=max(at, piece.start))
            at = piece.end


GAP = "\n\n"
"""Replaces whole lines that were cut."""

_SHORT = 4
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


def cut(text: str, spans: Iterable[Span]) -> str:
    """Return a text without these spans, which are in order; some may overlap."""
    return replaced(text, ((start, end, "") for start, end in joined(spans)))


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
