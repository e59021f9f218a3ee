"""Which things of one category a statement names: the violin and not the trumpet, tea and not cocoa. Pure.

Never: which of them is meant, a model.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from recollect.formation.difference.category_words import CATEGORY_WORDS
from recollect.formation.wording import Word, wording
from recollect.lexical.folding import fold
from recollect.patterns import bounded

_UNSPACED = "\u2e80"
_LONGEST_ENDING = 6
_SHORTEST_PREFIX = 2
_KEPT = 4_096


class Thing(NamedTuple):
    """A thing, by its category and its number in that."""

    category: str
    number: int


def things(text: str) -> Mapping[str, Mapping[int, str]]:
    """Return of each category the things that ``text`` names, each with the word for it."""
    return _things(text)


def excluding_things(new: str, known: str) -> tuple[str, str] | None:
    """Return two words of one category by which two texts speak of different things; None where there are none.

    They do where each names things of a category, and none of them is the same.
    """
    of_known = _things(known)
    for category, in_new in _things(new).items():
        in_known = of_known.get(category, {})
        if in_known and not in_new.keys() & in_known.keys():
            return next(iter(in_new.values())), next(iter(in_known.values()))
    return None


def categories_of(word: Word) -> frozenset[str]:
    """Return the categories a word is of."""
    return frozenset(thing.category for thing in _named_by(word.plain))


@lru_cache(_KEPT)
def _things(text: str) -> dict[str, dict[int, str]]:
    said = wording(text)
    found: dict[str, dict[int, str]] = {}
    for word in said.words:
        if word.stems and not word.is_unspaced:
            for thing in _named_by(word.plain):
                found.setdefault(thing.category, {}).setdefault(thing.number, word.plain)
    for part in _PARTS.finditer(said.text):
        for thing in _WHOLE.get(part[0], ()):
            found.setdefault(thing.category, {}).setdefault(thing.number, part[0])
    return found


@lru_cache(_KEPT)
def _named_by(plain: str) -> tuple[Thing, ...]:
    """Return the things a word in folded case names: as it stands, else by its longest known beginning."""
    if plain in _WHOLE:
        return _WHOLE[plain]
    least = max(_SHORTEST_PREFIX, len(plain) - _LONGEST_ENDING)
    for size in range(len(plain), least - 1, -1):
        if plain[:size] in _BEGINNINGS:
            return _BEGINNINGS[plain[:size]]
    return ()


def _read() -> tuple[dict[str, tuple[Thing, ...]], dict[str, tuple[Thing, ...]]]:
    whole: dict[str, tuple[Thing, ...]] = {}
    beginnings: dict[str, tuple[Thing, ...]] = {}
    for category, lines in CATEGORY_WORDS.items():
        for number, line in enumerate(lines.strip().splitlines()):
            for word in line.split():
                words = beginnings if word.endswith("*") else whole
                key = word.removesuffix("*") if word >= _UNSPACED else fold(word.removesuffix("*"))
                words[key] = (*words.get(key, ()), Thing(category, number))
    return whole, beginnings


_WHOLE, _BEGINNINGS = _read()
_PARTS = bounded(
    "|".join(sorted((word for word in _WHOLE if word >= _UNSPACED), key=lambda word: (-len(word), word)))
)
