"""Scripts as pieces of regular expressions, and the language that a script stands for.

Ranges follow the Unicode Character Database (Blocks.txt, Scripts.txt).
"""

import unicodedata

from recollect.text.patterns import anchored, bounded

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u3096\u309d\u309e"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
SPACELESS = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17d7\u17dc\u17dd\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer: letters and marks of scripts written without spaces between words."""

UNSPACED = HAN + HIRAGANA + KATAKANA + HANGUL + SPACELESS
"""Scripts read as n-grams, Hangul included: it has spaces, but its particles cling to its words."""

_LAST_MARK = 0x1E94A
"""The last combining mark before the supplementary variation selectors."""


def _marks() -> str:
    """Return a character class of the combining marks (general category M) outside n-gram scripts."""
    ranges: list[list[int]] = []
    for code in range(0x300, _LAST_MARK + 1):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


MARK = _marks()
"""One combining mark: Python's ``\\w`` leaves them out, which would cut words of many scripts in two."""

LETTER = rf"(?:[^\W{UNSPACED}]|(?![{UNSPACED}]){MARK})"
"""One letter, digit, mark or underscore of a script that is read word by word."""

_CYRILLIC = bounded("[\u0400-\u052f]")
_GREEK = bounded("[\u0370-\u03ff\u1f00-\u1fff]")
_ARABIC = bounded("[\u0600-\u06ff\u0750-\u077f]")
_LATIN = anchored("[A-Za-z\u00aa-\u02af\u1e00-\u1eff]")


def language_of_script(word: str) -> str | None:
    """Return the language a word is stemmed in by its script alone, "" for Latin, None for others.

    Russian stands for Cyrillic and Arabic for everything that is written in it: a stemmer that is wrong for
    a language still treats a document and its question alike.
    """
    if word.isascii() or _LATIN.match(word):
        return ""
    for pattern, language in ((_CYRILLIC, "russian"), (_GREEK, "greek"), (_ARABIC, "arabic")):
        if pattern.match(word):
            return language
    return None
