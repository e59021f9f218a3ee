"""Looks things up in people's snapshots: by terms, by nearness, by importance. Never: a test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.index import Passages, Snapshot, SnapshotCache, Words
from recollect.model import Item, Memory, Scope, Vector

Document: TypeAlias = tuple[str, int]
"""Whether it is a memory or a passage, and its row."""


class Hit(NamedTuple):
    """A memory or passage with its cosines."""

    item: Item
    document: Document
    cosine: float | None = None
    first_cosine: float | None = None
    second_cosine: float | None = None


class Occurrences(NamedTuple):
    """Where a term stands: parallel lists."""

    documents: list[Document]
    frequencies: list[int]
    own: list[int]
    lengths: list[int]


@dataclass(frozen=True)
class Lexicon:
    """What a person's documents hold of some terms."""

    documents: int = 0
    mean_length: float = 1.0
    occurrences: Mapping[str, Occurrences] = field(default_factory=dict)


async def lexicon_of(snapshots: SnapshotCache, user_id: str, terms: Sequence[str]) -> Lexicon:
    """Return where terms stand in a person's memories and passages."""
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
        for term in words.vocabulary.numbers
        if len(words.find((term,), found).row)
    }


async def search(
    snapshots: SnapshotCache,
    scope: Scope,
    vector: Vector | None,
    model: str,
    *,
    documents: Sequence[Document] = (),
    limit: int = 9,
    log: bool = True,
    verbatim: bool = False,
    second: Vector | None = None,
    second_model: str = "",
) -> list[Hit]:
    """Return the memories and passages that are nearest, and those named."""
    snapshot = await snapshots.get(scope.user_id)
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    first = memories.first.near(model, vector).best
    other = memories.second.near(second_model, second).best
    seen = memories.is_seen if verbatim or not log else memories.is_seen & ~memories.is_verbatim
    wanted = {row for kind, row in documents if kind == "memory"}
    for cosines in (first, other):
        rows = np.flatnonzero(seen & ~np.isnan(cosines))
        wanted |= set(rows[np.argsort(-cosines[rows])][:limit].tolist())
    hits = [
        Hit(memories.items[row], ("memory", row), _known(first[row]), None, _known(other[row]))
        for row in sorted(wanted)
        if seen[row]
    ]
    if log:
        near = passages.vectors.near(model, vector)
        rows = np.flatnonzero(passages.is_current & ~np.isnan(near.best))
        wanted = set(rows[np.argsort(-near.best[rows])][:limit].tolist())
        wanted |= {row for kind, row in documents if kind == "passage"}
        firsts = passages.first_row
        hits += [
            Hit(
                passages.items[row],
                ("passage", row),
                _known(near.best[row]),
                _known(near.first[firsts[row]]) if firsts[row] >= 0 else None,
            )
            for row in sorted(wanted)
            if passages.is_current[row]
        ]
    return hits


async def important(snapshots: SnapshotCache, user_id: str, *, limit: int = 60) -> list[Memory]:
    """Return a person's most important statements."""
    return list((await snapshots.get(user_id)).memories.important[:limit])


def _parts(snapshot: Snapshot) -> list[tuple[str, Words, NDArray[np.bool_], Sequence[Item]]]:
    memories, passages = snapshot.memories, snapshot.passages or Passages()
    return [
        ("memory", memories.words, memories.is_seen, memories.items),
        ("passage", passages.words, passages.is_current, passages.items),
    ]


def _known(cosine: float) -> float | None:
    return None if np.isnan(cosine) else float(cosine)
