"""Cuts a text to what of it a question is most about. Pure. Never: the question itself."""

import re
from collections.abc import Callable, Collection

_SENTENCE = re.compile(r"[^\n.!?\u3002\uff01\uff1f]*(?:[.!?\u3002\uff01\uff1f]+[\"')\]]*\s*|\n+|$)")
_WORD = re.compile(r"\w+")
_ELLIPSIS = "\u2026"
_READ = 20_000
_TELLING = 4


def focus_of(text: str) -> frozenset[str]:
    """Return the words by which an excerpt is chosen for a question: case-folded, of four letters and more."""
    words = _WORD.findall(text[:_READ].casefold())
    return frozenset(word for word in words if len(word) >= _TELLING or not word.isascii())


def excerpt(text: str, *, limit: int, count: Callable[[str], int], focus: Collection[str] = ()) -> str:
    """Return ``text``, or of a longer one the sentences in a row that hold most words of ``focus``.

    Args:
        text: What to cut; of a very long one the beginning is looked at.
        limit: Tokens it may take.
        count: Counts the tokens of a text.
        focus: Case-folded words; where none stands in the text, its beginning is taken.
    """
    whole = text.strip()
    if count(whole) <= limit:
        return whole
    sentences = [found.group() for found in _SENTENCE.finditer(whole[:_READ]) if found.group()]
    hits = [len({word for word in _WORD.findall(each.casefold()) if word in focus}) for each in sentences]
    first = max(range(len(sentences)), key=lambda place: (hits[place], -place))
    if first and hits[first] and count(sentences[first - 1]) + count(sentences[first]) < limit // 2:
        first -= 1  # what a sentence refers to often stands before it
    opening = f"{_ELLIPSIS} " if first else ""
    return opening + shortened("".join(sentences[first:]) + whole[_READ:], limit=limit - 1, count=count)


def shortened(text: str, *, limit: int, count: Callable[[str], int]) -> str:
    """Return the beginning of ``text`` that takes ``limit`` tokens at most, cut behind a word, with an ellipsis."""
    whole = text.strip()
    if count(whole) <= limit:
        return whole
    low, high = 0, min(len(whole), 8 * limit)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(whole[:middle]) + 1 <= limit else (low, middle - 1)
    start = whole[:low]
    if low < len(whole) and not whole[low].isspace():
        behind_word = start.rsplit(maxsplit=1)[0] if start.strip() else ""
        start = behind_word if len(behind_word) > low // 2 else start
    return f"{start.rstrip()} {_ELLIPSIS}"
