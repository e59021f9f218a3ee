"""Quotes texts: cuts them to the part that a question asks about, and keeps them from imitating a fence of the block. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator

from recollect.text.attribution import asking_ends
from recollect.text.lookalike_letters import ST, looks_of
from recollect.text.normalization import storable_text
from recollect.text.patterns import bounded, linear, replaced

_SENTENCE = linear(r"[^\n.!?\u3002\uff01\uff1f]*(?:[.!?\u3002\uff01\uff1f]+[\"')\]]*\s*|\n+|$)")
_LINE = linear(r"[^\n]*(?:\n+|$)")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff"
_WORD = bounded(rf"(?P<run>[{_UNSPACED}]+)|[^\W{_UNSPACED}]+")
_ELLIPSIS = "\u2026"
_READ = 20_000
_TELLING = 4
_ELLIPSIS_ROOM = 6
"""Characters that the marks of a cut take of a window."""
_LONGEST_WORD = 40
_CHARACTERS_A_TOKEN = 16
"""An upper bound, which a text of nothing but spaces comes near to."""


def focus_of(text: str) -> frozenset[str]:
    """Return the words of a question by which an excerpt is chosen: case-folded; ASCII words of four letters or more."""
    words = _words(asking_ends(text))
    return frozenset(word for word in words if len(word) >= _TELLING or not word.isascii())


def excerpt(
    text: str, *, limit: int, count: Callable[[str], int], focus: Collection[str] = (), code: bool = False
) -> str:
    """Return ``text``, cut to ``limit`` tokens around the sentence that holds most of the case-folded words of ``focus``.

    If the sentence is longer, the excerpt is a window around those words; if the first 20,000 characters hold none, it is the
    beginning. Code is cut between lines and keeps its indentation.
    """
    whole = _without_blank_ends(text) if code else text.strip()
    if count(whole) <= limit:
        return whole
    spans = [found.span() for found in (_LINE if code else _SENTENCE).finditer(whole[:_READ])]
    pieces = [whole[start:end] for start, end in spans]
    hits = [len({word for word in _words(each) if word in focus}) for each in pieces]
    first = max(range(len(pieces)), key=lambda place: (hits[place], -place))
    size = count(pieces[first])
    if first and hits[first] and count(pieces[first - 1]) + size < limit // 2:
        first -= 1  # a sentence often refers to the one before it
    start = spans[first][0]
    if hits[first] and size > limit and not code:
        start += _window_of(pieces[first], focus, length=len(pieces[first]) * limit // size)
    opening = "" if not start else f"{_ELLIPSIS}\n" if code else f"{_ELLIPSIS} "
    return _beginning(whole[start:], opening=opening, limit=limit, count=count, code=code)


def _window_of(sentence: str, focus: Collection[str], *, length: int) -> int:
    """Return where in a sentence ``length`` characters begin that hold most different words of ``focus``, in their middle."""
    places = [(word, at) for word, at in _placed_words(sentence) if word in focus]
    best = (0, 0, 0)
    within: Counter[str] = Counter()
    first = 0
    for word, at in places:
        within[word] += 1
        while at - places[first][1] > length // 2:
            within -= Counter([places[first][0]])
            first += 1
        best = max(best, (len(within), -places[first][1], -at))
    start = max(0, (-best[1] - best[2] - length) // 2 + _ELLIPSIS_ROOM)
    if start <= _ELLIPSIS_ROOM:
        return 0
    near = range(start, max(0, start - _LONGEST_WORD), -1)
    return next((at for at in near if sentence[at - 1].isspace()), start)


def shortened(text: str, *, limit: int, count: Callable[[str], int]) -> str:
    """Return ``text``, cut after a word to at most ``limit`` tokens; an ellipsis marks the cut; "" if not even its first characters fit."""
    return _beginning(text.strip(), limit=limit, count=count)


def _beginning(
    text: str, *, limit: int, count: Callable[[str], int], opening: str = "", code: bool = False
) -> str:
    if count(opening + text) <= limit:
        return opening + text
    ending = f"\n{_ELLIPSIS}" if code else f" {_ELLIPSIS}"
    low, high = 0, min(len(text), _CHARACTERS_A_TOKEN * max(limit, 0))
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        fits = count(opening + text[:middle] + ending) <= limit
        low, high = (middle, high) if fits else (low, middle - 1)
    start = text[:low]
    if low < len(text) and not text[low].isspace() and start.strip():
        behind = start.rpartition("\n")[0] if code else start.rsplit(maxsplit=1)[0]
        start = behind if len(behind) > low // 2 else start  # a very long word is cut rather than left out
    return f"{opening}{start.rstrip()}{ending}" if start.strip() else ""


def _words(text: str) -> Iterator[str]:
    """Yield the case-folded words of a text; for scripts without spaces between words, its character bigrams."""
    return (word for word, _ in _placed_words(text.casefold()))


def _placed_words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words of a text, case-folded, and where each begins."""
    for found in _WORD.finditer(text):
        word, start = found.group(), found.start()
        if found["run"] and len(word) > 1:
            yield from ((word[at : at + 2], start + at) for at in range(len(word) - 1))
        else:
            yield word.casefold(), start


def _without_blank_ends(code: str) -> str:
    indented = len(code) - len(code.lstrip())
    return code[code.rfind("\n", 0, indented) + 1 :].rstrip()


MEMORIES = "recollect_memories"
HISTORY = "recollect_history"

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
    """Return text that can neither open, close nor imitate a fence, nor begin a bullet of its own."""
    # Further lines are indented, so that only the block's own bullets begin at the margin.
    lines = (line.strip() for line in unfenced(text).splitlines())
    return "\n  ".join(line for line in lines if line)


def quoted_code(text: str) -> str:
    """Return code as ``quoted`` does, with its indentation."""
    lines = [line.rstrip() for line in unfenced(text).expandtabs(4).splitlines()]
    kept = [line for line in lines if line]
    # Several lines begin with a line feed, so that the first is aligned with the others.
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
    angles = (
        (fence.start() + angle.start(), fence.start() + angle.end(), "(")
        for fence in _PERHAPS_A_FENCE.finditer(looks_of(text))
        if fence["name"]
        for angle in _A_TAG_OPENS.finditer(fence["opening"])
    )
    return replaced(text, angles)
