"""Detects text that the prompt already has. Pure."""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from heapq import nsmallest
from operator import itemgetter

from recollect.text.patterns import bounded

_WORD = bounded("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]|[^\\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]+")
"""A word, or a character of a script that has no spaces."""

_COMPARED_AT_MOST = 300
"""The most texts of the request that are compared word by word. A verbatim repetition is found in all of them."""

_LIKE = 0.8
"""The Jaccard similarity of two texts' words above which one repeats the other."""

_ASCII, _OTHERS = bytes(range(128)), bytes(range(128, 256))
_LOWER = bytes(ord(chr(byte).lower()) for byte in _ASCII)
_PLAIN = bytes(ord(" ") if chr(byte).isspace() else byte for byte in _LOWER) + _OTHERS
"""Each ASCII character in lower case, a space for each kind of white space, and all other bytes as they are."""
_SPACED = bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in _LOWER) + _OTHERS
"""The same with a space for each ASCII character that no word has."""


class PromptTexts:
    """The texts of a request, newest first, normalized once a turn, when the first memory is compared with them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = [text for text in texts if text]
        self._words: dict[int, frozenset[str]] = {}

    def says(self, content: str, words: frozenset[str]) -> bool:
        """Whether a text of the request contains ``content`` verbatim, or has nearly the same ``words`` (as ``words_of`` returns them).

        Only texts of half to twice its length are compared word by word, the newest 300 of them.
        """
        plain = _normalized(content)
        return (bool(plain) and plain in self._plain) or repeats(
            words, map(self._words_at, self._near(len(content)))
        )

    def _near(self, length: int) -> list[int]:
        first = bisect_left(self._lengths, (length // 2, 0))
        stop = bisect_left(self._lengths, (length * 2 + 1, 0))
        places = map(itemgetter(1), self._lengths[first:stop])
        return nsmallest(_COMPARED_AT_MOST, places) if stop - first > _COMPARED_AT_MOST else list(places)

    @cached_property
    def _plain(self) -> str:
        return _normalized("\0".join(self._texts))  # no memory holds the sign between them

    @cached_property
    def _lengths(self) -> list[tuple[int, int]]:
        return sorted((len(text), place) for place, text in enumerate(self._texts))

    def _words_at(self, place: int) -> frozenset[str]:
        if place not in self._words:
            self._words[place] = words_of(self._texts[place])
        return self._words[place]


def words_of(text: str) -> frozenset[str]:
    """Return the case-folded words of a text; in scripts without spaces, its characters."""
    if text.isascii():  # four times as fast
        return frozenset(text.encode("ascii").translate(_SPACED).decode("ascii").split())
    return frozenset(_WORD.findall(text.casefold()))


def repeats(words: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Return whether the Jaccard similarity of a set of words to one of the others is above 0.8."""
    length = len(words)
    at_least, at_most = length * _LIKE, length / _LIKE
    return any(
        at_least < len(other) < at_most and len(words & other) * (1 + _LIKE) > _LIKE * (length + len(other))
        for other in others
    )


def _normalized(text: str) -> str:
    """Return a text case-folded and with single spaces."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > len(text):
        others = encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        if others.casefold() != others or others.split() != [others]:
            return " ".join(text.split()).casefold()
    plain = encoded.translate(_PLAIN)  # four times as fast, where all capitals and spaces are ASCII
    while b"  " in plain:
        plain = plain.replace(b"  ", b" ")
    return plain.strip().decode("utf-8", "surrogatepass")
