"""Numbers of cards, of bank accounts and of people, recognized by their form and their checksum. Pure.

The check digit of cards follows ISO/IEC 7812-1 (Luhn), that of IBANs ISO 13616 (mod 97), that of American routing numbers the
American Bankers Association (weights 3, 7, 1), that of people's numbers the states that give them. A number whose form alone
says little (nine digits, eleven without a date) is left to its name, as a passport's is.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TypeAlias

from recollect.text.patterns import anchored, bounded, linear
from recollect.text.secrets.values import SEPARATOR, SecretKind, SecretSpan, places

_DIGITS = linear(rf"[0-9](?:{SEPARATOR}{{0,3}}[0-9]){{12,}}")
_GROUP = bounded("[0-9]+")
_USUAL_SEPARATORS = frozenset(" ./-")
_CARD_SIZES = range(13, 20)
_FIRST_DIGITS = frozenset("23456")
_MOST_USUAL_GROUPS = 6
_MOST_OF_A_RUN = 2_000
"""Groups of one run of digits that are looked at: more of them are a table."""

_USUAL_GROUPS = {(4, 6, 5), (4, 6, 4), (8, 8), (4, 4, 4, 4, 3), (4, 4, 4, 4)}
_LONGEST_WORD = 24
"""Characters of a word that touches a number, as far as it is looked at."""

_NETWORKS = anchored(
    "4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    "|(?:5[1-5][0-9]{2}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720))[0-9]{12}"  # Mastercard
    "|3[47][0-9]{13}"  # American Express
    "|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    "|(?:6011|64[4-9][0-9]|65[0-9]{2}|35[2-8][0-9])[0-9]{12}"  # Discover, JCB
    "|62[0-9]{14,17}"  # UnionPay
    "|(?:50[0-9]{2}|5[6-8][0-9]{2}|6304|67[0-9]{2})[0-9]{12,15}"  # Maestro
)
_IBAN = linear(r"(?:^|[^0-9A-Za-z])[A-Za-z]{0,10}?([A-Za-z]{2}[0-9]{2})")
BANK = linear(
    r"(?i)(?:^|[^\p{L}])(routing|aba|sort[ ]code|blz|bankleitzahl)(?:[ ](?:number|no\.?|code|nr\.?))?[ ]?(?:is|ist)?[ :#=-]{0,3}([0-9]{9}|[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}|[0-9]{3}[ ]?[0-9]{3}[ ]?[0-9]{2})(?:[^0-9]|$)"
)
"""A bank's number behind its name, as the United States, Britain, and Germany have it."""
_BESIDE_BANK = linear(
    r"(?i)(?:account|acct|a/c|konto)[a-z.]{0,8}(?:[ ](?:number|no\.?|nr\.?))?[ ]?(?:is|ist)?[ :#=-]{0,3}([0-9]{6,17})(?:[^0-9]|$)"
)
_ABA_SIZE = 9
_NEAR_BANK = 100
"""Characters around a bank's number in which that of an account is looked for."""
_LONGEST_SEPARATOR = 2
_LONGEST_IBAN = 70
"""Characters, with the spaces in it."""

_IBAN_SIZES = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FI", "FO", "GL", "NL"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "XK"), 20),
    **dict.fromkeys(("CH", "CR", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "DE", "GB", "GE", "IE", "ME", "RS"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("FR", "GR", "IT", "MC", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HU", "LB", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
}
"""Characters of an IBAN, by country; after the registry of SWIFT."""


def card_numbers(text: str) -> Iterator[SecretSpan]:
    """Yield numbers of payment cards, with the length of a known network and a valid check digit.

    They may be written in groups. Neither groups of digits before or after them hide them, nor a word that touches them.
    """
    for run in _DIGITS.finditer(text):  # a table of numbers has thousands
        begin = run.start()
        if text[max(0, begin - 1) : begin] == "+":
            continue
        groups = [one.span() for one in islice(_GROUP.finditer(text, begin, run.end()), _MOST_OF_A_RUN)]
        if _is_part_of_code(text[max(0, begin - _LONGEST_WORD) : begin], backward=True):
            groups = groups[1:]
        if _is_part_of_code(text[run.end() : run.end() + _LONGEST_WORD]):
            groups = groups[:-1]
        at = 0
        while at < len(groups):
            taken = _card_from(text, groups, at) if text[groups[at][0]] in _FIRST_DIGITS else 0
            if taken:
                yield SecretSpan(groups[at][0], groups[at + taken - 1][1], SecretKind.CARD)
            at += taken or 1


def _is_part_of_code(beside: str, *, backward: bool = False) -> bool:
    """Return whether letters that touch a number go on to other digits, as in a hexadecimal number or an id."""
    for each in reversed(beside) if backward else beside:
        if each.isdigit():
            return True
        if not each.isalpha():
            return False
    return False


def _card_from(text: str, groups: Sequence[tuple[int, int]], at: int) -> int:
    """Return how many groups of digits, from one on, form a card number; 0 if none do."""
    size = groups[at][1] - groups[at][0]
    is_listed = at > 0 and groups[at - 1][1] - groups[at - 1][0] == size
    few = groups[at : at + _MOST_USUAL_GROUPS]
    if is_listed and few[-1][1] - few[0][0] < _CARD_SIZES.start:
        return 0  # one of many short groups that are alike
    digits = ""
    for taken, (start, end) in enumerate(groups[at : at + _CARD_SIZES.stop], start=1):
        digits += text[start:end]
        if len(digits) >= _CARD_SIZES.stop:
            break
        if (
            len(digits) in _CARD_SIZES
            and _NETWORKS.fullmatch(digits)
            and _has_check_digit(digits)
            and _are_of_one_number(text, groups, at, at + taken)
        ):
            return taken
    return 0


def _are_of_one_number(text: str, groups: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    """Return whether groups are separated and divided like those of one number; without that, many lists would be cards."""
    if last - first == 1:
        start = groups[first][0]
        return first == 0 or text[start - 1] != "."  # digits behind a decimal point
    between = [text[end:start] for (_, end), (start, _) in pairwise(groups[first:last])]
    are_usual = all(
        len(each) <= _LONGEST_SEPARATOR and _USUAL_SEPARATORS.issuperset(each) for each in between
    )
    if are_usual and last - first <= _MOST_USUAL_GROUPS:
        return True
    lengths = tuple(end - start for start, end in groups[first:last])
    beside = {end - start for start, end in (*groups[max(0, first - 1) : first], *groups[last : last + 1])}
    return (lengths in _USUAL_GROUPS or len(set(lengths)) == 1) and not beside & set(lengths)


def _has_check_digit(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def account_numbers(text: str) -> Iterator[SecretSpan]:
    """Yield IBANs, with the length of a known country and a valid checksum."""
    for found in places(_IBAN, text):
        start = found.start(1)
        end = _end_of_account(text[start : start + _LONGEST_IBAN])
        if end:
            yield SecretSpan(start, start + end, SecretKind.ACCOUNT)


def _end_of_account(text: str) -> int:
    """Return the end of the IBAN that a text begins with; 0 if there is none. The text after it may look like part of it."""
    size = _IBAN_SIZES.get(text[:2].upper(), 0)
    places: list[int] = []
    for place, each in enumerate(text):
        if each.isascii() and each.isalnum():
            places.append(place)
        elif each.isalnum() or place - places[-1] > _LONGEST_SEPARATOR:
            break
    if not size or len(places) < size:
        return 0
    plain = "".join(text[place] for place in places[:size]).upper()
    moved = plain[4:] + plain[:4]
    rest = int("".join(str(int(character, 36)) for character in moved)) % 97
    end = places[size - 1] + 1
    behind = text[end : end + 1]
    return end if rest == 1 and not (behind.isascii() and behind.isalnum()) else 0


def local_accounts(text: str) -> Iterator[SecretSpan]:
    """Yield account numbers next to the number of their bank, and American routing numbers with a valid check digit."""
    for bank in places(BANK, text):
        if len(bank[2]) == _ABA_SIZE and not _has_aba_check(bank[2]):
            continue
        yield SecretSpan(bank.start(2), bank.end(2), SecretKind.ACCOUNT)
        begin = max(0, bank.start(1) - _NEAR_BANK)
        for account in _BESIDE_BANK.finditer(text[begin : bank.end(2) + _NEAR_BANK]):
            start, end = account.span(1)
            yield SecretSpan(begin + start, begin + end, SecretKind.ACCOUNT)


def _has_aba_check(digits: str) -> bool:
    weighed = (int(digit) * weight for digit, weight in zip(digits, (3, 7, 1) * 3, strict=True))
    return sum(weighed) % 10 == 0


_S = rf"{SEPARATOR}{{0,2}}"
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


def _is_brazilian_or_russian(number: str) -> bool:
    first = _weighed(number, tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = _weighed(number, tuple(range(11, 1, -1))) * 10 % 11 % 10
    russian = _weighed(number, tuple(range(9, 0, -1))) % 101 % 100
    return len(set(number)) > 1 and number[9:] in {f"{first}{second}", f"{russian:02}"}


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


def _is_finnish(number: str) -> bool:
    digits = number[:6] + number[-4:-1]
    return (
        _is_date(number[2:4], number[:2])
        and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == number[-1]
    )


def _is_chilean(number: str) -> bool:
    weighed = sum(int(digit) * (2 + at % 6) for at, digit in enumerate(reversed(number[:-1])))
    return "0K987654321"[weighed % 11] == number[-1]


_Kinds: TypeAlias = tuple[tuple[str, Callable[[str], bool]], ...]
_OF_DIGITS: _Kinds = (
    (rf"[1-9](?:{_S}[0-9]){{16}}{_S}[0-9Xx]", _is_chinese),
    (  # France
        rf"[1-4](?:{_S}[0-9]{{2}}){{2}}{_S}[0-9]{{2}}(?:{_S}[0-9]{{3}}){{2}}{_S}[0-9]{{2}}",
        lambda number: number[3:5] != "00" and 97 - int(number[:13]) % 97 == int(number[13:]),
    ),
    (rf"[0-9XYZ](?:{_S}[0-9]){{7}}{_S}[A-HJ-NP-TV-Z]|[0-9xyz][0-9]{{7}}[a-hj-np-tv-z]", _is_spanish),
    (  # Thailand
        r"[1-9][ -][0-9]{4}[ -][0-9]{5}[ -][0-9]{2}[ -][0-9]",
        lambda number: (11 - _weighed(number, tuple(range(13, 1, -1))) % 11) % 10 == int(number[12]),
    ),
    (  # Korea: numbers given since 2020 have no check digit
        r"[0-9]{6}[ ]?[_\x{2013}-][ ]?[1-8][0-9]{6}",
        lambda number: _is_date(number[2:4], number[4:6]),
    ),
    (r"[0-9]{3}[._-][0-9]{3}[._-][0-9]{3}[._ -][0-9]{2}", _is_brazilian_or_russian),
    (r"[0-9]{1,2}[.][0-9]{3}[.][0-9]{3}-[0-9Kk]", _is_chilean),
)
_WITH_LETTERS: _Kinds = (
    (r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", bool),  # Mexico, by its form alone
    (
        rf"[A-Z]{{3}}{_S}[A-Z]{{3}}{_S}[0-9LMNP-V]{{2}}[A-EHLMPR-T][0-9LMNP-V]{{2}}{_S}[A-Z][0-9LMNP-V]{{3}}{_S}[A-Z]",
        _is_italian,
    ),
    (r"[A-Z]{5}[0-9]{4}[A-Z]", lambda number: number[3] in "PCHABGJLFT"),  # India
    (r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ][0-9]{2}[ ][0-9]{2}[ ][0-9]{2}[ ][A-D]", bool),  # Britain
    (r"[STFGM][0-9]{7}[A-Z]", _is_singaporean),
    (r"[0-9]{6}[+A-FU-Y-][0-9]{3}[0-9A-Y]", _is_finnish),
)
MAY_BE_LETTERED = rf"[A-Z]{{3}}{_S}[A-Z]{{3}}{_S}[0-9LMNP-V]{{2}}[A-EHLMPR-T]|[A-Z]{{2}}[0-9]{{2}}|[A-Z]{{2}}[ ][0-9]{{2}}[ ][0-9]{{2}}|[0-9]{{6}}"
"""Part of each number with letters."""
_RUN = linear(rf"[0-9](?:{_S}[0-9]){{6,}}", captures=False)
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
