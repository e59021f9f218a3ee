"""Normalizes disguised characters, and maps each character back to its place in the original. Pure.

Invisible characters are left out. Other forms of ASCII letters and digits (full-width, mathematical, circled), the digits of
all scripts, and all spaces become ASCII, and so do look-alike letters of other scripts, in a word or a text that mixes both.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from recollect.text.looks import is_unseen, latin_like, of_one_script
from recollect.text.patterns import linear
from recollect.text.secrets.values import MOST_PLACES, SecretSpan

_SCRIPTS = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "CHEROKEE ")
_OTHERS = r"\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}"
_MIXED = linear(rf"[\p{{Latin}}{_OTHERS}]*(?:[A-Za-z][{_OTHERS}]|[{_OTHERS}][A-Za-z])[\p{{Latin}}{_OTHERS}]*")
"""A word of two scripts."""

_LATIN = linear("[A-Za-z]")
_LINE_BREAKS = "\u2028\u2029\x85"
_DOTLESS = "\u0131"
"""Words of Turkish are written with it."""


@dataclass(frozen=True, slots=True)
class UndisguisedText:
    """A text without disguises.

    Attributes:
        text: The visible characters: the text, without its invisible ones.
        in_scripts: The same, each letter in the script in which it is written.
        unseen: The characters that were left out.
    """

    text: str
    in_scripts: str
    unseen: frozenset[str] = frozenset()

    def in_original(self, original: str, found: list[SecretSpan]) -> list[SecretSpan]:
        """Return the span in the original text of a span found in the undisguised one."""
        if not self.unseen or not found:
            return found
        kept = [at for at, each in enumerate(original) if each not in self.unseen]
        return [each._replace(start=kept[each.start], end=kept[each.end - 1] + 1) for each in found]


def undisguised(text: str) -> UndisguisedText:
    """Return a text as people see it, in linear time; ASCII is returned at once.

    If a text has more than 1,000 words of two scripts, the first 1,000 are read so.
    """
    if text.isascii():
        return UndisguisedText(text, text)
    characters = {each: _analyze_character(each) for each in set(text) if not each.isascii()}
    unseen = frozenset(each for each, read in characters.items() if read.is_unseen)
    table = {ord(each): read.form or None for each, read in characters.items() if read.form or read.is_unseen}
    alike = {ord(each): read.latin for each, read in characters.items() if read.latin}
    if table:
        text = text.translate({**table, **dict.fromkeys(map(ord, unseen))})
    in_scripts = text
    is_latin = all(read.latin for read in characters.values() if read.is_of_other_script)
    if alike and is_latin and _LATIN.search(text):
        text = text.translate(alike)
    elif alike:
        text = _of_one_script(text)
    return UndisguisedText(text, in_scripts, unseen)


class _Character(NamedTuple):
    """A character that is not ASCII: the ASCII character it is another form of, the Latin letter it looks like; "": none."""

    form: str
    latin: str
    is_unseen: bool
    is_of_other_script: bool


@lru_cache(10_000)
def _analyze_character(character: str) -> _Character:
    latin = "" if character == _DOTLESS else latin_like(character)
    return _Character(
        _in_ascii(character),
        "" if latin == character else latin,
        is_unseen(character),
        unicodedata.name(character, "").startswith(_SCRIPTS),
    )


def _in_ascii(character: str) -> str:
    """Return the ASCII letter, digit or space that a character is another form of; "" if there is none."""
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if character in _LINE_BREAKS:
        return "\n"
    form = unicodedata.normalize("NFKC", character)
    if unicodedata.category(character) == "Zs":
        return " "
    return form if len(form) == 1 and form.isascii() and form.isalnum() else ""


def _of_one_script(text: str) -> str:
    """Return a text of the same length in which each word of two scripts is written in one."""
    parts: list[str] = []
    at = 0
    for word in islice(_MIXED.finditer(text), MOST_PLACES):
        parts += text[at : word.start()], of_one_script(word[0])
        at = word.end()
    return "".join((*parts, text[at:]))
