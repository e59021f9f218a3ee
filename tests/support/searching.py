"""Looks things up in people's snapshots: by terms and by importance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.index import Passages, Snapshot, SnapshotCache, Words
from recollect.model import Item, Memory

Document: TypeAlias = tuple[str, int]
"""Whether it is a memory or a passage, and its row."""


class Occurrences(NamedTuple):
    """Where a term stands: parallel lists."""

    documents: list[Document]
    frequencies: list[int]
    own: list[int]
    lengths: list[int]


@dataclass(frozen=True)
class Lexicon:
    """The occurrences of some terms in a person's documents."""

    documents: int = 0
    mean_length: float = 1.0
    occurrences: Mapping[str, Occurrences] = field(default_factory=dict)


async def lexicon_of(snapshots: SnapshotCache, user_id: str, terms: Sequence[str]) -> Lexicon:
    """Return the occurrences of terms in a person's memories and passages."""
    parts = _parts(await snapshots.get(user_id))
    documents = sum(int(found.sum()) for _, _, found, _ in parts)
    length = sum(int(words.lengths[found].sum()) for _, words, found, _ in parts)
    occurrences = {}
    for term in dict.fromkeys(terms):
        rows: list[tuple[Document, int, int, int]] = []
        for kind, words, found, _ in parts:
            entries = words.find((term,), found)
            rows += [
                ((kind, row), often, own, int(words.lengths[row]))
                for row, often, own in zip(
                    entries.row.tolist(), entries.often.tolist(), entries.own.tolist(), strict=True
                )
            ]
        if rows:
            occurrences[term] = Occurrences(*(list(column) for column in zip(*rows, strict=True)))
    return Lexicon(documents, max(1.0, length / max(1, documents)), occurrences)


async def vocabulary(snapshots: SnapshotCache, user_id: str) -> set[str]:
    """Return the terms of a person's memories and passages."""
    return {
        term
        for _, words, found, _ in _parts(await snapshots.get(user_id))
        for term in words.vocabulary
        if len(words.find((term,), found).row)
    }


async def important(snapshots: SnapshotCache, user_id: str, *, limit: int = 60) -> list[Memory]:
    """Return a person's most important statements."""
    return list((await snapshots.get(user_id)).memories.important[:limit])


def _parts(snapshot: Snapshot) -> list[tuple[str, Words, NDArray[np.bool_], Sequence[Item]]]:
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    return [
        ("memory", memories.words, memories.is_seen, memories.items),
        ("passage", passages.words, passages.is_current, passages.items),
    ]
