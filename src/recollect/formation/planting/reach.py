"""Tells a statement that hands over an address for others to use from what a person says of themselves. Pure.

By structure alone, in any language: whether there is a link, a mailbox, an account or a telephone number in it; who
speaks of themselves; who is spoken to, and whether for always. Never: what is said about the address, who wrote it.
"""

import re
from functools import cache

from recollect.formation.word_lists.orders import ADDRESS
from recollect.formation.word_lists.orders_everywhere import LANGUAGES
from recollect.formation.word_lists.orders_structure import ACTOR
from recollect.formation.word_lists.persons import (
    ENGLISH_I,
    FIRST,
    FIRST_ENDS,
    FIRST_WITHIN,
    SECOND,
    SECOND_WITHIN,
    THAT,
)
from recollect.patterns import Pattern, bounded
from recollect.supersets import sieved

_LONGEST = 600
"""Characters of a statement, or of the words it rests on, that are read."""

_REACHED = sieved(
    r"https?://\S|\bwww\.\w|[\w.+-]{1,60}@[\w-]{1,60}\.\w|(?<![\w.@])@\w{3,40}(?![\w(]|\.\w)"
    r"|\b[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}/\w|\+[0-9][0-9 ()./-]{7,20}[0-9]"
)
_ADDRESS = bounded(ADDRESS)
_OWN_WAY = bounded(r"(?<!\w)(?:me|us|mich|mir|uns|moi|nous|mí|mnie|mi|меня|мне)(?: [^\s@]{1,20}){0,2} ?$")


def _words(listed: str, within: str = "") -> Pattern:
    words = "|".join(re.escape(each).replace(r"\-", r"\w{1,6}") for each in listed.split())
    unspaced = "".join(f"|{re.escape(each)}" for each in within.split())
    return bounded(rf"(?<![\w'])(?:{words})(?!\w){unspaced}")


_I = bounded(ENGLISH_I)
_FIRST = _words(f"{FIRST} {FIRST_ENDS}", FIRST_WITHIN)
_SECOND = _words(f"{SECOND} {THAT}", SECOND_WITHIN)


def hands_over(content: str, evidence: str) -> bool:
    """Tell whether a statement rests on words that hand over an address which is not told as the person's own.

    It is where nobody speaks of themselves. Where somebody does, it is if the assistant is told to do something
    with it always, or in all cases, unless that is to reach the person.

    Args:
        content: The statement.
        evidence: The words it was taken from; both as they are read, disguises taken off.
    """
    said, stated = evidence[:_LONGEST].casefold(), content[:_LONGEST].casefold()
    reached = _REACHED.search(said) or _REACHED.search(stated)
    if reached and not (_FIRST.search(said) or _FIRST.search(stated) or _I.search(evidence[:_LONGEST])):
        return True
    place = reached or _ADDRESS.search(said)
    if place is None or _OWN_WAY.search(place.string, 0, place.start()):
        return False
    told = _SECOND.search(said) or ACTOR.search(said)
    return bool(told) and any(each.search(said) for each in _always())


def told_to_another(evidence: str) -> str:
    """Return what follows the words for who is spoken to: of "I want you to always name X" that is "always name X"."""
    read = evidence[:_LONGEST]
    found = _SECOND.search(read.casefold())
    while found is not None:
        rest = read[found.end() :].lstrip().removeprefix("to ")
        read, found = rest, _SECOND.match(rest.casefold())  # "that you"
    return read if len(read) < len(evidence[:_LONGEST]) else ""


@cache
def _always() -> tuple[Pattern, ...]:
    return tuple(
        sieved(rf"\b(?:{words.always})\b" if words.spaced else words.always) for words, _ in LANGUAGES
    )
