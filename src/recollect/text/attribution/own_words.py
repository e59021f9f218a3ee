"""Reads a message: the person's own words, and the pieces that are not. Pure, in linear time.

Recall's question, the index of the log, formation, and the ids of chats and messages all use this reading.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from recollect.model import Exchange
from recollect.text.attribution.code_and_log_lines import (
    code_blocks,
    fenced_code,
    injected_lines,
    returned_lines,
)
from recollect.text.attribution.confirmations import confirmed_words
from recollect.text.attribution.marked_blocks import (
    comments,
    labelled_files,
    notices,
    numbered_blocks,
    paired_blocks,
    ruled_blocks,
    without_frame,
)
from recollect.text.attribution.quotes import images, quotations, quoted_lines
from recollect.text.attribution.text_spans import (
    GAP,
    Piece,
    PieceKind,
    Span,
    blanked,
    in_order,
    joined,
    pieces,
    tidy,
    without,
)
from recollect.text.patterns import bounded, replaced

WITHIN = "\u2026"
"""Replaces words that were cut out of a sentence: the gap stays visible."""
_SHOWN_BEHIND = "end of "
_UNMARKED = bounded(
    r"(?:[^\W_]|[ ,.!?'\u2019\u00bf\u00a1\u060c\u061f\u3001\u3002\uff0c\uff01\uff1f]|-(?=\w))*"
)
"""A line of letters, digits and the marks of ordinary sentences, in which no piece begins."""
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
        """The message for a model that looks for statements: marks replace the pieces, doubtful words are kept between two marks."""
        return self._with(self._own_words_in)

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

    def _own_words_in(self, piece: Piece) -> str:
        if piece.kind is PieceKind.OURS:
            return GAP
        words = self.text[piece.start : piece.end]
        if piece.inline:
            return words if not piece.is_sure else f"[{piece.kind}]"
        if piece.is_sure:
            return f"{GAP}[{piece.kind}]{GAP}"
        return f"{GAP}[{piece.kind}]\n{words.strip()}\n[{_SHOWN_BEHIND}{piece.kind}]{GAP}"

    def _with(self, in_place: Callable[[Piece], str]) -> str:
        left = replaced(self.text, ((each.start, each.end, in_place(each)) for each in self.pieces))
        return tidy(left.replace("\r\n", "\n"))


def read_message(text: str, injected: Sequence[str] = ()) -> Reading:
    """Read a message of a person, with the blocks that were added to prompts of its chat."""
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
        labelled_files,
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


_PASTED = 200
"""Characters of a quotation that is a text of its own; a shorter one is a part of a sentence."""

_READ_BEGINNING, _READ_END = 27_000, 13_000
"""Characters of a message that are read: people explain a pasted book before or after it. After the text by others is cut out, a
model reads 12,000 at most."""

_ASKED = 2_000
"""Characters at either end of a message that are read for its question; recall keeps fewer of them."""

_ASKED_BEFORE, _ASKED_BEHIND = 400, 800
"""Characters before and behind a pasted text that recall keeps of a question: about as many as an embedder reads."""

_READ_OF_ANSWER = 4_000
"""The most characters read of the assistant's last message."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The words of a message, attributed to those who wrote them.

    Attributes:
        authored: The person's own words; "" if there are none.
        injected: The lines that were added to prompts of the chat, without their labels and dates.
        confirmed: The assistant's last words, if the person confirms them with this message; else "".
        elsewhere: The pieces that were cut out of the message, as they are not the person's, in the order found.
        answered: The assistant's last message before this one, confirmed or not.
        speaker: The name of the person who said it; "" if unknown.
        others: The names of the others, if several people speak in the chat.
        quoted: The words in quotation marks within the person's sentences.
        doubtful: The marked pieces of a message that has nothing else, if people make such marks, too; else "".
        shown: The message as an extractor is shown it: with a mark for each piece, and between marks the words of which it is
            not certain whose they are.
    """

    authored: str
    injected: tuple[str, ...]
    confirmed: str = ""
    elsewhere: tuple[str, ...] = ()
    answered: str = ""
    speaker: str = ""
    others: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    doubtful: str = ""
    shown: str = field(default="", compare=False)

    def outside_quotations(self, quote: str) -> str:
        """Return a quote of the message as the person's own words have it, with a mark for each quotation in it."""
        for words in self.quoted:
            quote = quote.replace(words, WITHIN)
        return quote


def attribute(exchange: Exchange) -> Attribution:
    """Return which words of an exchange are the person's own; of more than 40,000 characters the first 27,000 and the last 13,000 are read."""
    reading = read_message(_ends_of(exchange.turn.text), exchange.injected)
    authored = reading.own
    return Attribution(
        authored,
        injected_lines(exchange.injected),
        confirmed_words(authored, exchange.turn.history),
        reading.elsewhere,
        exchange.turn.last_answer[-_READ_OF_ANSWER:],  # the end asks and sums up
        quoted=reading.quoted,
        doubtful="" if any(map(str.isalnum, authored)) else GAP.join(reading.doubtful),
        shown=reading.shown,
    )


def question_in(text: str) -> str:
    """Return the words of a message that ask for something; the message itself if none of them is the person's.

    Of more than 4,000 characters the first and the last 2,000 are read, without the elements around them.
    """
    is_long = len(text) > 2 * _ASKED
    ends = _ends_of(without_frame(text), _ASKED, _ASKED) if is_long else text
    return read_message(ends).question or ends


def asking_ends(text: str) -> str:
    """Return a question; of one that is longer than recall keeps, the beginning and the end, around a pasted text."""
    if len(text) <= _ASKED_BEFORE + _ASKED_BEHIND:
        return text
    return f"{text[:_ASKED_BEFORE]}\n{text[-_ASKED_BEHIND:]}"


def others_words(text: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of a message that others wrote: whole pieces, and short quotations within the person's sentences.

    Fenced code is neither: recall finds it as code, and never as a statement. The middle of a very long message, which is not
    read, counts as others'.
    """
    found = read_message(text).pieces
    fenced = fenced_code(text)
    within = [each for each in found if each.inline and each.end - each.start < _PASTED]
    spans = [(each.start, each.end) for each in found if each not in within]
    if len(text) > _READ_BEGINNING + _READ_END:
        spans.append((_READ_BEGINNING, len(text) - _READ_END))
    whole = without(joined(sorted(spans)), fenced)
    return whole, without([(each.start, each.end) for each in within], whole)


def _ends_of(text: str, beginning: int = _READ_BEGINNING, end: int = _READ_END) -> str:
    """Return a text; of a long one the beginning and the end, with a gap between."""
    return text if len(text) <= beginning + end else f"{text[:beginning]}{GAP}{text[-end:]}"
