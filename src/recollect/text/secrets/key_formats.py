"""Secrets recognized by their form alone: keys of known vendors, private keys, random strings. Pure.

The vendors' prefixes, lengths and alphabets are facts from their documentation, checked against gitleaks,
detect-secrets and trufflehog. Lengths are lower bounds: a vendor may issue longer keys later.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2

from recollect.text.patterns import linear
from recollect.text.secrets.values import SecretKind, SecretSpan, has_digit, is_humped, is_placeholder, places
from recollect.text.word_tables import read_table

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
