"""Embeddings of a person's documents in memory, and exact cosines to a question. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.model import Vector

Rows = NDArray[np.int32]
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]


class Embedded(NamedTuple):
    """The embeddings of one document.

    Attributes:
        model: The name of the embedder.
        pieces: A vector for each window of the text, unit length, (pieces, dimensions).
    """

    model: str
    pieces: Matrix


class _Block(NamedTuple):
    """Embeddings of one model.

    Attributes:
        matrix: The vectors, (pieces, dimensions).
        row: The row of each one's document, ascending, (pieces,).
        is_first: Whether it is its document's first, (pieces,).
    """

    matrix: Matrix
    row: Rows
    is_first: NDArray[np.bool_]


class Nearness(NamedTuple):
    """The cosines of documents to a question, (rows,) each; NaN without an embedding.

    Attributes:
        best: Of the document's nearest piece.
        first: Of its first piece.
    """

    best: Floats
    first: Floats


@dataclass(frozen=True, slots=True)
class Vectors:
    """The embeddings of documents; a document has a row, and any number of vectors of one model.

    Attributes:
        size: The number of rows.
        blocks: By the embedder's name, blocks whose sizes fall: to add rows rarely copies old ones.
    """

    size: int = 0
    blocks: Mapping[str, tuple[_Block, ...]] = field(default_factory=dict)

    def with_documents(self, documents: Sequence[Embedded | None]) -> Self:
        """Return these with further documents, in the next rows."""
        blocks = dict(self.blocks)
        for key in {(each.model, each.pieces.shape[1]) for each in documents if each is not None}:
            found = [
                (self.size + place, each.pieces)
                for place, each in enumerate(documents)
                if each is not None and (each.model, each.pieces.shape[1]) == key
            ]
            sizes = [len(pieces) for _, pieces in found]
            row = np.repeat(np.array([row for row, _ in found], np.int32), sizes)
            is_first = np.zeros(len(row), np.bool_)
            is_first[np.cumsum([0, *sizes[:-1]])] = True
            new = _Block(np.concatenate([pieces for _, pieces in found]), row, is_first)
            blocks[key[0]] = _merged((*blocks.get(key[0], ()), new))
        return type(self)(self.size + len(documents), blocks)

    def near(self, model: str, question: Vector | None) -> Nearness:
        """Return the cosines of all rows to a question's vector by ``model``."""
        best, first = np.full(self.size, np.nan), np.full(self.size, np.nan)
        for block in () if question is None else self.blocks.get(model, ()):
            if question is None or block.matrix.shape[1] != len(question):
                continue
            cosines = block.matrix @ question
            if len(block.row) and block.is_first.all():  # short texts have one piece
                first[block.row] = best[block.row] = cosines
                continue
            begins = np.flatnonzero(block.is_first)
            first[block.row[begins]] = cosines[begins]
            best[block.row[begins]] = np.maximum.reduceat(cosines, begins)
        return Nearness(best, first)

    @property
    def models(self) -> frozenset[str]:
        """The names of the embedders."""
        return frozenset(self.blocks)

    @property
    def nbytes(self) -> int:
        """The bytes that they take."""
        return sum(array.nbytes for each in self.blocks.values() for block in each for array in block)


def _merged(blocks: tuple[_Block, ...]) -> tuple[_Block, ...]:
    """Join the last blocks until each has less than half as many vectors as the one before it."""
    kept = list(blocks)
    while len(kept) > 1 and 2 * len(kept[-1].row) > len(kept[-2].row) and _fit(kept[-2], kept[-1]):
        last = kept.pop()
        kept[-1] = _Block(*(np.concatenate(pair) for pair in zip(kept[-1], last, strict=True)))
    return tuple(kept)


def _fit(one: _Block, other: _Block) -> bool:
    """Return whether two blocks have the same dimensions."""
    return bool(one.matrix.shape[1] == other.matrix.shape[1])
