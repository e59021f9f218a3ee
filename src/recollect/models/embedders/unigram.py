"""Splits a text into the most likely sequence of word pieces under a unigram language model. Never: a model's weights.

Kudo, "Subword Regularization" (arXiv 1804.10959), section 3.2, by the Viterbi algorithm. Spaces are treated as in SentencePiece
(Kudo and Richardson, arXiv 1808.06226).
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import marisa_trie
import msgspec
import numpy as np

from recollect.errors import EmbedderError
from recollect.text.patterns import linear

_SPACE = "\u2581"
_SPACES = linear(" {2,}")
_UNKNOWN_BELOW = 10.0
"""The log likelihood of an unknown character is so much below that of the least likely piece."""


@dataclass(frozen=True, slots=True)
class PieceTable:
    """The word pieces of a vocabulary in a trie, which finds all pieces at a place of a text. 250,000 pieces take two megabytes.

    Attributes:
        trie: The pieces, as a ``marisa_trie.Trie``.
        numbers: The id of each piece, by its key in the trie.
        longest: The length of the longest piece, in characters.
    """

    trie: Any
    numbers: "array[int]"
    longest: int

    def beginning(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        """Yield the end and the id of each piece that ``text`` holds at ``start``."""
        for piece, key in self.trie.iter_prefixes_with_ids(text[start : start + self.longest]):
            yield start + len(piece), self.numbers[key]


class _Spelling(msgspec.Struct):
    """``spelling.json``, with the names of ``UnigramTokenizer``."""

    longest: int
    marks: tuple[int, int]
    unknown: int
    normalization: dict[str, str]


class UnigramTokenizer:
    """Tokenizes texts for one model.

    Args:
        pieces: The word pieces.
        scores: Their log likelihoods, by id.
        normalization: The normalized form of a character, by its code point; other characters stay as they are.
        marks: The ids of the special pieces before and after every text.
        unknown: The id of the piece for unknown characters.
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

    @classmethod
    def from_folder(cls, folder: Path) -> Self:
        """Read the tokenizer in a model's folder.

        Raises:
            EmbedderError: One of its files can't be read.
        """
        try:
            spelling = msgspec.json.decode((folder / "spelling.json").read_bytes(), type=_Spelling)
            # A list of a quarter of a million numbers would take ten megabytes for a moment.
            numbers = array("i", np.load(folder / "numbers.npy", allow_pickle=False).tobytes())
            scores = array("f", np.load(folder / "scores.npy", allow_pickle=False).tobytes())
            trie = marisa_trie.Trie().load(str(folder / "pieces.marisa"))
        except (OSError, ValueError, RuntimeError, EOFError, msgspec.DecodeError) as error:
            raise EmbedderError(f"The tokenizer in {folder} can't be read: {error}") from error
        return cls(
            PieceTable(trie, numbers, spelling.longest),
            scores,
            normalization={ord(character): form for character, form in spelling.normalization.items()},
            marks=spelling.marks,
            unknown=spelling.unknown,
        )

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text's pieces between the two marks, at most ``limit`` with them; the rest is cut off.

        Takes linear time and holds the GIL throughout: callers must bound the text.
        """
        read = _SPACES.sub(" ", text.translate(self._normalization))
        spaced = (read if read.startswith(" ") else f" {read}").replace(" ", _SPACE)
        first, last = self._marks
        return [first, *self._likeliest(spaced)[: limit - 2], last]

    def _likeliest(self, text: str) -> list[int]:
        """Return the ids of the most likely sequence of pieces.

        Viterbi: for each position, the best score up to it, and the piece that leads there with the piece's start.
        """
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
