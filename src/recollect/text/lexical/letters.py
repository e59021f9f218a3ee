"""Letters of scripts as pieces of regular expressions, the folding of different spellings of a word, and marks of questions.

Ranges follow the Unicode Character Database (Blocks.txt, Scripts.txt). Compatibility forms are unified (NFKC, Unicode Standard
Annex 15), case is folded (Unicode Standard, section 3.13), and marks that people leave out are removed.
"""

import hashlib
import re
import sys
import unicodedata
from functools import lru_cache

from recollect.text.patterns import bounded, linear

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
"""A combining mark. Python's ``\\w`` leaves them out, which would cut words of many scripts in two."""

LETTER = rf"(?:[^\W{UNSPACED}]|(?![{UNSPACED}]){MARK})"
"""One letter, digit, mark or underscore of a script that is read word by word."""

LONGEST_TERM = 64
"""Characters of the longest term. A longer one keeps its beginning and a digest of the whole."""
_DIGEST_BYTES = 4

_MARKS_IN_A_ROW = 30
"""The limit of the Stream-Safe Text Format (Unicode Standard Annex 15, section 13): longer runs cost
quadratic time to bring into order, and no writing has them."""

_MARK_RUN = bounded(f"((?:{MARK}){{{_MARKS_IN_A_ROW}}})(?:{MARK})+")
_INVISIBLE = bounded("[\u00ad\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f]+")
_FOREIGN_DIGIT = bounded(r"(?![0-9])\d")
_APOSTROPHES = str.maketrans("\u2019\u02bc\u2018\u201b\u05f3\uff07", "''''''")
_SPACES = str.maketrans({"\u200b": " ", "\x00": " "})

# Latin letters whose stroke or ligature Unicode does not decompose; Arabic alef, yeh, teh marbuta and kaf in
# one form each; tatweel only stretches.
_LETTERS = str.maketrans(
    "\u00f8\u0142\u0111\u00f0\u0131\u0127\u0622\u0623\u0625\u0671\u0649\u06cc\u0629\u06a9",
    "olddih\u0627\u0627\u0627\u0627\u064a\u064a\u0647\u0643",
    "\u0640",
) | str.maketrans({"\u00e6": "ae", "\u0153": "oe", "\u00fe": "th"})
# The breve and the diaeresis of й, ў and ї make letters of their own; stress marks and ё's dots do not.
_ACCENT = bounded("(?:(?<=[иуі])(?![\u0306\u0308])|(?<![иуі]))[\u0300-\u036f]")
_POINT = bounded(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)


def readable(text: str) -> str:
    """Return ``text`` in NFKC, its apostrophes straight, its digits ASCII, without invisible characters; case and accents stay."""
    if text.isascii():
        return text.replace("\x00", " ")
    streamable = _MARK_RUN.sub(r"\1", text.translate(_SPACES))
    composed = unicodedata.normalize("NFKC", streamable).translate(_APOSTROPHES)
    return _FOREIGN_DIGIT.sub(_ascii_digit, _INVISIBLE.sub("", composed))


def fold(word: str) -> str:
    """Return ``word`` in folded case, without the accents, strokes, ligatures and points that people leave out when they type in a hurry."""
    folded = word.casefold()
    if folded.isascii():
        return sys.intern(folded)
    pointless = _POINT.sub("", folded.translate(_LETTERS))
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", pointless))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


_DIACRITIC = bounded(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u093c\u09bc\u0a3c\u0abc\u0b3c]"
)
"""Accents, points and harakat, and the dots that Hindi and Bengali borrow letters with; vowel signs are letters."""


def bare(word: str) -> str:
    """Return ``word`` as ``fold`` does, without any mark that can be left out, its digits ASCII."""
    if word.isascii():
        return word.casefold()
    return unicodedata.normalize(
        "NFC", _DIACRITIC.sub("", unicodedata.normalize("NFD", fold(readable(word))))
    )


def clipped(term: str) -> str:
    """Return ``term`` in at most `LONGEST_TERM` characters, still distinct from other terms."""
    if len(term) <= LONGEST_TERM:
        return term
    digest = hashlib.blake2b(term.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{term[: LONGEST_TERM - len(digest) - 1]}~{digest}"


def _ascii_digit(digit: re.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0]))


_SENTENCE = linear("[^.!?\u2026\n\u3002\uff01\uff1f\u061f]+[.!?\u2026\u3002\uff01\uff1f\u061f]*")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that have a letter or a digit, each with the marks at its end."""
    return [each.strip() for each in _SENTENCE.findall(text) if any(map(str.isalnum, each))]


_BEHIND = 200
"""Characters behind a sentence that may be an emoji, quotation marks or brackets."""


def last_question(text: str) -> int:
    """Return the place of the last mark of a question in a short text; -1 without one."""
    return next((at for at in reversed(range(len(text))) if _asks(text, at)), -1)


def ends_asking(text: str) -> bool:
    """Return whether a mark of a question is among those that a text ends with, as before an emoji."""
    for at in range(len(text) - 1, max(-1, len(text) - 1 - _BEHIND), -1):
        if text[at].isalnum():
            return False
        if _asks(text, at):
            return True
    return False


def _asks(text: str, at: int) -> bool:
    if text[at] == ";":  # the mark of a question in Greek
        return unicodedata.name(text[at - 1 : at] or " ", "").startswith("GREEK")
    return _is_mark(text[at])


@lru_cache(maxsize=4_096)
def _is_mark(letter: str) -> bool:
    """Return whether a character is called a question mark in Unicode, and is not one that opens a question."""
    name = unicodedata.name(letter, "")
    is_sign = unicodedata.category(letter) in {"Po", "So"}
    return is_sign and "QUESTION" in name and not name.startswith("INVERTED")
