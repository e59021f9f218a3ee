"""The fences between what a memory service notes and what is said: nothing noted can open, close or imitate one.

Pure.
"""

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
_A_TAG_OPENS = linear(_ANGLE, re.IGNORECASE)
_PERHAPS_A_FENCE = linear(
    rf"(?P<opening>{_ANGLE}(?:{_ANGLE}|{_SLASH}|\W|_)*)(?P<name>{_NAME})?", re.IGNORECASE
)
"""What opens a tag, with all the marks up to the next word: a name is optional, so that none is read twice."""


def quoted(text: str) -> str:
    """Return text that can neither open, close nor imitate a fence, nor a bullet of its own.

    Continuation lines are indented, so that only ours begin at the margin.
    """
    lines = (line.strip() for line in unfenced(text).splitlines())
    return "\n  ".join(line for line in lines if line)


def quoted_code(text: str) -> str:
    """Return code as ``quoted`` does, its lines indented as they were.

    What is more than one line begins with a line end, so that the first one stands under the others.
    """
    lines = [line.rstrip() for line in unfenced(text).expandtabs(4).splitlines()]
    kept = [line for line in lines if line]
    return "\n  ".join(["", *kept]) if len(kept) > 1 else "".join(kept).strip()


def unfenced(text: str) -> str:
    """Return text in which no fence begins: in its angle's place there is a bracket.

    Found are also those that only look like one: in letters of other scripts, with characters between
    that nobody sees, or with the angle spelled as an entity. All else stays as it is, but for what no
    store can hold. In linear time.
    """
    text = storable_text(text)
    looks = looks_of(text)
    kept: list[str] = []
    at = 0
    for fence in _PERHAPS_A_FENCE.finditer(looks):
        if fence["name"]:
            for angle in _A_TAG_OPENS.finditer(fence["opening"]):
                kept += text[at : fence.start() + angle.start()], _INNOCENT
                at = fence.start() + angle.end()
    return "".join((*kept, text[at:])) if kept else text
