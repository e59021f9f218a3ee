"""Finds statements that belong together: that share a name, or may say the same in other words. Pure.

In "Clara's husband is Jan" the name leads to the foods that Jan must not eat. A name is a word with a capital letter, or of a script
without capitals, that few statements hold. It needs neither the meaning of a word nor a list of words.

Pairs that may say the same are shown to the person, and nothing is merged.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recollect.index import KIND_CODES, Entries, Memories
from recollect.model import COMMONS, Memory, Recollection
from recollect.text.lexical import document_terms
from recollect.text.patterns import bounded

_FEW = 10
"""The most statements that hold a name. A word in more of them is the name of a topic, and links everything."""
_MOST = 20
"""The most names of a statement that are looked for in others."""
_LETTERS = bounded(r"[^\W\d_]+")
# Chosen on sixty questions about made-up people, of which other numbers answer as many (decisions 0095, 0100).
_FOLLOWED, _BEHIND, _LINKED = 3, 5, 3
"""The statements that share a name with the best three come behind the best five, three at most."""
SHARES_NAME = (("shares_name", 1.0),)
"""The parts of a linked statement's score: it tells the place behind others, and no probability."""


def linked_rows(
    memories: Memories, order: NDArray[np.intp], sure: NDArray[np.bool_], needed: int
) -> list[int]:
    """Return those in ``order`` that share a name with the best that are surely needed; none if all are needed anyway."""
    if needed >= len(order):
        return []
    shares = sharing_names(
        memories, [row for row in order[:_FOLLOWED].tolist() if sure[row] and row < len(memories.judged)]
    )
    behind = order[min(needed, _BEHIND) :]
    behind = behind[behind < len(shares)]
    found: list[int] = behind[shares[behind]][:_LINKED].tolist()
    return found


def with_linked(
    ranked: Sequence[Recollection], linked: Sequence[Recollection], needed: int
) -> list[Recollection]:
    """Return ranked statements with the linked ones behind the best of the ``needed``, and scores in this order."""
    if not linked:
        return list(ranked)
    first = min(needed, _BEHIND)
    ids = {each.item.id for each in linked}
    others = [each for each in ranked[first:] if each.item.id not in ids]
    # Callers sort by score again, so these get scores between those of their two neighbours.
    scores = np.linspace(ranked[first - 1].score, others[0].score if others else 0.0, len(linked) + 2)[1:-1]
    placed = [
        replace(each, score=score, parts=SHARES_NAME)
        for each, score in zip(linked, scores.tolist(), strict=True)
    ]
    return [*ranked[:first], *placed, *others]


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
    """Return the names in a judged statement that others have, too, each in its shortest form."""
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
        # One statement must have it within its sentence: the first word of each has a capital letter.
        names += [min(found, key=len)] if found else []
    return list(dict.fromkeys(names))


def names_in(text: str) -> list[str]:
    """Return the words of a text that may be names: those with a capital letter, and all of scripts without capitals."""
    return [word for word in text.split() if not word.islower() and any(map(str.isalpha, word))]


def _of_names(memories: Memories, terms: tuple[str, ...]) -> Entries:
    """Return the entries of the terms that few judged statements hold in their own words; ``row`` is the row of the statement."""
    place = np.full(len(memories.items), -1)
    place[memories.judged] = np.arange(len(memories.judged))
    # `find` needs a term, and no statement holds the empty one.
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


# Chosen on the labelled people: of 17 pairs above it 15 are right, of 19 repetitions. No bar merges safely: contradictions
# are as near as repetitions, and a repetition may add a fact.
NEAR = 0.75
"""The least cosine of two statements that may be one."""

_COMPARED = 1_000
"""The statements that are compared: the newest."""
_MOST_PAIRS = 200
"""The pairs that are returned: a person who answers five a day is not shown more."""


def told_twice(memories: Memories, model: str) -> list[tuple[Memory, Memory]]:
    """Return pairs of the person's own statements that may be one, by the embedder ``model``; nearest first, the older one in front."""
    rows, matrix = memories.vectors.first_pieces(model)
    judged = set(memories.judged.tolist())
    kept = [  # without topics, which are hints, the cosine says less
        place
        for place, row in enumerate(rows.tolist())
        if row in judged and memories.items[row].hints is not None and memories.items[row].doubt is None
    ]
    kept = sorted(kept, key=lambda place: int(rows[place]))[-_COMPARED:]
    if len(kept) < 2:  # noqa: PLR2004 -- a pair
        return []
    items, vectors = [memories.items[int(rows[place])] for place in kept], matrix[kept]
    kinds = np.array([KIND_CODES[each.kind] for each in items])
    own = np.array([each.owner != COMMONS for each in items])
    is_pair = (kinds == kinds[:, None]) & own & own[:, None]
    # Above the diagonal each pair stands once.
    near = np.where(is_pair, np.triu(vectors @ vectors.T, 1), 0.0)
    found = np.argwhere(near >= NEAR)
    order = np.argsort(-near[found[:, 0], found[:, 1]], kind="stable")[:_MOST_PAIRS]
    pairs = [(items[one], items[other]) for one, other in found[order].tolist()]
    return [(one, other) if one.observed_at <= other.observed_at else (other, one) for one, other in pairs]
