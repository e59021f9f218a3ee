"""How much of a request is read. Pure. Never: what it says.

A call of the decoder's holds the interpreter, and with it everybody's chat, from its beginning to its end. So what
one call may have to do is bounded before it is made: a gigabyte of text a second is read, but of other JSON much less.
"""

from collections.abc import Iterable, Iterator

LIGHT_BYTES = 256 * 1024
"""Up to which a request of few messages is read in some milliseconds."""
_LIGHT_OPENINGS = 2_000

MOST_OPENINGS = 2_000_000
"""Objects and lists in a request. One of 200,000 messages has two or three times as many; braces in text count too."""
MOST_COMMAS = 1_500_000

FIRST, LAST = 20, 2_000
"""Messages that are read of a longer chat: those that it began with, and the newest."""

LONGEST_TEXT = 4 * 1024 * 1024
"""Bytes of JSON that the text of one message may take: four times what the largest models are given at once."""
PLAIN_BYTES = 64 * 1024
"""Bytes of a message up to which any of its JSON is decoded at once."""
MOST_PARTS = 20_000
"""Objects and lists in a larger message."""

_SLICE = 1024 * 1024


def is_light(body: bytes | memoryview) -> bool:
    """Tell whether a request is read in so few milliseconds that it may be done between two others."""
    return len(body) <= LIGHT_BYTES and not exceeds(body, b"{[", _LIGHT_OPENINGS)


def is_readable(body: bytes) -> bool:
    """Tell whether a request is read at all; it is not where its JSON is nearly nothing but structure."""
    if len(body) <= LIGHT_BYTES:
        return True
    return not exceeds(body, b"{[", MOST_OPENINGS) and not exceeds(body, b",", MOST_COMMAS)


def exceeds(source: bytes | memoryview, marks: bytes, most: int) -> bool:
    """Tell whether bytes of ``marks`` stand more than ``most`` times in the source.

    Counted a megabyte at a time, so that other threads have their turn, and no further than is needed.
    """
    if len(source) <= most:
        return False
    found = 0
    for piece in _pieces(source):
        found += sum(piece.count(mark) for mark in marks)
        if found > most:
            return True
    return False


def count(source: bytes | memoryview, mark: bytes) -> int:
    """Return how often a byte stands in the source."""
    return sum(piece.count(mark) for piece in _pieces(source))


def _pieces(source: bytes | memoryview) -> Iterator[bytes]:
    starts: Iterable[int] = range(0, len(source), _SLICE)
    return (bytes(source[at : at + _SLICE]) for at in starts)
