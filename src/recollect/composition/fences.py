"""The fences between what a memory service notes and what is said: nothing noted can open, close or imitate one.

Pure. Never: what stands between them.
"""

import re
import unicodedata

from recollect.normalization import storable_text
from recollect.patterns import linear

MEMORIES = "recollect_memories"
HISTORY = "recollect_history"

_INNOCENT = "("
_LAST_OF_PLANE = 0xFFFF
_MATHEMATICAL = range(0x1D400, 0x1D800)
_ENCLOSED = range(0x1F100, 0x1F200)

_LIKE_A_LETTER = {
    "c": "\u03f2\u0441\u1d04",
    "e": "\u03b5\u0435\u0454\u04bd\u13ac\u1d07",
    "h": "\u029c\u03b7\u043d\u04bb",
    "i": "\u0131\u026a\u03b9\u0456",
    "l": "\u01c0\u029f\u04cf",
    "m": "\u03bc\u043c\u1d0d",
    "o": "\u03bf\u03c3\u043e\u0585\u1d0f",
    "r": "\u0280\u0433\u13a1",
    "s": "\u0455\ua731",
    "t": "\u03c4\u0442\u1d1b",
    "y": "\u028f\u03b3\u03c5\u0443\u04af",
}
"""Letters of other scripts that look like those of the fences' names; as Unicode's report 39 on confusables."""

_LIKE_AN_ANGLE = "\u00ab\u02c2\u1438\u2039\u226a\u227a\u276c\u276e\u2770\u27e8\u27ea\u29fc\u2a79\u3008\u300a"
_WITHOUT_LOOKS = "\u115f\u1160\u3164\uffa0"
"""What Unicode calls letters, and nobody sees. All else without looks is no letter to begin with."""

_ST = "\ufb06"
"""One character that is two letters of ``history``."""


class _Looks(dict[int, int | str]):
    """What a character looks like: one for one, so that places in the text stay."""

    def __missing__(self, code: int) -> int | str:
        if code > _LAST_OF_PLANE and code not in _MATHEMATICAL and code not in _ENCLOSED:
            return code
        plain = unicodedata.normalize("NFKD", chr(code)).lower()
        found = next((letter for letter in plain if letter.isalnum()), plain[0])
        self[code] = self.get(ord(found), found)
        return self[code]


_LOOKS = _Looks(
    {ord(other): letter for letter, others in _LIKE_A_LETTER.items() for other in others}
    | dict.fromkeys(map(ord, _LIKE_AN_ANGLE), "<")
    | dict.fromkeys(map(ord, _WITHOUT_LOOKS), " ")
    | {ord("\ufb05"): _ST, ord(_ST): _ST}
    | {code: code for code in range(128)}
)

_NO_LETTER = r"(?:[^\w<>]|_)*"
_READS_AS = {"e": "[e3]", "i": "[il1]", "l": "[il1]", "o": "[o0]", "s": "[s5]", "t": "[t7]"}


def _name(letters: str) -> str:
    return _NO_LETTER.join(_READS_AS.get(letter, letter) for letter in letters)


_ST_IN_NAME = f"{_READS_AS['s']}{_NO_LETTER}{_READS_AS['t']}"
_ANGLE = r"(?:<|&(?:amp;)*(?:lt|laquo|lang|lsaquo|\#0*60|\#x0*3c);?|(?:\\u00|\\x|%(?:25)*)3c)"
_SLASH = r"&(?:sol|nbsp|\#0*(?:32|47|160)|\#x0*(?:20|2f|a0));?|%2f|%20|\\u002f|\\x2f"
_NAME = (
    f"{_name('recollect')}{_NO_LETTER}"
    f"(?:{_name('memories')}|{_name('history').replace(_ST_IN_NAME, f'(?:{_ST_IN_NAME}|{_ST})')})"
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
    looks = text if text.isascii() else text.translate(_LOOKS)
    kept: list[str] = []
    at = 0
    for fence in _PERHAPS_A_FENCE.finditer(looks):
        if fence["name"]:
            for angle in _A_TAG_OPENS.finditer(fence["opening"]):
                kept += text[at : fence.start() + angle.start()], _INNOCENT
                at = fence.start() + angle.end()
    return "".join((*kept, text[at:])) if kept else text
