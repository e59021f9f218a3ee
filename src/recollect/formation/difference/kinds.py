"""Words of a closed class that say the same: names of relatives, of wishes, of tastes, of names. Pure. Never: other words."""

from functools import lru_cache

from recollect.formation.difference.modes import wishes_or_likes
from recollect.formation.difference.subjects import relatives_named

_KEPT = 4_096


@lru_cache(_KEPT)
def are_of_one_kind(one: str, other: str) -> bool:
    """Tell whether two words, in folded case, are of one closed class: "mum" and "mother", "plan" and "intention"."""
    return bool(relatives_named(one) & relatives_named(other)) or wishes_or_likes(one, other)
