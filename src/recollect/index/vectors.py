"""Holds the embeddings of a person's documents, and computes their exact cosines to a question. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.model import Vector

Rows = NDArray[np.int32]
Floats = NDArray[np.float64]

# Two-byte integers: numpy converts them to floats ten times as fast as two-byte floats.
_ONE = 32_767
"""The integer that stores a vector's 1.0."""
_COMPARED_AT_ONCE = 256  # vectors, whose four-byte form stays in the processor's cache

_HALVES = np.arange(1 << 16, dtype=np.uint16).view(">f2").astype(np.float32)
_WHOLE = np.rint(np.nan_to_num(_HALVES).clip(-1, 1) * _ONE).astype(np.int16)
"""The whole number for each two-byte float, by its bytes, the highest first. To look it up takes a quarter of the time that computing it takes."""


class Embedded(NamedTuple):
    """The embeddings of one document by an embedder: a vector of unit length for each window of the text.

    Attributes:
        halves: The vectors one after another, as two-byte floats in the byte order of the store: the highest byte first.
    """

    model: str
    pieces: int
    halves: bytes

    @classmethod
    def of(cls, model: str, vectors: NDArray[np.floating]) -> Self:
        """Return the embeddings of one document, (pieces, dimensions)."""
        return cls(model, len(vectors), vectors.astype(">f2").tobytes())


class _Block(NamedTuple):
    """Embeddings of one model.

    Attributes:
        matrix: The vectors in whole numbers, ``_ONE`` times their values, (pieces, dimensions).
        row: The row of each one's document, (pieces,); the pieces of a document follow one another.
        is_first: Whether it is its document's first, (pieces,).
    """

    matrix: NDArray[np.int16]
    row: Rows
    is_first: NDArray[np.bool_]


class Nearness(NamedTuple):
    """The cosines of documents' best and first pieces to a question, (rows,) each; NaN without an embedding."""

    best: Floats
    first: Floats


@dataclass(frozen=True, slots=True)
class Vectors:
    """The embeddings of documents; a document has a row, and any number of vectors of one model."""

    size: int = 0
    blocks: Mapping[str, tuple[_Block, ...]] = field(default_factory=dict)

    def with_documents(self, documents: Sequence[Embedded | None]) -> Self:
        """Return these embeddings with further documents, in the next rows."""
        blocks = dict(self.blocks)
        alike: dict[tuple[str, int], list[tuple[int, Embedded]]] = {}
        for row, each in enumerate(documents, self.size):
            if each is not None:
                width = len(each.halves) // each.pieces
                alike.setdefault((each.model, width), []).append((row, each))
        for (model, width), found in alike.items():
            sizes = [each.pieces for _, each in found]
            rows = np.repeat(np.array([row for row, _ in found], np.int32), sizes)
            is_first = np.zeros(len(rows), np.bool_)
            is_first[np.cumsum([0, *sizes[:-1]])] = True
            halves = np.frombuffer(b"".join([each.halves for _, each in found]), np.uint16)
            matrix = _whole_numbers(halves.reshape(-1, width // 2))
            blocks[model] = _merged((*blocks.get(model, ()), _Block(matrix, rows, is_first)))
        return type(self)(self.size + len(documents), blocks)

    def taken(self, order: NDArray[np.intp]) -> Self:
        """Return the embeddings of the documents in some rows, none twice, in their order."""
        place = np.full(self.size, -1, np.int32)
        place[order] = np.arange(len(order))
        return type(self)(
            len(order),
            {model: tuple(_placed(each, place) for each in blocks) for model, blocks in self.blocks.items()},
        )

    def joined(self, others: Self) -> Self:
        """Return these embeddings and, in the rows after them, the others."""
        blocks = dict(self.blocks)
        for model, added in others.blocks.items():
            moved = (each._replace(row=each.row + np.int32(self.size)) for each in added)
            blocks[model] = (*blocks.get(model, ()), *moved)
        return type(self)(self.size + others.size, blocks)

    def near(self, model: str, question: Vector | None) -> Nearness:
        """Return the cosines of all rows to a question's vector by ``model``."""
        best, first = np.full(self.size, np.nan), np.full(self.size, np.nan)
        if question is None:
            return Nearness(best, first)
        for block in self.blocks.get(model, ()):
            if block.matrix.shape[1] != len(question):  # a server may change the model behind a name
                continue
            cosines = _products(block.matrix, question)
            if len(block.row) and block.is_first.all():  # short texts have one piece
                first[block.row] = best[block.row] = cosines
                continue
            begins = np.flatnonzero(block.is_first)
            first[block.row[begins]] = cosines[begins]
            best[block.row[begins]] = np.maximum.reduceat(cosines, begins)
        return Nearness(best, first)

    def first_pieces(self, model: str) -> tuple[Rows, NDArray[np.float32]]:
        """Return the rows that have an embedding by ``model``, (n,), and the first piece of each, (n, dimensions)."""
        blocks = [
            (each.row[each.is_first], each.matrix[each.is_first]) for each in self.blocks.get(model, ())
        ]
        if len({matrix.shape[1] for _, matrix in blocks}) != 1:
            return np.empty(0, np.int32), np.empty((0, 0), np.float32)
        matrix = np.concatenate([each for _, each in blocks]).astype(np.float32) / np.float32(_ONE)
        return np.concatenate([row for row, _ in blocks]), matrix

    @property
    def models(self) -> frozenset[str]:
        """The names of the embedders."""
        return frozenset(self.blocks)

    @property
    def nbytes(self) -> int:
        """The bytes of the embeddings."""
        return sum(array.nbytes for each in self.blocks.values() for block in each for array in block)


def _whole_numbers(halves: NDArray[np.uint16]) -> NDArray[np.int16]:
    """Return vectors of two-byte floats as whole numbers, ``_ONE`` for 1.0."""
    whole = np.empty(halves.shape, np.int16)
    for begin in range(0, len(halves), _COMPARED_AT_ONCE):  # numpy widens the places that it looks up
        some = slice(begin, begin + _COMPARED_AT_ONCE)
        np.take(_WHOLE, halves[some], out=whole[some], mode="clip")
    return whole


def _products(matrix: NDArray[np.int16], question: Vector) -> NDArray[np.float32]:
    """Return the product of each kept vector with a question's, (rows,)."""
    products = np.empty(len(matrix), np.float32)
    scaled = np.ascontiguousarray(question, np.float32) / np.float32(_ONE)
    step = np.empty((min(_COMPARED_AT_ONCE, len(matrix)), matrix.shape[1]), np.float32)
    for begin in range(0, len(matrix), _COMPARED_AT_ONCE):
        some = matrix[begin : begin + _COMPARED_AT_ONCE]
        wide = step[: len(some)]
        np.copyto(wide, some)
        np.dot(wide, scaled, out=products[begin : begin + len(some)])
    return products


def _placed(block: _Block, place: Rows) -> _Block:
    """Return the embeddings of the documents that have a place; the place becomes their row."""
    row = place[block.row]
    is_taken = row >= 0
    if is_taken.all():
        return block._replace(row=row)
    return _Block(block.matrix[is_taken], row[is_taken], block.is_first[is_taken])


def _merged(blocks: tuple[_Block, ...]) -> tuple[_Block, ...]:
    """Join the last blocks until each has less than half as many vectors as the one before it."""
    # Blocks fall in size, so that a vector is copied as often as its block doubles, and not with each row that is added.
    kept = list(blocks)
    while (
        len(kept) > 1
        and 2 * len(kept[-1].row) > len(kept[-2].row)
        and kept[-2].matrix.shape[1] == kept[-1].matrix.shape[1]
    ):
        last = kept.pop()
        first = kept[-1]
        kept[-1] = _Block(
            np.concatenate((first.matrix, last.matrix)),
            np.concatenate((first.row, last.row)),
            np.concatenate((first.is_first, last.is_first)),
        )
    return tuple(kept)
