"""Terms of writing whose words are not told by spaces: overlapping n-grams. Never: a dictionary.

Pairs for Chinese, Japanese and Korean, as in Lucene's CJKAnalyzer; triples for Thai, Lao, Burmese and
Khmer, whose few dozen letters would make pairs say too little. Japanese is cut where the script changes,
so that a word of one Han character between kana stands alone.
"""

import unicodedata
from collections.abc import Callable

from recollect.text.lexical.stop_words import (
    HAN_FUNCTION_CHARACTERS,
    HAN_FUNCTION_WORDS,
    SYLLABIC_STOP_BIGRAMS,
)
from recollect.text.patterns import bounded

_FUNCTION_CHARACTER = bounded(
    f"(?:{'|'.join(HAN_FUNCTION_WORDS)}|[{''.join(sorted(HAN_FUNCTION_CHARACTERS))}])+"
)


def _overlapping(run: str, size: int) -> list[str]:
    return [run[start : start + size] for start in range(max(1, len(run) - size + 1))]


def _han(run: str) -> list[str]:
    pieces = (piece for piece in _FUNCTION_CHARACTER.split(run) if piece)
    return [pair for piece in pieces for pair in _overlapping(piece, 2)]


def _hiragana(run: str) -> list[str]:
    """Return pairs: one syllable alone is a particle."""
    return [pair for pair in _overlapping(run, 2) if len(pair) > 1 and pair not in SYLLABIC_STOP_BIGRAMS]


def _katakana(run: str) -> list[str]:
    return _overlapping(run, 2)


def _hangul(run: str) -> list[str]:
    return [pair for pair in _overlapping(run, 2) if pair not in SYLLABIC_STOP_BIGRAMS]


def _spaceless(run: str) -> list[str]:
    """Return triples that begin with a letter: marks begin no word."""
    return [gram for gram in _overlapping(run, 3) if unicodedata.category(gram[0])[0] != "M"]


NGRAMS: dict[str, Callable[[str], list[str]]] = {
    "han": _han,
    "hiragana": _hiragana,
    "katakana": _katakana,
    "hangul": _hangul,
    "spaceless": _spaceless,
}
"""Name of a kind of run -> what makes terms of one. A run holds nothing but letters of its kind."""
