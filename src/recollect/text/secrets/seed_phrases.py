"""The words of wallets, known by the ten word lists of BIP 39 and their checksum. Pure.

Nothing has to announce them. Languages share words, so a stretch is read in each language that has all of its words.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple
from unicodedata import combining, normalize

from recollect.text.patterns import linear
from recollect.text.secrets.values import SecretKind, SecretSpan
from recollect.text.word_tables import read_table

_WORD = linear(r"[\p{L}\p{M}]+")
_SIZES = (24, 21, 18, 15, 12)
_LEAST, _MOST = 12, 100
"""Words in a row: more are a list of words."""
_FARTHEST = 12
"""Characters between two words: a number, a comma, the ruler of a table."""
_BITS_OF_WORD, _WORDS_A_CHECK_BIT = 11, 3
_LETTERS = bytes(each if each >= 128 or chr(each).isalpha() else 32 for each in range(256))  # noqa: PLR2004 -- ASCII's end
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")
_COMMAS = "\u3001\uff0c\u30fb\u00b7\u2022\u2192\u2013\u2014\uff0e\uff1a"


class _Word(NamedTuple):
    """A word of a text, the characters before it, and its number in the lists, by language."""

    start: int
    end: int
    gap: str
    places: dict[int, int]


def _word_forms() -> Iterator[tuple[str, int, int]]:
    """Yield each form of each word, with its language and its number there; accents may be left out."""
    for language, listed in enumerate(read_table("recollect.text.secrets", "wallet_words").values()):
        for number, word in enumerate(listed.split()):
            plain = normalize("NFKD", word)
            for form in (plain, "".join(each for each in plain if not combining(each))):
                yield form, language, number


@cache  # 7 MB, and made only once a text may hold such words
def _lists() -> dict[str, dict[int, int]]:
    """Return the words of all languages, each with its number by language."""
    words: dict[str, dict[int, int]] = {}
    for form, language, number in _word_forms():
        words.setdefault(form, {}).setdefault(language, number)
    return words


@cache
def _encoded() -> frozenset[bytes]:
    """Return the words in the form of an encoded text."""
    forms = (form for word, _, _ in _word_forms() for form in (word, normalize("NFC", word)))
    return frozenset(form.encode() for form in forms)


def seed_phrases(text: str) -> Iterator[SecretSpan]:
    """Yield stretches of 12, 15, 18, 21 or 24 words of one list whose checksum holds, whatever stands between the words."""
    if not _may_hold_one(text):
        return
    run: list[_Word] = []
    for found in _WORD.finditer(text):
        places = _lists().get(normalize("NFKD", found[0].lower()))
        if run and (places is None or found.start() - run[-1].end > _FARTHEST):
            yield from _in_run(run)
            run = []
        if places is not None:
            gap = text[run[-1].end : found.start()].translate(_WITHOUT_DIGITS) if run else ""
            run.append(_Word(found.start(), found.end(), gap, places))
    yield from _in_run(run)


def _may_hold_one(text: str) -> bool:
    """Return whether twelve words in a row are of the lists; one of every twelve shows it if there are none."""
    plain = text.lower()
    if not plain.isascii():
        for comma in _COMMAS:
            plain = plain.replace(comma, " ")
    words = plain.encode("utf-8", "replace").translate(_LETTERS).split()
    known = _encoded()
    for at in range(_LEAST - 1, len(words), _LEAST):
        if words[at] not in known:
            continue
        first = last = at
        while first and at - first < _LEAST and words[first - 1] in known:
            first -= 1
        while last + 1 < len(words) and last - first < _LEAST and words[last + 1] in known:
            last += 1
        if last - first + 1 >= _LEAST:
            return True
    return False


def _in_run(run: Sequence[_Word]) -> Iterator[SecretSpan]:
    if not _LEAST <= len(run) <= _MOST:
        return
    taken: set[int] = set()
    for size in _SIZES:
        for at in range(len(run) - size + 1):
            if (
                taken.isdisjoint(range(at, at + size))
                and _is_bounded(run, at, at + size)
                and _holds(run[at : at + size])
            ):
                taken.update(range(at, at + size))
                yield SecretSpan(run[at].start, run[at + size - 1].end, SecretKind.SEED)


def _is_bounded(run: Sequence[_Word], first: int, last: int) -> bool:
    """Return whether words are set off from those around them, which are of the lists too; one side will do in a longer run."""
    begins = first == 0 or run[first].gap != run[first + 1].gap
    ends = last == len(run) or run[last].gap != run[last - 1].gap
    return (begins and ends) if len(run) in _SIZES else (begins or ends)


def _holds(words: Sequence[_Word]) -> bool:
    """Return whether the checksum of words holds in a language that has them all."""
    languages = set(words[0].places).intersection(*(each.places for each in words[1:]))
    return any(_is_checked([each.places[language] for each in words]) for language in languages)


def _is_checked(numbers: Sequence[int]) -> bool:
    check_bits = len(numbers) // _WORDS_A_CHECK_BIT
    bits = 0
    for number in numbers:
        bits = bits << _BITS_OF_WORD | number
    entropy = (bits >> check_bits).to_bytes((len(numbers) * _BITS_OF_WORD - check_bits) // 8, "big")
    return sha256(entropy).digest()[0] >> (8 - check_bits) == bits & ((1 << check_bits) - 1)
