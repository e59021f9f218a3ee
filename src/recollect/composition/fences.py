"""The fences around blocks of memory in a prompt, and quoting, by which no memory can open, close or imitate one. Pure."""

import re

from recollect.text.looks import ST, looks_of
from recollect.text.normalization import storable_text
from recollect.text.patterns import linear

MEMORIES = "recollect_memories"
HISTORY = "recollect_history"

_INNOCENT = "("

_NO_LETTER = r"(?:[^\w<>]|_)*"
_READS_AS = {"e": "[e3]", "i": "[il1]", "l": "[il1]", "o": "[o0]", "s": "[s5]", "t": "[t7]"}


def _name(letters: str) -> str:
    return _NO_LETTER.join(_READS_AS.get(letter, letter) for letter in letters)


_ST_IN_NAME = f"{_READS_AS['s']}{_NO_LETTER}{_READS_AS['t']}"
_ANGLE = r"(?:<|&(?:amp;)*(?:lt|laquo|lang|lsaquo|\#0*60|\#x0*3c);?|(?:\\u00|\\x|%(?:25)*)3c)"
_SLASH = r"&(?:sol|nbsp|\#0*(?:32|47|160)|\#x0*(?:20|2f|a0));?|%2f|%20|\\u002f|\\x2f"
_NAME = (
    f"{_name('recollect')}{_NO_LETTER}"
    f"(?:{_name('memories')}|{_name('history').replace(_ST_IN_NAME, f'(?:{_ST_IN_NAME}|{ST})')})"
)
_MARKS = frozenset("<&\\%")
"""The ASCII characters that begin what may be read as an angle bracket."""
_A_TAG_OPENS = linear(_ANGLE, re.IGNORECASE)
_PERHAPS_A_FENCE = linear(
    rf"(?P<opening>{_ANGLE}(?:{_ANGLE}|{_SLASH}|\W|_)*)(?P<name>{_NAME})?", re.IGNORECASE
)
"""A run of angles and other marks, and the fence's name if it follows. The name is optional so that no run is scanned twice."""


def quoted(text: str) -> str:
    """Return text that can neither open, close nor imitate a fence, nor begin a bullet of its own.

    Continuation lines are indented, so that only the block's own bullets begin at the margin.
    """
    lines = (line.strip() for line in unfenced(text).splitlines())
    return "\n  ".join(line for line in lines if line)


def quoted_code(text: str) -> str:
    """Return code as ``quoted`` does, with its indentation.

    Code of several lines begins with a line feed, so that its first line is aligned with the others.
    """
    lines = [line.rstrip() for line in unfenced(text).expandtabs(4).splitlines()]
    kept = [line for line in lines if line]
    return "\n  ".join(["", *kept]) if len(kept) > 1 else "".join(kept).strip()


def unfenced(text: str) -> str:
    """Return text without any fence: a round bracket replaces the angle bracket that opens one.

    Look-alikes count as fences: letters of other scripts, invisible characters between the letters, an angle bracket
    written as an HTML entity or an escape. Nothing else changes, except that characters which the store can't hold are
    replaced. Takes linear time.
    """
    text = storable_text(text)
    if text.isascii() and not _MARKS.intersection(text):  # most memories
        return text
    looks = looks_of(text)
    kept: list[str] = []
    at = 0
    for fence in _PERHAPS_A_FENCE.finditer(looks):
        if fence["name"]:
            for angle in _A_TAG_OPENS.finditer(fence["opening"]):
                kept += text[at : fence.start() + angle.start()], _INNOCENT
                at = fence.start() + angle.end()
    return "".join((*kept, text[at:])) if kept else text
