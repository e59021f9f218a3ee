"""The pieces of a message that are not the person's own words. Pure."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from recollect.text.attribution.cuts import Span


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
    kept: list[str] = []
    at = 0
    for piece in sorted(found):
        length = piece.end - piece.start
        blank = (
            " " * length
            if piece.inline
            else f"\n\n{' ' * length}\n"[-length:]
            if length < _SHORT
            else f"\n\n{' ' * (length - 3)}\n"
        )
        kept += text[at : piece.start], blank
        at = piece.end
    return "".join((*kept, text[at:]))


_SHORT = 4


def in_order(found: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces in order; what lies within another is left out, and what overlaps one is cut off there."""
    at = 0
    for piece in sorted(found, key=lambda each: (each.start, -each.end)):
        if piece.end > at:
            yield piece._replace(start=max(at, piece.start))
            at = piece.end
