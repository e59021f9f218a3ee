"""A message becomes chunks of prose and of code. Pure. Never: the use of a chunk, a parser."""

from collections.abc import Iterator
from typing import NamedTuple

from recollect.chunking.fences import fenced_blocks
from recollect.chunking.packing import CODE, PROSE, Span, packed


class Chunk(NamedTuple):
    """A part of a text that is found separately: ``text[start:stop]``.

    Attributes:
        code: Whether it is a fenced block, or a part of one that was too long.
    """

    start: int
    stop: int
    code: bool


def chunks(text: str, *, tokens: int = 500) -> Iterator[Chunk]:
    """Yield the chunks of any text, in order, each of at most so many tokens (below 40 some may have a few more); linear in the text.

    They do not overlap, none is blank, and together they hold every character that is not blank. A fenced block is one chunk
    with its fences, or several if it is too long. Prose is cut between paragraphs if possible, else between lists and lines,
    sentences, words; a heading stays with its text.
    """
    place = 0
    for block in fenced_blocks(text):
        yield from (
            Chunk(*part, code=False) for part in packed(text, Span(place, block.start), PROSE, tokens)
        )
        yield from (
            Chunk(*part, code=True) for part in packed(text, Span(block.start, block.stop), CODE, tokens)
        )
        place = block.stop
    yield from (Chunk(*part, code=False) for part in packed(text, Span(place, len(text)), PROSE, tokens))
