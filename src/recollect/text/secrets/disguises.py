"""Normalizes disguised characters, and maps each character back to its place in the original. Pure.

Invisible characters are left out. Other forms of ASCII letters and digits (full-width, mathematical, circled) become ASCII, and
so do look-alike letters of other scripts, in a word or a text that mixes both.
"""

import unicodedata
from dataclasses import dataclass
from itertools import islice

from recollect.text.looks import is_unseen, latin_like, of_one_script
from recollect.text.patterns import linear
from recollect.text.secrets.values import MOST_PLACES, SecretSpan

_SCRIPTS = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "CHEROKEE ")
_OTHERS = r"\p{Cyrillic}\p{Greek}\p{Armenian}\p{Cherokee}"
_MIXED = linear(rf"[\p{{Latin}}{_OTHERS}]*(?:[A-Za-z][{_OTHERS}]|[{_OTHERS}][A-Za-z])[\p{{Latin}}{_OTHERS}]*")
"""A word of two scripts."""

_LATIN = linear("[A-Za-z]")
_DOTLESS = "\u0131"
"""Words of Turkish are written with it."""


@dataclass(frozen=True, slots=True)
class UndisguisedText:
    """A text without disguises.

    Attributes:
        text: What is seen: as long as the text, or shorter by what nobody sees.
        unseen: The characters that were left out.
    """

    text: str
    unseen: frozenset[str] = frozenset()

    def in_original(self, original: str, found: list[SecretSpan]) -> list[SecretSpan]:
        """Return the span in the original text of a span found in the undisguised one."""
        if not self.unseen or not found:
            return found
        kept = [at for at, each in enumerate(original) if each not in self.unseen]
        return [each._replace(start=kept[each.start], end=kept[each.end - 1] + 1) for each in found]


def undisguised(text: str) -> UndisguisedText:
    """Return a text as people see it, in linear time; ASCII is returned at once.

    Of a text with more than 1,000 words of two scripts, the first so many are read so.
    """
    if text.isascii():
        return UndisguisedText(text)
    characters = [each for each in set(text) if not each.isascii()]
    unseen = frozenset(filter(is_unseen, characters))
    plain = {each: form for each in characters if len(form := unicodedata.normalize("NFKC", each)) == 1}
    table: dict[str, str | None] = {
        each: form for each, form in plain.items() if form.isascii() and form.isalnum()
    }
    table |= dict.fromkeys(unseen)
    alike = {each: latin for each in characters if each != _DOTLESS and (latin := latin_like(each)) != each}
    others = {each for each in characters if unicodedata.name(each, "").startswith(_SCRIPTS)}
    if alike and others <= alike.keys() and _LATIN.search(text):
        table |= alike
        alike = {}
    if table:
        text = text.translate({ord(each): form for each, form in table.items()})
    return UndisguisedText(_of_one_script(text) if alike else text, unseen)


def _of_one_script(text: str) -> str:
    """Return a text of the same length in which each word of two scripts is written in one."""
    parts: list[str] = []
    at = 0
    for word in islice(_MIXED.finditer(text), MOST_PLACES):
        parts += text[at : word.start()], of_one_script(word[0])
        at = word.end()
    return "".join((*parts, text[at:]))
