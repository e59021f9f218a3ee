"""When two words are one, spelled in two ways or with a slip of the keys. Pure. Never: a dictionary."""

from rapidfuzz.distance import Prefix

from recollect.patterns import bounded

_SLIP_LENGTH = 6
_FAMILY_LENGTH = 3
_FAMILY_SHARE = 0.75
_PLACE_LENGTH = 4
_VARIANTS = ((bounded(r"(?<=\w{2})our"), "or"), (bounded(r"(?<=\w{2})is(?=e|ing|ation)"), "iz"))
"""British and American spelling."""


def is_spelled_alike(one: str, other: str) -> bool:
    """Tell whether two words, in folded case, differ in the spelling of one country, or in an evident slip."""
    return _american(one) == _american(other) or is_slip(one, other)


def _american(word: str) -> str:
    for pattern, spelling in _VARIANTS:
        word = pattern.sub(spelling, word)
    return word


def is_slip(one: str, other: str) -> bool:
    """Tell whether one word is the other with two neighbouring letters swapped, or one doubled.

    Other single letters make other words: a horse is no house.
    """
    if min(len(one), len(other)) < _SLIP_LENGTH or not (one.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((one, other), key=len)
    if len(longer) == len(shorter) + 1:
        return any(
            longer[place] == longer[place - 1] and longer[:place] + longer[place + 1 :] == shorter
            for place in range(1, len(longer))
        )
    places = [place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
    return (
        len(one) == len(other)
        and len(places) == 2  # noqa: PLR2004 - a pair
        and places[1] == places[0] + 1
        and one[places[0]] == other[places[1]]
        and one[places[1]] == other[places[0]]
    )


def is_of_one_family(one: str, other: str) -> bool:
    """Tell whether two words begin alike for the most part: "boulangère" and "boulangerie", "мясо" and "мясной".

    Not of names: Paul is no Paula.
    """
    shared = Prefix.similarity(one, other)
    return shared >= _FAMILY_LENGTH and shared >= _FAMILY_SHARE * min(len(one), len(other))


def is_inhabitant(one: str, other: str) -> bool:
    """Tell whether one word is a German place and the other what is of it: "Bremen" and "Bremer", "Bamberg" and "Bamberger"."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _PLACE_LENGTH or not longer.endswith(("er", "en")):
        return False
    place, of_it = (one, other) if other.endswith("er") else (other, one)
    if not of_it.endswith("er") or of_it == place:
        return False
    return of_it in {f"{place}er", f"{place.removesuffix('en')}er", f"{place.removesuffix('en')}ner"}
