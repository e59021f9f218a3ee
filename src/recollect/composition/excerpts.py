"""Cuts a text to the part that a question is most about. Pure."""

from collections.abc import Callable, Collection, Iterator

from recollect.text.patterns import bounded, linear

_SENTENCE = linear(r"[^\n.!?\u3002\uff01\uff1f]*(?:[.!?\u3002\uff01\uff1f]+[\"')\]]*\s*|\n+|$)")
_LINE = linear(r"[^\n]*(?:\n+|$)")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff"
_WORD = bounded(rf"(?P<run>[{_UNSPACED}]+)|[^\W{_UNSPACED}]+")
_ELLIPSIS = "\u2026"
_READ = 20_000
_TELLING = 4
_CHARACTERS_A_TOKEN = 16
"""Of a text of nothing but spaces, which cost least."""


def focus_of(text: str) -> frozenset[str]:
    """Return the words by which an excerpt is chosen for a question: case-folded, of four letters and more."""
    words = _words(text[:_READ])
    return frozenset(word for word in words if len(word) >= _TELLING or not word.isascii())


def excerpt(
    text: str, *, limit: int, count: Callable[[str], int], focus: Collection[str] = (), code: bool = False
) -> str:
    """Return ``text``, or of a longer one the sentences in a row that hold most words of ``focus``.

    Args:
        text: What to cut; of a very long one the beginning is looked at.
        limit: Tokens it may take.
        count: Counts the tokens of a text.
        focus: Case-folded words; where none stands in the text, its beginning is taken.
        code: Whether it is cut between lines, and their indentation stays.
    """
    whole = _without_blank_ends(text) if code else text.strip()
    if count(whole) <= limit:
        return whole
    spans = [found.span() for found in (_LINE if code else _SENTENCE).finditer(whole[:_READ])]
    pieces = [whole[start:end] for start, end in spans]
    hits = [len({word for word in _words(each) if word in focus}) for each in pieces]
    first = max(range(len(pieces)), key=lambda place: (hits[place], -place))
    if first and hits[first] and count(pieces[first - 1]) + count(pieces[first]) < limit // 2:
        first -= 1  # what a sentence refers to often stands before it
    opening = "" if not first else f"{_ELLIPSIS}\n" if code else f"{_ELLIPSIS} "
    return _beginning(whole[spans[first][0] :], opening=opening, limit=limit, count=count, code=code)


def shortened(text: str, *, limit: int, count: Callable[[str], int]) -> str:
    """Return the beginning of ``text`` that takes ``limit`` tokens at most, cut behind a word, with an ellipsis.

    Returns:
        "" where the limit holds nothing of it.
    """
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
        start = behind if len(behind) > low // 2 else start
    return f"{opening}{start.rstrip()}{ending}" if start.strip() else ""


def _words(text: str) -> Iterator[str]:
    """Yield the words, case-folded; of scripts that leave no spaces, each two characters in a row."""
    for found in _WORD.finditer(text.casefold()):
        word = found.group()
        if found["run"] and len(word) > 1:
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word


def _without_blank_ends(code: str) -> str:
    indented = len(code) - len(code.lstrip())
    return code[code.rfind("\n", 0, indented) + 1 :].rstrip()
