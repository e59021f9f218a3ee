"""Finds statements that share a name with others: from "Clara's husband is Jan" what Jan must not eat. Pure.

A name is a word with a capital letter, or of a script without capitals, that few statements hold.
Never: the meaning of a word, a list of words.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.index import Memories
from recollect.text.lexical import document_terms

_FEW = 10
"""The most statements that hold a name. A word in more of them is the name of a topic, and links everything."""


def sharing_names(memories: Memories, rows: Sequence[int]) -> NDArray[np.bool_]:
    """Return for each judged statement whether it shares a name with one in ``rows``, (n,)."""
    shares = np.zeros(len(memories.judged), np.bool_)
    texts = [" ".join(names_in(memories.judged_items[row].content)) for row in rows]
    terms = tuple(dict.fromkeys(term for text in texts for term in document_terms(text)))
    if not terms:
        return shares
    entries = memories.words.find(terms, memories.is_seen)
    place = np.full(len(memories.items), -1)
    place[memories.judged] = np.arange(len(memories.judged))
    entries = entries.take(np.flatnonzero((place[entries.row] >= 0) & (entries.own > 0)))
    is_name = np.bincount(entries.term, minlength=len(terms)) <= _FEW
    shares[place[entries.row[is_name[entries.term]]]] = True
    return shares


def names_in(text: str) -> list[str]:
    """Return the words of a text that may be names: those with a capital letter, and all of scripts without capitals."""
    return [word for word in text.split() if not word.islower() and any(map(str.isalpha, word))]
