"""Secrets recognized by their form alone: keys of known vendors, private keys, random strings, the words of wallets. Pure.

The vendors' forms are in `key_formats.json`. Their prefixes, lengths and alphabets are facts from their documentation, checked against gitleaks, detect-secrets and
trufflehog. Lengths are lower bounds: a vendor may issue longer keys later. A wallet's words are known by the ten word lists of
BIP 39 and their checksum. Languages share words, so a stretch is read in each language that has all of its words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from math import log2
from typing import NamedTuple
from unicodedata import combining, normalize

from recollect.text import read_table
from recollect.text.patterns import linear
from recollect.text.secrets.values import SecretKind, SecretSpan, has_digit, is_humped, is_placeholder, places

_WITH_PREFIX = (form for of_makers in read_table(__package__, "key_formats").values() for form in of_makers)
"""Expressions of RE2 for whole keys, without the text around them, by the sort of their makers."""

WEB_SIGNED = r"eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*)*"
"""A JSON Web Token (RFC 7519): the beginning of a JSON object in base64, and its other parts."""


_OF_MAKERS = linear(rf"(?:^|[^A-Za-z0-9])(?:({'|'.join(_WITH_PREFIX)})|({WEB_SIGNED}))")
_KEY_FILE = linear(
    r"-----(?:(BEGIN)|END) (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
    r"|(PuTTY-User-Key-File-[0-9])"
)
_RUN = linear(r"[A-Za-z0-9+/_-]{24,}={0,2}")
SHAPES = _KEY_FILE, _OF_MAKERS, _RUN
"""A text without any of these has no key."""
_UUID = linear(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEXADECIMAL = linear(r"(?:0[xX])?[0-9a-fA-F]+")
_LINK = linear(r"(?i)(?:https?://|www\.)[^\s?#<>\"']*$")
_ATTRIBUTE = linear(r"(?i)(?:^|[^a-z])(?:class|classname|id)=[\"'][^\"'\n]*$")
"""Names of looks and of things, in mark-up."""
_DATA = linear(r"(?:base64,|sha(?:1|256|384|512):)$")
_DIGEST = linear(r"^sha(?:1|256|384|512)-")
_BEFORE = 300
"""Characters before a run in which a link that it may be a part of begins."""

_LONGEST_KEY = 256
"""A longer random string is no key: an image, a file."""

_LEAST_ENTROPY = 3.3
"""Bits a character (Shannon) below which nothing of 24 characters is random; a key has four or more."""

_MIXED_CHANGES = 0.42
"""Share of neighbouring characters of different sorts (small, capital, digit) above which a string of all three is
no name someone gave: for a random one it is about two thirds, for words joined by capitals about a quarter."""

_TWO_SORTS_CHANGES = 0.28
"""The same of a string of small letters and digits alone; a random one has about 0.4."""

_LEAST_DIGITS = 3
_LOWER, _UPPER, _DIGIT = "a", "A", "0"


def keys(text: str) -> Iterator[SecretSpan]:
    """Yield keys in the formats of known vendors."""
    for found in places(_OF_MAKERS, text):
        start, end = found.span(1) if found[1] else found.span(2)
        value = text[start:end].rstrip("-_.")
        if (has_digit(value) or is_humped(value)) and not is_placeholder(value):
            yield SecretSpan(start, start + len(value), SecretKind.KEY if found[1] else SecretKind.TOKEN)


def private_keys(text: str) -> Iterator[SecretSpan]:
    """Yield private keys; an unterminated one runs to the end."""
    begun: int | None = None
    for found in places(_KEY_FILE, text):
        if found[1] or found[2]:
            begun = found.start() if begun is None else begun
        elif begun is not None:
            yield SecretSpan(begun, found.end(), SecretKind.PRIVATE_KEY)
            begun = None
    if begun is not None:
        yield SecretSpan(begun, len(text), SecretKind.PRIVATE_KEY)


def random_strings(text: str) -> Iterator[SecretSpan]:
    """Yield long random strings, except within links and encoded images or files."""
    for found in places(_RUN, text):
        start, end = found.span()
        if end - start > _LONGEST_KEY or _DIGEST.search(found[0][:8]) or not is_random(text[start:end]):
            continue
        before = text[max(0, start - _BEFORE) : start]
        if _LINK.search(before) or _DATA.search(before) or _ATTRIBUTE.search(before):
            continue
        if _is_line_of_data(text, start, end):
            continue
        yield SecretSpan(start, end, SecretKind.KEY)


def _is_line_of_data(text: str, start: int, end: int) -> bool:
    """Return whether a string is one of several equally long lines, as in a base64 file."""
    length = end - start
    if text[start - 1 : start] not in {"\n", ""} or text[end : end + 1] not in {"\n", ""}:
        return False
    above = text[max(0, start - 1 - length) : max(0, start - 1)]
    below = text[end + 1 : end + 1 + length]
    return any(len(each) == length and _RUN.fullmatch(each) is not None for each in (above, below))


def is_random(value: str) -> bool:
    """Return whether a string of 24 characters or more looks machine-made and is no name."""
    if _UUID.search(value) or _HEXADECIMAL.fullmatch(value):
        return False
    sorts = [
        _DIGIT if each.isdigit() else _UPPER if each.isupper() else _LOWER for each in value if each.isalnum()
    ]
    if sorts.count(_DIGIT) < _LEAST_DIGITS or entropy(value) < _LEAST_ENTROPY:
        return False
    changes = sum(one != other for one, other in pairwise(sorts)) / len(sorts)
    if _UPPER in sorts and _LOWER in sorts:
        return changes > _MIXED_CHANGES
    return value.isalnum() and _LOWER in sorts and changes > _TWO_SORTS_CHANGES


def entropy(value: str) -> float:
    """Return the Shannon entropy of a string's characters, in bits a character; 0 for nothing."""
    return -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())


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
