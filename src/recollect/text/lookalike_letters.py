"""The letters that characters look like, so that disguised text is read as people read it. Pure.

It uses Unicode's data as far as Python has it: compatibility forms (NFKC, NFKD), categories and names of letters. Python has
no data on look-alikes across scripts; a small table covers the Latin letters, after Unicode's report 39 on confusables.
"""

import unicodedata
from functools import lru_cache

from recollect.text.patterns import bounded

_KEPT = 16
"""Texts that are folded again at once: a message's, for each statement of it."""
_LAST_OF_PLANE = 0xFFFF
_MATHEMATICAL = range(0x1D400, 0x1D800)
_ENCLOSED = range(0x1F100, 0x1F200)

_LIKE_A_LETTER = {
    "a": "\u03b1\u0430\u1d00",
    "b": "\u03b2\u0432\u044c\u0299",
    "c": "\u03f2\u0441\u1d04",
    "d": "\u0501\u1d05",
    "e": "\u03b5\u0435\u0454\u04bd\u13ac\u1d07",
    "g": "\u0261\u0262\u0581",
    "h": "\u029c\u03b7\u043d\u04bb",
    "i": "\u0131\u026a\u03b9\u0456",
    "j": "\u03f3\u0458\u1d0a",
    "k": "\u03ba\u043a\u1d0b",
    "l": "\u01c0\u029f\u04cf",
    "m": "\u03bc\u043c\u1d0d",
    "n": "\u0274\u0578",
    "o": "\u03bf\u03c3\u043e\u0585\u1d0f",
    "p": "\u03c1\u0440\u1d18",
    "q": "\u051b",
    "r": "\u0280\u0433\u13a1",
    "s": "\u0455\ua731",
    "t": "\u03c4\u0442\u1d1b",
    "u": "\u057d\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u03c9\u0461\u051d\u1d21",
    "x": "\u03c7\u0445",
    "y": "\u028f\u03b3\u03c5\u0443\u04af",
    "z": "\u03b6\u1d22",
}

_LIKE_AN_ANGLE = "\u00ab\u02c2\u1438\u2039\u226a\u227a\u276c\u276e\u2770\u27e8\u27ea\u29fc\u2a79\u3008\u300a"
_WITHOUT_LOOKS = "\u115f\u1160\u3164\uffa0"
"""Invisible characters that Unicode counts as letters."""

ST = "\ufb06"
"""One character that looks like two letters."""

_UNSEEN_MARKS = bounded(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Default ignorable code points (Unicode's DerivedCoreProperties) that are not in the category Cf."""

_WORD = bounded(r"\w+")
_CYRILLIC = range(0x0400, 0x0530)


class _Looks(dict[int, int | str]):
    """Maps a character to the one that it looks like. A text keeps its length, so positions stay valid."""

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
    | {ord("\ufb05"): ST, ord(ST): ST}
    | {code: code for code in range(128)}
)

_LATIN = {other: letter for letter, others in _LIKE_A_LETTER.items() for other in others}
_CYRILLIC_OF = {
    letter: next(other for other in others if ord(other) in _CYRILLIC)
    for letter, others in _LIKE_A_LETTER.items()
    if any(ord(other) in _CYRILLIC for other in others)
}


def looks_of(text: str) -> str:
    """Return a text with each character replaced by the lower-case Latin letter that it looks like; the length is unchanged."""
    return text if text.isascii() else text.translate(_LOOKS)


def folded(text: str) -> str:
    """Return a text as a reader sees it.

    Invisible characters are removed, and letters are put into their plain forms (NFKC). In a word that mixes scripts, letters are
    replaced by their look-alikes of one script. A word of Latin look-alikes alone becomes Latin if most of the text is ASCII. Other
    words keep their script.
    """
    return text if text.isascii() else _folded(text)


@lru_cache(_KEPT)
def _folded(text: str) -> str:
    seen = "".join(each for each in _UNSEEN_MARKS.sub("", text) if unicodedata.category(each) != "Cf")
    plain = unicodedata.normalize("NFKC", seen)
    is_latin = sum(map(str.isascii, plain)) * 2 > len(plain)
    return _WORD.sub(lambda word: of_one_script(word.group(), among_latin=is_latin), plain)


def is_unseen(character: str) -> bool:
    """Return whether a character is invisible."""
    return unicodedata.category(character) == "Cf" or _UNSEEN_MARKS.fullmatch(character) is not None


def latin_like(character: str) -> str:
    """Return the Latin letter that a letter looks like, in the same case; the letter itself if there is none."""
    return _like(character, _LATIN)


def of_one_script(word: str, *, among_latin: bool = False) -> str:
    """Return a word of the same length in which letters of another script are their look-alikes, ``among_latin`` also of look-alikes alone."""
    if word.isascii():
        return word
    small = [each.lower()[0] for each in word]  # the Turkish "İ" is two characters when it is small
    alike = any(each in _LATIN for each in small)
    latin = any("a" <= each <= "z" for each in small)
    foreign = any(not each.isascii() and each not in _LATIN and not _is_latin(each) for each in small)
    if not alike or (not latin and not among_latin):
        return word
    if not foreign:
        return "".join(_like(each, _LATIN) for each in word)
    return "".join(_like(each, _CYRILLIC_OF) for each in word) if latin else word


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN ")


def _like(letter: str, alike: dict[str, str]) -> str:
    found = alike.get(letter.lower(), letter)
    return found.upper() if letter.isupper() else found
