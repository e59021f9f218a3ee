"""Compares a question's letters with those of many texts, by short runs of characters that survive inflection and typing errors. Pure.

Never: words, languages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recollect.text.patterns import bounded

_READ = 300
"""Characters of a question whose letters are compared."""
_READ_OF_TEXT = 1_000
"""The same of a text: a statement of 300 with the longest hints."""
_FIRST_IDEOGRAM = "\u2e80"
_WIDE = ord(_FIRST_IDEOGRAM)
_WORD = bounded(rf"[^\W{_FIRST_IDEOGRAM}-\U0010ffff]+|[^\W\u0000-\u2e7f]+")
_RUN = 4
_SPACE = ord(" ")

_ASCII = np.array(
    [ord(chr(point).lower() if chr(point).isalnum() or point == ord("_") else " ") for point in range(128)],
    np.uint32,
)
"""The characters of ASCII as they are compared: small letters, digits and the underscore; the others separate words."""

# 2^32 over the golden ratio, as in Knuth's multiplicative hashing: neighbouring code points land far apart.
_FACTOR = np.uint32(0x9E3779B1)
_ROW_BITS = np.uint64(32)
_ROWS = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class LetterRuns:
    """An inverted index of n texts by their runs of characters: four within a padded word, two in scripts without spaces.

    Each key has a run's hash in the upper 32 bits and its text's row in the lower; they ascend.
    """

    size: int
    keys: NDArray[np.uint64]

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Self:
        """Index the first 1,000 characters of each text."""
        words = [_in_words(text[:_READ_OF_TEXT]) for text in texts]
        points = _code_points("".join(words))
        is_ascii = points < len(_ASCII)
        points = np.where(is_ascii, _ASCII[np.where(is_ascii, points, 0)], points)
        rows = np.repeat(np.arange(len(words), dtype=np.uint64), [len(each) for each in words])
        is_space, is_wide = points == _SPACE, points >= _WIDE
        is_narrow = ~is_space & ~is_wide
        found, hashed = [], points
        for length, begins in enumerate(_runs(is_space, is_narrow, is_wide), 1):
            if length > 1:  # of all runs of the length, one character longer than before
                hashed = hashed[:-1] * _FACTOR + points[length - 1 :]
            found.append(hashed[begins].astype(np.uint64) << _ROW_BITS | rows[begins])
        keys = np.sort(np.concatenate(found))  # np.unique would hash them, which takes ten times as long
        # The first key is compared with another one, so that it stays; of no keys there is no first.
        return cls(len(texts), keys[np.diff(keys, prepend=keys[:1] + np.uint64(1)) != 0])

    def joined(self, others: Self) -> Self:
        """Return the index of these texts and, in the rows after them, of the others."""
        if not self.size:
            return others
        moved = others.keys + np.uint64(self.size)
        return type(self)(self.size + others.size, np.sort(np.concatenate([self.keys, moved])))

    def taken(self, order: NDArray[np.intp]) -> Self:
        """Return the index of the texts in some rows, none twice, in their order."""
        place = np.full(self.size, -1)
        place[order] = np.arange(len(order))
        rows = place[(self.keys & _ROWS).astype(np.intp)]
        is_taken = rows >= 0
        keys = self.keys[is_taken] & ~_ROWS | rows[is_taken].astype(np.uint64)
        return type(self)(len(order), np.sort(keys))

    def shared(self, question: str) -> NDArray[np.float64]:
        """Return the share of the question's runs, weighted by their rarity among the texts, that each text holds, 0 to 1, (n,)."""
        asked = _hashes_of(letter_runs(question)).astype(np.uint64) << _ROW_BITS
        begins = np.searchsorted(self.keys, asked)
        counts = np.searchsorted(self.keys, asked | _ROWS, side="right") - begins
        rarity = np.log((self.size + 1) / (counts + 0.5))
        total = float(rarity.sum())
        if total <= 0:
            return np.zeros(self.size)
        # The places begin, begin + 1, ... of each run's keys, one run after another.
        places = np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts)
        rows = (self.keys[places] & _ROWS).astype(np.intp)
        return np.bincount(rows, np.repeat(rarity, counts), minlength=self.size) / total

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.keys.nbytes


def letter_runs(text: str) -> frozenset[str]:
    """Return the runs of characters of a text's first 300: four within a padded word, two in scripts without spaces."""
    runs: set[str] = set()
    for word in _WORD.findall(text[:_READ].casefold()):
        is_wide = word[0] >= _FIRST_IDEOGRAM
        spaced, length = (word, 2) if is_wide else (f" {word} ", _RUN)
        runs.update([spaced[n : n + length] for n in range(max(1, len(spaced) - length + 1))])
    return frozenset(runs)


def _in_words(text: str) -> str:
    """Return a text's words between spaces; of an ASCII text as it is, whose other characters ``_ASCII`` makes spaces."""
    return f" {text if text.isascii() else ' '.join(_WORD.findall(text.casefold()))} "


def _runs(
    is_space: NDArray[np.bool_], is_narrow: NDArray[np.bool_], is_wide: NDArray[np.bool_]
) -> Iterable[NDArray[np.intp]]:
    """Yield the places where the runs begin that a question may have: those of one character, of two, three and four."""
    yield np.flatnonzero(is_wide)  # a single ideogram may be a whole word of the question
    yield np.flatnonzero(is_wide[:-1] & is_wide[1:])
    yield np.flatnonzero(is_space[:-2] & is_narrow[1:-1] & is_space[2:])  # a word of one letter
    yield np.flatnonzero(is_narrow[1:-2] & is_narrow[2:-1])


def _hashes_of(runs: Iterable[str]) -> NDArray[np.uint32]:
    padded = "".join(run.rjust(_RUN, "\0") for run in runs)
    return _hashes(_code_points(padded).reshape(-1, _RUN))


def _hashes(runs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a hash of each run of four code points, (runs,); shorter runs have zeros before them."""
    hashed = runs[:, 0]
    for place in range(1, _RUN):
        hashed = hashed * _FACTOR + runs[:, place]
    return hashed


def _code_points(text: str) -> NDArray[np.uint32]:
    # Four bytes a character, so that the bytes are the numbers; half a surrogate pair may come out of JSON.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
