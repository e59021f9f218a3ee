"""A message becomes chunks of prose and of code. Pure. Never: the use of a chunk."""

from collections.abc import Iterator
from dataclasses import dataclass

from recollect.chunking.fences import fenced_blocks
from recollect.chunking.languages import guessed_language, named_language
from recollect.chunking.packing import CODE, PROSE, Span, packed


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text that is found separately.

    Attributes:
        start: Its first character's place.
        stop: The place after its last character: the chunk is ``text[start:stop]``.
        code: Whether it is a fenced block, or a part of one that was too long.
        language: A code block's language: ``python``, ``shell``, ``sql``, ...; None for prose, and if unknown.
    """

    start: int
    stop: int
    code: bool
    language: str | None


def chunks(text: str, *, tokens: int = 500) -> list[Chunk]:
    """Return the chunks of ``text``, in order.

    They do not overlap, none is blank, and together they hold every character that is not blank. A fenced block is
    one chunk with its fences, or several if it is too long. Prose is cut between paragraphs if possible, else between
    lists and lines, sentences, words; a heading stays with its text.

    Args:
        text: Any text whatever; takes time in proportion to its length.
        tokens: How many tokens a chunk has at most, as ``estimate_tokens`` counts them. Below 40
            some may have a few more.

    Raises:
        ValueError: ``tokens`` is less than one.
    """
    if tokens < 1:
        raise ValueError("A chunk has at least one token.")
    return list(_chunks(text, tokens))


def _chunks(text: str, tokens: int) -> Iterator[Chunk]:
    place = 0
    for block in fenced_blocks(text):
        yield from _prose(text, Span(place, block.start), tokens)
        body = Span(block.body, block.stop)
        language = named_language(block.info) or guessed_language(text, body.start, body.stop)
        for part in packed(text, Span(block.start, block.stop), CODE, tokens):
            yield Chunk(part.start, part.stop, code=True, language=language)
        place = block.stop
    yield from _prose(text, Span(place, len(text)), tokens)


def _prose(text: str, span: Span, tokens: int) -> Iterator[Chunk]:
    for part in packed(text, span, PROSE, tokens):
        yield Chunk(part.start, part.stop, code=False, language=None)
