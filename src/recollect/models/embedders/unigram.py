"""Splits a text into the word pieces of a unigram language model: those that are likeliest together. Never: a model's weights.

Kudo, "Subword Regularization" (arXiv 1804.10959), section 3.2, by the Viterbi algorithm; the rules for spaces are those of
SentencePiece (Kudo and Richardson, arXiv 1808.06226).
"""

import math
from array import array
from collections.abc import Mapping, Sequence

from recollect.text.patterns import linear

_SPACE = "\u2581"
_SPACES = linear(" {2,}")
_UNKNOWN_BELOW = 10.0
"""How much less likely a character of no piece is than the least likely piece, as a difference of logarithms."""


class UnigramTokenizer:
    """Knows the pieces of one model.

    Args:
        pieces: The numbers of the pieces.
        scores: Their log likelihoods, by number.
        normalization: What a character is read as, by its code point; all others are read as they are.
        marks: The numbers of the pieces that stand before and behind every text.
        unknown: The number of the piece for characters of no piece.
    """

    def __init__(
        self,
        pieces: Mapping[str, int],
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
        self._longest = max(map(len, pieces))
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
        scores, known = self._scores, self._pieces.get
        reached = [0.0, *[-math.inf] * len(text)]
        by = [self._unknown] * (len(text) + 1)
        since = [0] * (len(text) + 1)
        for start in range(len(text)):
            so_far = reached[start]
            for end in range(start + 1, min(start + self._longest, len(text)) + 1):
                piece = known(text[start:end])
                if piece is not None and so_far + scores[piece] > reached[end]:
                    reached[end], by[end], since[end] = so_far + scores[piece], piece, start
            if so_far + self._unknown_score > reached[start + 1]:
                reached[start + 1] = so_far + self._unknown_score
                by[start + 1], since[start + 1] = self._unknown, start
        found, end = [], len(text)
        while end > 0:
            found.append(by[end])
            end = since[end]
        return found[::-1]
