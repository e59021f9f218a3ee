"""What a statement names: people, places, products; and in German what is only a noun. Pure. Never: who or where they are."""

from functools import lru_cache

from recollect.formation.difference.categories import categories_of
from recollect.formation.difference.figure_words import HAN_DIGITS, HAN_TENS, MONTHS, NUMBERS, UNITS, WEEKDAYS
from recollect.formation.difference.name_words import (
    BEFORE_GERMAN_NAMES,
    BEFORE_GERMAN_NOUNS,
    GERMAN_NOUN_ENDINGS,
    GERMAN_NOUNS,
    HAN_NAME,
    NO_HAN_NAMES,
    UNTELLING,
)
from recollect.formation.wording import Word, wording
from recollect.patterns import anchored

_UNTELLING = UNTELLING.union("不没沒無无未别別", HAN_DIGITS, HAN_TENS, MONTHS, NUMBERS, UNITS, WEEKDAYS)
"""What is compared as a figure or a denial, or says only that something is so now."""

_ADJECTIVE = anchored(r"[^\W\d_]{3,}(?:e|en|er|es|em)$")
_KEPT = 4_096


def tells(word: Word) -> bool:
    """Tell whether a word means something by itself, and is no figure."""
    return bool(word.stems) and word.plain not in _UNTELLING and not word.plain[:1].isdigit()


def named(content: str, evidence: str) -> list[Word]:
    """Return the words that name something: with a capital where no sentence begins, there or in the evidence.

    In German these are all nouns.
    """
    in_evidence = {word.plain for word in wording(evidence).words if word.is_capital}
    return [
        word
        for word in wording(content).words
        if tells(word)
        and (word.is_capital or (word.begins and word.text[0].isupper() and word.plain in in_evidence))
    ]


def is_german(*texts: str) -> bool:
    """Tell whether a text is in German; a short one often doesn't tell, but the words it rests on do."""
    return any(wording(text).language == "german" for text in texts)


def proper(content: str, evidence: str, *, german: bool) -> list[Word]:
    """Return the words that are names; of German nouns only those that stand like a name, in doubt none.

    Args:
        content: What is said.
        evidence: The words it rests on.
        german: Whether it is German, where all nouns have a capital.
    """
    names = named(content, evidence)
    said = wording(content)
    if not german:
        return names
    before: dict[int, Word] = {
        id(word): previous for previous, word in zip(said.words, said.words[1:], strict=False)
    }
    lower = _typed_lower(evidence)
    return [word for word in names if _is_german_name(word, before.get(id(word)), lower)]


def proper_names(content: str, evidence: str) -> frozenset[str]:
    """Return the names in a statement, in folded case."""
    names = proper(content, evidence, german=is_german(content, evidence))
    return frozenset(word.plain for word in names) | unspaced_names(content)


@lru_cache(_KEPT)
def unspaced_names(text: str) -> frozenset[str]:
    """Return the names that a Chinese or Japanese text gives as such: of whom or where one is said to be called, live or work."""
    found = (match[match.lastgroup or 0] for match in HAN_NAME.finditer(wording(text).text))
    return frozenset(name for name in found if name not in NO_HAN_NAMES)


def _typed_lower(evidence: str) -> frozenset[str]:
    """Return what a person typed without a capital, who uses capitals elsewhere."""
    words = wording(evidence).words
    if not any(word.is_capital for word in words):
        return frozenset()
    return frozenset(word.plain for word in words if word.text[0].islower())


def _is_german_name(word: Word, previous: Word | None, lower: frozenset[str]) -> bool:
    if word.plain in lower or word.plain in GERMAN_NOUNS or word.plain.endswith(GERMAN_NOUN_ENDINGS):
        return False
    if categories_of(word):
        return False
    if previous is None:
        return True
    if previous.plain in BEFORE_GERMAN_NAMES or previous.is_capital or previous.begins:
        return previous.plain not in BEFORE_GERMAN_NOUNS
    inner = any(character.isupper() for character in word.text[1:])
    return inner and not (previous.plain in BEFORE_GERMAN_NOUNS or _ADJECTIVE.match(previous.plain))
