"""Numbers that a state gives to a person, recognized by their form and their checksum. Pure.

The weights are those that the states publish. A number whose form alone says little (nine digits, eleven without a date) is left
to its name, as a passport's is.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from recollect.text.patterns import linear
from recollect.text.secrets.values import SecretKind, SecretSpan

_S = r"[^\p{L}\p{N}]{0,2}"
"""Characters between two groups."""


def _weighed(number: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))


def _is_date(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31  # noqa: PLR2004 -- a calendar's


def _is_chinese(number: str) -> bool:
    weights = tuple(pow(2, 17 - at, 11) for at in range(17))
    return (
        number[6:8] in {"18", "19", "20"}
        and _is_date(number[10:12], number[12:14])
        and "10X98765432"[_weighed(number, weights) % 11] == number[17]
    )


def _is_spanish(number: str) -> bool:
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


_ODD_IN_ITALY = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def _is_italian(number: str) -> bool:
    places = [int(each) if each.isdigit() else ord(each) - ord("A") for each in number[:15]]
    odd, even = sum(_ODD_IN_ITALY[each] for each in places[::2]), sum(places[1::2])
    return chr(ord("A") + (odd + even) % 26) == number[15]


def _is_french(number: str) -> bool:
    return number[3:5] != "00" and 97 - int(number[:13]) % 97 == int(number[13:])


def _is_brazilian_or_russian(number: str) -> bool:
    first = _weighed(number, tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = _weighed(number, tuple(range(11, 1, -1))) * 10 % 11 % 10
    russian = _weighed(number, tuple(range(9, 0, -1))) % 101 % 100
    return len(set(number)) > 1 and number[9:] in {f"{first}{second}", f"{russian:02}"}


def _is_korean(number: str) -> bool:
    return _is_date(number[2:4], number[4:6])  # those given since 2020 have no check digit


def _is_indian(number: str) -> bool:
    return number[3] in "PCHABGJLFT"


def _is_singaporean(number: str) -> bool:
    weighed = _weighed(number[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(number[0], 0)
    letters = {
        "S": "JZIHGFEDCBA",
        "T": "JZIHGFEDCBA",
        "F": "XWUTRQPNMLK",
        "G": "XWUTRQPNMLK",
        "M": "KLJNPQRTUWX",
    }
    at = weighed % 11 if number[0] != "M" else 10 - weighed % 11
    return letters[number[0]][at] == number[8]


def _is_thai(number: str) -> bool:
    return (11 - _weighed(number, tuple(range(13, 1, -1))) % 11) % 10 == int(number[12])


def _is_finnish(number: str) -> bool:
    digits = number[:6] + number[-4:-1]
    return (
        _is_date(number[2:4], number[:2])
        and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == number[-1]
    )


def _is_chilean(number: str) -> bool:
    weighed = sum(int(digit) * (2 + at % 6) for at, digit in enumerate(reversed(number[:-1])))
    return "0K987654321"[weighed % 11] == number[-1]


def _is_one(_number: str) -> bool:
    return True


_Kinds: TypeAlias = tuple[tuple[str, Callable[[str], bool]], ...]
_OF_DIGITS: _Kinds = (
    (rf"[1-9](?:{_S}[0-9]){{16}}{_S}[0-9Xx]", _is_chinese),
    (rf"[1-4](?:{_S}[0-9]{{2}}){{2}}{_S}[0-9]{{2}}(?:{_S}[0-9]{{3}}){{2}}{_S}[0-9]{{2}}", _is_french),
    (rf"[0-9XYZ](?:{_S}[0-9]){{7}}{_S}[A-HJ-NP-TV-Z]|[0-9xyz][0-9]{{7}}[a-hj-np-tv-z]", _is_spanish),
    (r"[1-9][ -][0-9]{4}[ -][0-9]{5}[ -][0-9]{2}[ -][0-9]", _is_thai),
    (r"[0-9]{6}[ ]?[_\x{2013}-][ ]?[1-8][0-9]{6}", _is_korean),
    (r"[0-9]{3}[._-][0-9]{3}[._-][0-9]{3}[._ -][0-9]{2}", _is_brazilian_or_russian),
    (r"[0-9]{1,2}[.][0-9]{3}[.][0-9]{3}-[0-9Kk]", _is_chilean),
)
_WITH_LETTERS: _Kinds = (
    (r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", _is_one),  # Mexico
    (
        rf"[A-Z]{{3}}{_S}[A-Z]{{3}}{_S}[0-9LMNP-V]{{2}}[A-EHLMPR-T][0-9LMNP-V]{{2}}{_S}[A-Z][0-9LMNP-V]{{3}}{_S}[A-Z]",
        _is_italian,
    ),
    (r"[A-Z]{5}[0-9]{4}[A-Z]", _is_indian),
    (r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ][0-9]{2}[ ][0-9]{2}[ ][0-9]{2}[ ][A-D]", _is_one),  # Britain
    (r"[STFGM][0-9]{7}[A-Z]", _is_singaporean),
    (r"[0-9]{6}[+A-FU-Y-][0-9]{3}[0-9A-Y]", _is_finnish),
)
MAY_BE_LETTERED = rf"[A-Z]{{3}}{_S}[A-Z]{{3}}{_S}[0-9LMNP-V]{{2}}[A-EHLMPR-T]|[A-Z]{{2}}[0-9]{{2}}|[A-Z]{{2}}[ ][0-9]{{2}}[ ][0-9]{{2}}|[0-9]{{6}}"
"""Part of each number with letters."""
_RUN = linear(r"[0-9](?:[^\p{L}\p{N}]{0,2}[0-9]){6,}", captures=False)
_LONGEST_RUN, _BESIDE_RUN = 80, 4
"""Characters of digits with their separators: more are a table."""

_SEPARATORS = linear(r"[^\p{L}\p{N}]+")


class _Finder:
    """Finds the numbers of some kinds."""

    def __init__(self, kinds: _Kinds) -> None:
        shapes = "|".join(shape for shape, _ in kinds)
        self._any = linear(f"(?:^|[^0-9A-Za-z.+])(?:{shapes})", captures=False, megabytes=16)
        self._kinds = tuple((linear(f"(?:{shape})", captures=False), is_one) for shape, is_one in kinds)

    def find(self, text: str, begin: int, stop: int) -> Iterator[SecretSpan]:
        """Yield the spans of numbers within a part of a text."""
        for found in self._any.finditer(text[begin:stop]):
            start, end = found.start() + begin, found.end() + begin
            start += not (text[start].isascii() and text[start].isalnum())
            behind = text[end : end + 1]
            if behind.isascii() and behind.isalnum():
                continue
            value = text[start:end]
            plain = _SEPARATORS.sub("", value).upper()
            if any(shape.fullmatch(value) and is_one(plain) for shape, is_one in self._kinds):
                yield SecretSpan(start, end, SecretKind.IDENTITY)


_NUMBERS, _CODES = _Finder(_OF_DIGITS), _Finder(_WITH_LETTERS)


def identity_numbers(text: str) -> Iterator[SecretSpan]:
    """Yield the numbers that a state gives to people, with any separator between their groups."""
    yield from _CODES.find(text, 0, len(text))
    for run in _RUN.finditer(text):
        if run.end() - run.start() <= _LONGEST_RUN:
            yield from _NUMBERS.find(text, max(0, run.start() - _BESIDE_RUN), run.end() + _BESIDE_RUN)
