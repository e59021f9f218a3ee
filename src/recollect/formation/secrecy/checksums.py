"""Numbers of cards and bank accounts in a text, told from other numbers by their checksums. Pure. Never: whose.

The check digit of cards after ISO/IEC 7812-1 (Luhn), that of IBANs after ISO 13616 (mod 97).
"""

import re
from collections.abc import Iterator, Sequence

from recollect.patterns import anchored, bounded

# No possessive groups: Python before 3.11.5 loses matches with them.
_DIGITS = bounded(r"(?<![\w.,])[0-9]{1,19}(?:[ \u00a0\u2011./-]{1,2}[0-9]{1,19})*(?!\w)")
_GROUP = bounded("[0-9]+")
_CARD_SIZES = range(13, 20)
_MOST_GROUPS = 19
_MOST_UNEVEN_GROUPS = 6
_NETWORKS = anchored(
    "4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    "|(?:5[1-5][0-9]{2}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720))[0-9]{12}"  # Mastercard
    "|3[47][0-9]{13}"  # American Express
    "|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    "|(?:6011|64[4-9][0-9]|65[0-9]{2}|35[2-8][0-9])[0-9]{12}"  # Discover, JCB
    "|62[0-9]{14,17}"  # UnionPay
    "|(?:50[0-9]{2}|5[6-8][0-9]{2}|6304|67[0-9]{2})[0-9]{12,15}"  # Maestro
)
_IBAN = bounded(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.IGNORECASE
)
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


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where numbers of payment cards stand: of a known network, its length and a right check digit.

    They may be written in groups. What stands before or behind them in groups of its own does not hide them.
    """
    for run in _DIGITS.finditer(text):
        groups = [group.span() for group in _GROUP.finditer(text, run.start(), run.end())]
        if text.endswith("+", 0, run.start()):
            continue
        at = 0
        while at < len(groups):
            taken = _card_from(text, groups, at)
            if taken:
                yield groups[at][0], groups[at + taken - 1][1]
            at += taken or 1


def _card_from(text: str, groups: Sequence[tuple[int, int]], at: int) -> int:
    """Return how many of these groups of digits, from one on, are a card's number; 0 if none is."""
    digits = ""
    for taken, (start, end) in enumerate(groups[at : at + _MOST_GROUPS], start=1):
        digits += text[start:end]
        if (
            len(digits) in _CARD_SIZES
            and _NETWORKS.fullmatch(digits)
            and _has_check_digit(digits)
            and (taken <= _MOST_UNEVEN_GROUPS or _are_even(groups, at, at + taken))
        ):
            return taken
    return 0


def _are_even(groups: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    """Tell whether groups are all of one length, and those beside them of another: else many lists would be cards."""
    lengths = {end - start for start, end in groups[first:last]}
    beside = {end - start for start, end in (*groups[max(0, first - 1) : first], *groups[last : last + 1])}
    return len(lengths) == 1 and not lengths & beside


def _has_check_digit(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def account_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield where IBANs stand: of a known country, its length and a right checksum."""
    at = 0
    while found := _IBAN.search(text, at):
        end = _end_of_account(text, found)
        if end:
            yield found.start(), end
        at = end or found.start() + 2


def _end_of_account(text: str, found: re.Match[str]) -> int:
    """Return where the IBAN ends that begins here; 0 if it is none. What follows may look like more of it."""
    size = _IBAN_SIZES.get(found[0][:2].upper(), 0)
    places = [place for place in range(found.start(), found.end()) if text[place].isalnum()]
    if not size or len(places) < size:
        return 0
    plain = "".join(text[place] for place in places[:size]).upper()
    moved = plain[4:] + plain[:4]
    rest = int("".join(str(int(character, 36)) for character in moved)) % 97
    end = places[size - 1] + 1
    return end if rest == 1 and not text[end : end + 1].isalnum() else 0
