"""Which words of a message are the person's own. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from recollect.chunking.fences import fenced_blocks
from recollect.model import Exchange, Role
from recollect.text.attribution.confirmations import confirmed_words
from recollect.text.attribution.cuts import GAP, Span, cut, joined, tidy, without
from recollect.text.attribution.foreign_text import (
    code_blocks,
    frontend_blocks,
    injected_lines,
    quotations,
    quoted_lines,
    returned_lines,
)
from recollect.text.patterns import linear

_WITHIN = "\u2026"
"""What stands in the place of words that were cut out of a line: it is seen that something was there."""

_PASTED = 200
"""Characters of a quotation that is a text of its own; a shorter one is a part of a sentence."""

_BEGINNING, _END = 27_000, 13_000
"""Characters of a message that are read: who pastes a book says what it is for before or behind it. What is left of it
when all that others wrote is cut out, a model is shown 12,000 of at most."""

_MESSAGES, _READ, _SENTENCES = 4, 4_000, 50
"""What is read of the assistant's words: its last messages, of each the beginning."""
_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f]+[.!?\u2026\u3002\uff01\uff1f]*")


@dataclass(frozen=True, slots=True)
class Attribution:
    """The words of a message, attributed to those who wrote them.

    Attributes:
        authored: The person's own words; "" where there are none.
        injected: The lines that were added to prompts of the chat, without their labels and dates.
        confirmed: What the assistant said last, where the person confirms it with this message; else "".
        elsewhere: What was cut out of the message, as it is not the person's, in the order it was found.
        told: What the assistant said before, and answers: sentence by sentence, the last message first.
    """

    authored: str
    injected: tuple[str, ...]
    confirmed: str = ""
    elsewhere: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def attribute(exchange: Exchange) -> Attribution:
    """Return which words of an exchange are the person's own.

    Args:
        exchange: Its turn's text is what the frontend's own wrapping was cut from already. Of a text of more than
            40,000 characters the first 27,000 and the last 13,000 are read.
    """
    stages: tuple[tuple[Callable[[str], list[Span]], str], ...] = (
        (frontend_blocks, GAP),
        (lambda text: returned_lines(text, exchange.injected), GAP),
        (code_blocks, GAP),
        (quoted_lines, GAP),
        (quotations, _WITHIN),
    )
    authored = _ends_of(exchange.turn.text).replace("\r\n", "\n")
    elsewhere: list[str] = []
    for find, gap in stages:
        authored, pieces = cut(authored, find(authored), gap=gap)
        elsewhere += pieces
    authored = tidy(authored)
    confirmed = confirmed_words(authored, exchange.turn.history)
    return Attribution(
        authored, injected_lines(exchange.injected), confirmed, tuple(elsewhere), tuple(_told(exchange))
    )


def others_words(text: str) -> tuple[list[Span], list[Span]]:
    """Return the spans of a message that others wrote: whole pieces, and short quotations within the person's sentences.

    Fenced code is neither: it is found as code, and never as a statement.

    Args:
        text: As the log has it. Where it is longer than is read, what lies between the ends is others'.
    """
    left = text.replace("\r\n", " \n")
    pieces: list[Span] = []
    fenced = [(block.start, block.stop) for block in fenced_blocks(left)]
    left = _blank(left, fenced)
    for find in (frontend_blocks, lambda told: returned_lines(told, ()), code_blocks, quoted_lines):
        found = find(left)
        left = _blank(left, found)
        pieces += found
    quoted = quotations(left)
    pieces += [span for span in quoted if span[1] - span[0] >= _PASTED]
    if len(text) > _BEGINNING + _END:
        pieces.append((_BEGINNING, len(text) - _END))
    return without(joined(sorted(pieces)), fenced), [span for span in quoted if span[1] - span[0] < _PASTED]


def _blank(text: str, spans: list[Span]) -> str:
    """Return a text of the same length with these spans replaced by line ends."""
    kept: list[str] = []
    at = 0
    for start, end in joined(spans):
        kept += text[at:start], "\n" * (end - start)
        at = end
    return "".join((*kept, text[at:]))


def _ends_of(text: str) -> str:
    """Return a text; of a long one the beginning and the end, with a gap between."""
    return text if len(text) <= _BEGINNING + _END else f"{text[:_BEGINNING]}{GAP}{text[-_END:]}"


def _told(exchange: Exchange) -> Iterator[str]:
    """Yield the sentences of the assistant's reply and of its last messages."""
    before = (message.text for message in reversed(exchange.turn.history) if message.role is Role.ASSISTANT)
    for text in (exchange.reply, *islice(before, _MESSAGES)):
        sentences = _SENTENCE.findall(text[:_READ])
        yield from filter(None, (sentence.strip() for sentence in islice(sentences, _SENTENCES)))
