"""Reads a message: the person's own words, and the pieces that are not. Pure, in linear time.

Recall's question, the index of the log, formation, and the ids of chats and messages all use this reading.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recollect.text.attribution.code import code_blocks
from recollect.text.attribution.cuts import GAP, tidy
from recollect.text.attribution.marked_blocks import (
    comments,
    notices,
    numbered_blocks,
    paired_blocks,
    ruled_blocks,
)
from recollect.text.attribution.our_lines import returned_lines
from recollect.text.attribution.pieces import Piece, PieceKind, blanked, in_order, pieces
from recollect.text.attribution.quotes import images, quotations, quoted_lines
from recollect.text.patterns import bounded

WITHIN = "\u2026"
"""Replaces words that were cut out of a sentence: the gap stays visible."""
_SHOWN_BEHIND = "end of "
_UNMARKED = bounded(r"(?:[^\W\d_]|[ ,.!?'\u2019])*")
"""A line of letters and the marks of ordinary sentences, in which no piece begins."""
_MARKS = ("  ", "''")


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as it was read.

    Attributes:
        text: The message.
        pieces: The pieces by others, in order, without overlaps.
    """

    text: str
    pieces: tuple[Piece, ...]

    @property
    def own(self) -> str:
        """The person's own words; "" where there are none."""
        return self._with(
            lambda piece: "" if piece.kind is PieceKind.IMAGE else WITHIN if piece.inline else GAP
        )

    @property
    def shown(self) -> str:
        """The message for a model that looks for statements of the person.

        Marks replace the pieces. Doubtful words are kept between two marks.
        """
        return self._with(self._shown)

    @property
    def question(self) -> str:
        """The words that ask for something: the person's own, with the code and the titles in them."""
        is_asked = (PieceKind.CODE, PieceKind.QUOTED)
        return self._with(
            lambda piece: (
                self.text[piece.start : piece.end]
                if piece.kind is PieceKind.CODE or (piece.inline and piece.kind in is_asked)
                else GAP
            )
        )

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The pieces' texts."""
        found = (self.text[piece.start : piece.end].strip() for piece in self.pieces)
        return tuple(filter(None, found))

    @property
    def quoted(self) -> tuple[str, ...]:
        """The quotations within sentences: perhaps words of the person, perhaps of others."""
        return tuple(
            self.text[each.start : each.end] for each in self.pieces if each.is_quotation and not each.is_sure
        )

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The pieces that people write, too: a model is shown them, and decides whose words they are."""
        return tuple(
            self.text[each.start : each.end]
            for each in self.pieces
            if not each.is_sure and not each.is_quotation
        )

    def _shown(self, piece: Piece) -> str:
        if piece.kind is PieceKind.OURS:
            return GAP
        words = self.text[piece.start : piece.end]
        if piece.inline:
            return words if not piece.is_sure else f"[{piece.kind}]"
        if piece.is_sure:
            return f"{GAP}[{piece.kind}]{GAP}"
        return f"{GAP}[{piece.kind}]\n{words.strip()}\n[{_SHOWN_BEHIND}{piece.kind}]{GAP}"

    def _with(self, in_place: Callable[[Piece], str]) -> str:
        return tidy("".join(self._parts(in_place)).replace("\r\n", "\n"))

    def _parts(self, in_place: Callable[[Piece], str]) -> Iterator[str]:
        at = 0
        for piece in self.pieces:
            yield self.text[at : piece.start]
            yield in_place(piece)
            at = piece.end
        yield self.text[at:]


def read_message(text: str, injected: Sequence[str] = ()) -> Reading:
    """Read a message of a person.

    Args:
        text: The message.
        injected: The blocks that were added to prompts of its chat.
    """
    if _UNMARKED.fullmatch(text) and not any(marks in text for marks in _MARKS):  # most questions
        return Reading(text, ())
    left = text.replace("\r\n", " \n")
    stages: tuple[Callable[[str], list[Piece]], ...] = (
        images,
        notices,
        paired_blocks,
        comments,
        lambda text: pieces(returned_lines(text, injected), PieceKind.OURS),
        lambda text: pieces(code_blocks(text), PieceKind.CODE),
        numbered_blocks,
        quoted_lines,
        ruled_blocks,
        quotations,
    )
    found: list[Piece] = []
    for stage in stages:
        new = list(in_order(stage(left)))
        found += new
        left = blanked(left, new) if new else left
    return Reading(text, tuple(in_order(found)))
