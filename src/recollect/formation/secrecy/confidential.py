"""Secrets in a text: keys, passwords, numbers of cards and accounts. Pure. Never: a model, whose they are.

Found by their shape, their checksum, or the word before them; a secret in plain words that nothing announces is
not found.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

from recollect.formation.secrecy.checksums import account_numbers, card_numbers
from recollect.formation.secrecy.unlocking import plain_digits, what_unlocks
from recollect.formation.word_lists.secrets import (
    ANNOUNCED_CODE,
    ANNOUNCED_LOGIN,
    ANNOUNCED_NUMBER,
    ANNOUNCED_PASSWORD,
    ANNOUNCED_PHRASE,
    ANNOUNCED_TOKEN,
    HARMLESS,
    KEYS,
    SAFE_WORDS,
    SECRET_FIRST,
)
from recollect.patterns import Pattern, anchored, bounded

REDACTED = "[redacted]"
"""What stands in a secret's place."""

_PRIVATE_KEY = bounded(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_KEY_ENDS = bounded(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_IN_ADDRESS = bounded(r"://[^\s/@:]{0,100}:(?P<secret>[^\s/@]{1,200})@")
_CREDENTIAL = bounded(r"\b(?:bearer|basic)[ \t]{1,4}(?P<secret>[\w.~+/=-]{16,})", re.IGNORECASE)
_SOCIAL_SECURITY = bounded(r"(?<![\w-])(?!000|666|9\d\d)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")

_LINK = bounded(r"https?://[^\s?#]+", re.IGNORECASE)
_RANDOM = bounded(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_UUID = bounded(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEXADECIMAL = anchored(r"(?:0[xX])?[0-9a-fA-F]+")
_LOWER, _UPPER, _DIGIT = "a", "A", "0"
_MIXED_CHANGES = 0.42
"""Share of neighbouring characters of different sorts (small, capital, digit) above which a string of all three is
no name somebody gave: for a random one it is about two thirds, for words joined by capitals about a quarter."""
_TWO_SORTS_CHANGES = 0.28
"""The same of a string of small letters and digits alone; a random one has about 0.4."""
_LEAST_DIGITS = 3
_LEAST_CODE_DIGITS = 4
_LEAST_MIXED = 6
_DECADE = anchored(
    "(?:19|20)[0-9]{2}(?:s|er|-[0-9]{2}-[0-9]{2})|[0-9.,]+(?:%|\u20ac|\\$|kg|km|g|eur|usd)?(?<![0-9]{4})",
    re.IGNORECASE,
)

_DATE = anchored(
    "(?:19|20)[0-9]{2}[./-][0-3]?[0-9][./-][0-3]?[0-9]|[0-3]?[0-9][./-][0-3]?[0-9][./-](?:19|20)[0-9]{2}"
)

_ENDINGS = ".,;:?)]}>\"'\u2019\u201d\u201c\u00bb\u300d\u3002\uff0c"
_NOTHING = bounded("(?!)")
_GAP = "[ \u00a0._/\u2011\u2013-]?"
_MOST_LETTERS = 200
_MOST_OCCURRING = 200
"""Known secrets, at most, that are looked for in a text: a pattern for one takes milliseconds to compile."""
_LEAST_LONG_NUMBER = 6
_SHORT_GAP = "[ \u00a0\u2011\u2013-]?"
_BEFORE_SHORT = r"(?<![^\W_])(?<![0-9][./:-])(?<![\u20ac$\u00a3])(?<![\u20ac$\u00a3][ ])"
_BEHIND_SHORT = r"(?![^\W_]|[./:-][0-9]|,[0-9]{1,2}(?![0-9])|[ \u00a0]?(?:[%\u20ac$\u00a3]|(?:eur|euros?|usd|dollars?|gbp|chf)\b))"
_LEAST_PASSWORD, _LEAST_TOKEN = 4, 8


def redacted(text: str, known: Collection[str] = ()) -> str:
    """Return a text in which each secret is replaced by ``[redacted]``; all else stays as it is.

    Args:
        text: Any text. Read in linear time.
        known: Secrets for sure, also where nothing in the text says so. Where too many of them may stand in
            the text, all of it is replaced.
    """
    longest_first = sorted(filter(None, known), key=len, reverse=True)
    for secret in longest_first:
        if not _is_short_number(secret):
            text = text.replace(secret, REDACTED)
    squeezed = _squeezed(text)
    occurring = [secret for secret in longest_first if _squeezed(_characters(secret)) in squeezed]
    if len(occurring) > _MOST_OCCURRING:
        return REDACTED
    for secret in occurring:
        text = _anyhow(secret).sub(REDACTED, text)
    kept: list[str] = []
    at = 0
    for start, end in _secrets(text):
        kept += text[at:start], REDACTED
        at = end
    return "".join((*kept, text[at:]))


@lru_cache(maxsize=1_000)
def _anyhow(secret: str) -> Pattern:
    """Return how a known secret may be written otherwise: in other groups, in figures, in capitals."""
    letters = _characters(secret)
    if _is_short_number(secret):
        return _short_number(secret, letters)
    if not _LEAST_CODE_DIGITS <= len(letters) <= _MOST_LETTERS:
        return _NOTHING
    return bounded(
        rf"(?<![^\W_]){_GAP.join(map(re.escape, letters))}(?![^\W_])[#*]?", re.IGNORECASE | re.ASCII
    )


def _short_number(secret: str, digits: str) -> Pattern:
    """Return how a short number may be written that is no part of a date, an amount or a longer number."""
    shapes = [re.escape(secret)]
    if len(digits) >= _LEAST_CODE_DIGITS:
        shapes.append(rf"{_SHORT_GAP.join(digits)}(?!(?<![0-9]{{4}})[ ](?:19|20)[0-9]{{2}}(?![0-9]))")
    thousands = "(?<![0-9],)" if len(digits) < _LEAST_CODE_DIGITS else ""
    return bounded(
        rf"{_BEFORE_SHORT}{thousands}(?:{'|'.join(shapes)}){_BEHIND_SHORT}[#*]?", re.IGNORECASE | re.ASCII
    )


@lru_cache(maxsize=10_000)
def _characters(secret: str) -> str:
    """Return the letters and digits of a secret; digits in figures also where it spells them."""
    return plain_digits(secret) or "".join(filter(str.isalnum, secret))


def _is_short_number(secret: str) -> bool:
    """Tell whether a secret is so short a number that dates and amounts often have its digits."""
    digits = _characters(secret)
    return digits.isdecimal() and len(digits) < _LEAST_LONG_NUMBER and not any(map(str.isalpha, secret))


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def secrets_in(text: str) -> frozenset[str]:
    """Return the secrets of a text that ``redacted`` would replace."""
    return frozenset(text[start:end] for start, end in _secrets(text))


def holds_secret(text: str) -> bool:
    """Tell whether a text holds a secret that ``redacted`` would replace."""
    return bool(_secrets(text))


def _secrets(text: str) -> list[tuple[int, int]]:
    """Return where the secrets stand, in order, those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_found(text)):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _found(text: str) -> Iterator[tuple[int, int]]:
    yield from _private_keys(text)
    yield from (key.span() for key in KEYS.finditer(text) if _has_digit(key[0]))
    yield from (found.span("secret") for found in _IN_ADDRESS.finditer(text))
    yield from (
        found.span("secret") for found in _CREDENTIAL.finditer(text) if _is_credential(found["secret"])
    )
    yield from (found.span() for found in _SOCIAL_SECURITY.finditer(text))
    yield from card_numbers(text)
    yield from account_numbers(text)
    yield from _announced(text)
    yield from what_unlocks(text)
    yield from _random_strings(text)


def _private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield private keys; one that is not closed runs to the end."""
    at = 0
    while opening := _PRIVATE_KEY.search(text, at):
        closing = _PRIVATE_KEY_ENDS.search(text, opening.end())
        at = closing.end() if closing else len(text)
        yield opening.start(), at


def _announced(text: str) -> Iterator[tuple[int, int]]:
    """Yield what a word before it calls a secret: "the password is ...", "API key: ..."."""
    yield from (found.span(found.lastgroup or 0) for found in ANNOUNCED_NUMBER.finditer(text))
    yield from (found.span("secret") for found in ANNOUNCED_PHRASE.finditer(text))
    yield from (found.span("secret") for found in SAFE_WORDS.finditer(text))
    for shape in (ANNOUNCED_CODE, ANNOUNCED_LOGIN, SECRET_FIRST):
        for found in shape.finditer(text):
            start = found.start("secret")
            value = found["secret"].rstrip(_ENDINGS)
            if _is_code(value):
                yield start, start + len(value)
    for found in ANNOUNCED_PASSWORD.finditer(text):
        start, end = found.span("secret")
        value = found["secret"].rstrip(_ENDINGS)
        if found["quoted"]:
            yield start, end
        elif _is_password(value, ends=_ends_clause(text, start + len(value)), told=bool(found["told"])):
            yield start, start + len(value)
    for found in ANNOUNCED_TOKEN.finditer(text):
        value = found["secret"].rstrip(_ENDINGS)
        if len(value) >= _LEAST_TOKEN and _has_digit(value) and not _DATE.fullmatch(value):
            start = found.start("secret")
            yield start, start + len(value)


def _is_password(value: str, *, ends: bool, told: bool) -> bool:
    """Tell whether what follows the word "password" is one.

    Args:
        value: The next word.
        ends: Whether the clause ends behind it.
        told: Whether "is" or a colon stands between.
    """
    if (
        len(value) < _LEAST_PASSWORD
        or value.startswith(REDACTED[:-1])
        or HARMLESS.fullmatch(value.rstrip("!"))
    ):
        return False
    mixed = _has_digit(value) and any(character.isalpha() for character in value)
    if not told:
        return mixed and len(value) > _LEAST_PASSWORD
    marked = any(not character.isalnum() and character not in "-'\u2019" for character in value[1:])
    return _has_digit(value) or marked or _is_humped(value) or ends


def _is_code(value: str) -> bool:
    """Tell whether what stands beside a code's name is one: four digits, or digits with letters or dashes; no year."""
    digits = sum(each.isdigit() for each in value)
    if _DECADE.fullmatch(value):
        return False
    if digits >= _LEAST_CODE_DIGITS:
        return True
    return 0 < digits < len(value) and len(value) >= (_LEAST_CODE_DIGITS + 1 if digits > 1 else _LEAST_MIXED)


def _ends_clause(text: str, at: int) -> bool:
    behind = text[at : at + 2].lstrip(" ")
    return not behind or not (behind[0].isalnum() or behind[0] in "(-")


def _is_credential(value: str) -> bool:
    return _has_digit(value) or _is_humped(value)


def _is_humped(value: str) -> bool:
    """Tell whether capitals stand behind small letters."""
    return value != value.lower() and any(one.islower() and other.isupper() for one, other in pairwise(value))


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)


def _random_strings(text: str) -> Iterator[tuple[int, int]]:
    """Yield long strings that nobody would think of; not those that are part of a link's path."""
    in_links = deque(link.span() for link in _LINK.finditer(text))
    for found in _RANDOM.finditer(text):
        while in_links and in_links[0][1] <= found.start():
            in_links.popleft()
        if not (in_links and in_links[0][0] <= found.start()) and _is_random(found[0]):
            yield found.span()


def _is_random(value: str) -> bool:
    if _UUID.search(value) or _HEXADECIMAL.fullmatch(value):
        return False
    sorts = [
        _DIGIT if each.isdigit() else _UPPER if each.isupper() else _LOWER for each in value if each.isalnum()
    ]
    if sorts.count(_DIGIT) < _LEAST_DIGITS:
        return False
    changes = sum(one != other for one, other in pairwise(sorts)) / len(sorts)
    if _UPPER in sorts and _LOWER in sorts:
        return changes > _MIXED_CHANGES
    return value.isalnum() and _LOWER in sorts and changes > _TWO_SORTS_CHANGES
