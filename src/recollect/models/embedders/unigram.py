"""Splits a text into the word pieces of a unigram language model: those that are likeliest together. Never: a model's weights.

Kudo, "Subword Regularization" (arXiv 1804.10959), section 3.2, by the Viterbi algorithm; the rules for spaces are those of
SentencePiece (Kudo and Richardson, arXiv 1808.06226).
"""

import hashlib
import math
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import marisa_trie

from recollect.text.patterns import linear

_SPACE = "\u2581"
_SPACES = linear(" {2,}")
_UNKNOWN_BELOW = 10.0
"""How much less likely a character of no piece is than the least likely piece, as a difference of logarithms."""

_HEAD = struct.Struct("<32sII")


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The pieces of a vocabulary, found by their beginnings: a quarter of a million take a megabyte.

    Attributes:
        trie: The pieces.
        numbers: The number of each, by its key in the trie.
        longest: How many characters the longest has.
    """

    trie: Any
    numbers: "array[int]"
    longest: int

    @classmethod
    def of(cls, pieces: Mapping[str, int]) -> Self:
        """Make the table of these pieces, each with its number."""
        trie = marisa_trie.Trie(pieces)
        numbers = array("i", bytes(4 * len(pieces)))
        for piece, number in pieces.items():
            numbers[trie[piece]] = number
        return cls(trie, numbers, max(map(len, pieces)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the table that ``to_bytes`` wrote.

        Raises:
            ValueError: These are not its bytes.
        """
        body = data[_HEAD.size :]
        if len(data) < _HEAD.size or hashlib.sha256(body).digest() != data[:32]:
            raise ValueError("This is no table of pieces, or it is damaged.")
        _, longest, count = _HEAD.unpack_from(data)
        numbers = array("i", body[: 4 * count])
        return cls(marisa_trie.Trie().frombytes(body[4 * count :]), numbers, longest)

    def to_bytes(self) -> bytes:
        """Return what ``from_bytes`` reads."""
        body = self.numbers.tobytes() + self.trie.tobytes()
        packed: bytes = _HEAD.pack(hashlib.sha256(body).digest(), self.longest, len(self.numbers)) + body
        return packed

    def beginning(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """Yield of each piece that stands in ``text`` at ``start`` where it ends, and its number."""
        for piece, key in self.trie.iter_prefixes_with_ids(text[start : start + self.longest]):
            yield start + len(piece), self.numbers[key]


class UnigramTokenizer:
    """Knows the pieces of one model.

    Args:
        pieces: The pieces.
        scores: Their log likelihoods, by number.
        normalization: What a character is read as, by its code point; all others are read as they are.
        marks: The numbers of the pieces that stand before and behind every text.
        unknown: The number of the piece for characters of no piece.
    """

    def __init__(
        self,
        pieces: PieceTable,
        scores: Sequence[float],
        *,
        normalization: Mapping[int, str],
        marks: tuple[int, int],
        unknown: int,
    ) -> None:
        self._pieces = pieces
        self._scores = array("f", scores)
        self._normalization = normalization
        self._marks = marks
        self._unknown = unknown
        self._unknown_score = min(scores) - _UNKNOWN_BELOW

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the numbers of a text's pieces between the two marks, ``limit`` in all at most; the rest is cut.

        Takes time in proportion to the text, holding the interpreter: bound what is given.
        """
        read = _SPACES.sub(" ", text.translate(self._normalization))
        spaced = (read if read.startswith(" ") else f" {read}").replace(" ", _SPACE)
        first, last = self._marks
        return [first, *self._likeliest(spaced)[: limit - 2], last]

    def _likeliest(self, text: str) -> list[int]:
        """Return the numbers of the likeliest pieces: for each end, from which start it is reached best, and by which piece."""
        scores, beginning = self._scores, self._pieces.beginning
        reached = [0.0, *[-math.inf] * len(text)]
        by = [self._unknown] * (len(text) + 1)
        since = [0] * (len(text) + 1)
        for start in range(len(text)):
            so_far = reached[start]
            for end, piece in beginning(text, start):
                if so_far + scores[piece] > reached[end]:
                    reached[end], by[end], since[end] = so_far + scores[piece], piece, start
            if so_far + self._unknown_score > reached[start + 1]:
                reached[start + 1] = so_far + self._unknown_score
                by[start + 1], since[start + 1] = self._unknown, start
        found, end = [], len(text)
        while end > 0:
            found.append(by[end])
            end = since[end]
        return found[::-1]
