"""German compounds that are two things of one kind: a living room and a bedroom. Pure. Never: a dictionary."""

from collections.abc import Iterable

_SHORTEST_HEAD = 4
_SHORTEST_MODIFIER = 3
_MOST = 20
_DERIVING = (
    "ungen", "ung", "heiten", "heit", "keiten", "keit", "schaften", "schaft", "ationen", "ation", "ion", "isten", "ist",
    "innen", "ismus", "nissen", "nisse", "nis", "lichkeit",
)  # fmt: skip
"""Endings that make nouns, and are none."""


def excluding_compounds(
    new: Iterable[str], known: Iterable[str], *, are_denied: bool
) -> tuple[str, str] | None:
    """Return a noun of each text that end in one noun and begin with others; None where there are none.

    Of what is denied a kind and the whole differ as well: who eats no pork may eat meat.

    Args:
        new: The nouns that only the one text has, in folded case.
        known: Those that only the other has.
        are_denied: Whether the texts deny something.
    """
    others = sorted(known)[:_MOST]
    for one in sorted(new)[:_MOST]:
        for other in others:
            if _are_two_kinds(one, other) or (are_denied and _is_a_kind(one, other)):
                return one, other
    return None


def _are_two_kinds(one: str, other: str) -> bool:
    size = 0
    while size < min(len(one), len(other)) and one[-1 - size] == other[-1 - size]:
        size += 1
    head = one[len(one) - size :]
    for ending in _DERIVING:
        if head.endswith(ending):
            head = head.removesuffix(ending)
            break
    return len(head) >= _SHORTEST_HEAD and min(len(one), len(other)) - size >= _SHORTEST_MODIFIER


def _is_a_kind(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return (
        len(shorter) >= _SHORTEST_HEAD
        and len(longer) - len(shorter) >= _SHORTEST_MODIFIER
        and longer.endswith(shorter)
    )
