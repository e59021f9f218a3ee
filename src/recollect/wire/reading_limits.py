"""Limits how much of a request is read. Pure.

A call of the decoder's holds the interpreter, and with it everybody's chat, from its beginning to its end. So each
call's work is bounded beforehand: a second is enough for a gigabyte of text, but for much less of other JSON.
"""

import numpy as np

LIGHT_BYTES = 256 * 1024
"""Up to which a request of few messages is read in some milliseconds."""
_LIGHT_OPENINGS = 2_000

MOST_OPENINGS = 2_000_000
"""Objects and lists in a request. One of 200,000 messages has two or three times as many; braces in text count too."""
MOST_COMMAS = 1_500_000

FIRST, LAST = 20, 2_000
"""Messages that are read of a longer chat: those that it began with, and the newest."""

LONGEST_TEXT = 4 * 1024 * 1024
"""The most bytes of JSON in the text of one message: four times the context of the largest models."""
PLAIN_BYTES = 64 * 1024
"""Bytes of a message up to which any of its JSON is decoded at once."""
MOST_PARTS = 20_000
"""Objects and lists in a larger message."""

_SLICE = 64 * 1024
"""Bytes counted at a time: they fit into the processor's cache, and the intermediate results into the heap."""


def is_light(body: bytes | memoryview) -> bool:
    """Return whether a request takes so few milliseconds to read that the event loop may do it."""
    return len(body) <= LIGHT_BYTES and not exceeds(body, b"{[", _LIGHT_OPENINGS)


def is_readable(body: bytes) -> bool:
    """Return whether a request is read at all; JSON that is nearly all structure is not."""
    if len(body) <= LIGHT_BYTES:
        return True
    return not exceeds(body, b"{[", MOST_OPENINGS) and not exceeds(body, b",", MOST_COMMAS)


def exceeds(source: bytes | memoryview, marks: bytes, most: int) -> bool:
    """Return whether the source holds more than ``most`` bytes of ``marks``."""
    if len(source) <= most:
        return False
    found = 0
    for at in range(0, len(source), _SLICE):  # other threads have their turn between two slices
        found += _count(source, at, marks)
        if found > most:
            return True
    return False


def count(source: bytes | memoryview, marks: bytes) -> int:
    """Return how many bytes of the source are one of ``marks``."""
    return sum(_count(source, at, marks) for at in range(0, len(source), _SLICE))


def _count(source: bytes | memoryview, at: int, marks: bytes) -> int:
    values = np.frombuffer(source, np.uint8, min(_SLICE, len(source) - at), at)
    return sum(int(np.count_nonzero(values == mark)) for mark in marks)
