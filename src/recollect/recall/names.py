"""Finds statements that share a name with others: from "Clara's husband is Jan" what Jan must not eat. Pure.

A name is a word with a capital letter, or of a script without capitals, that few statements hold.
Never: the meaning of a word, a list of words.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.index import Entries, Memories
from recollect.text.lexical import document_terms
from recollect.text.patterns import bounded

_FEW = 10
"""The most statements that hold a name. A word in more of them is the name of a topic, and links everything."""
_MOST = 20
"""The most names of a statement that are looked for in others."""
_LETTERS = bounded(r"[^\W\d_]+")


def sharing_names(memories: Memories, rows: Sequence[int]) -> NDArray[np.bool_]:
    """Return for each judged statement whether it shares a name with one in ``rows``, (n,)."""
    texts = [" ".join(names_in(memories.judged_items[row].content)) for row in rows]
    entries = _of_names(
        memories, tuple(dict.fromkeys(term for text in texts for term in document_terms(text)))
    )
    shares = np.zeros(len(memories.judged), np.bool_)
    shares[entries.row] = True
    return shares


def shared_names(memories: Memories, row: int) -> list[str]:
    """Return the names in a judged statement that others have, too, each in its shortest form.

    One of them has it within a sentence; else the first word of every statement might be a name.
    """
    terms = tuple(document_terms(" ".join(names_in(memories.judged_items[row].content))))
    entries = _of_names(memories, terms)
    rows_of: defaultdict[int, list[int]] = defaultdict(list)
    for number, place in zip(entries.term.tolist(), entries.row.tolist(), strict=True):
        rows_of[number].append(place)
    shared = [(number, rows) for number, rows in sorted(rows_of.items()) if len(rows) > 1][:_MOST]
    places = {place for _, rows in shared for place in rows}
    forms = {place: _forms(memories.judged_items[place].content) for place in places}
    names = []
    for number, rows in shared:
        found = [forms[place][terms[number]] for place in rows if terms[number] in forms[place]]
        names += [min(found, key=len)] if found else []
    return list(dict.fromkeys(names))


def names_in(text: str) -> list[str]:
    """Return the words of a text that may be names: those with a capital letter, and all of scripts without capitals."""
    return [word for word in text.split() if not word.islower() and any(map(str.isalpha, word))]


def _of_names(memories: Memories, terms: tuple[str, ...]) -> Entries:
    """Return the entries of those terms that few judged statements hold, in their own words; ``row`` is the statement's."""
    place = np.full(len(memories.items), -1)
    place[memories.judged] = np.arange(len(memories.judged))
    entries = memories.words.find(terms or ("",), memories.is_seen)
    entries = entries.take(np.flatnonzero((place[entries.row] >= 0) & (entries.own > 0)))
    is_rare = np.bincount(entries.term, minlength=1) <= _FEW
    return entries._replace(row=place[entries.row]).take(np.flatnonzero(is_rare[entries.term]))


def _forms(content: str) -> dict[str, str]:
    """Return by term how a statement writes its names, but for its first word; the term in a script without capitals."""
    forms: dict[str, str] = {}
    for run in _LETTERS.findall(" ".join(names_in(content.partition(" ")[2] or content))):
        for term in document_terms(run):
            form = run if run[0].isupper() else term
            forms[term] = min(form, forms.get(term, form), key=len)
    return forms
