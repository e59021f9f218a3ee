"""Counts where a term stands, as an index does. Never: what a term is; a score."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from recollect.model import Occurrences

_MOST_OFTEN, _LONGEST = 63, 32_767
"""What ``Occurrences`` counts to."""


class Counted(NamedTuple):
    """A document: how often its terms stand in it, how often in its own text, and how many it has."""

    terms: Counter[str]
    own: Mapping[str, int]
    length: int


def occurrences_of(term: str, documents: Mapping[int, Counted]) -> Occurrences | None:
    """Return where a term stands; None if nowhere."""
    found = [
        (
            number,
            min(each.terms[term], _MOST_OFTEN),
            min(each.own.get(term, 0), _MOST_OFTEN),
            min(each.length, _LONGEST),
            min(sum(each.own.values()), _LONGEST),
        )
        for number, each in sorted(documents.items())
        if each.terms[term]
    ]
    columns = [np.array(column, np.int64) for column in zip(*found, strict=True)]
    return Occurrences(*columns) if columns else None
