"""Inverted indexes of a person's documents in memory: of words, with BM25, and of short runs of letters, which survive inflection and typing errors. Pure.

Matched terms are weighed by BM25 over the person's own documents: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
and Beyond" (2009), with the non-negative idf and without the factor k1 + 1, as in Lucene's BM25Similarity since 8.0.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from recollect.text.patterns import bounded

Column = NDArray[Any]
Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_K1, _B = 1.2, 0.75
"""The usual parameters: how far repetition counts, and how much length counts against a text."""

COVERED = 0.5
"""The share of the highest idf sum that counts as full coverage: a term said once in a text of mean
length saturates at 1 / (1 + k1), a little below it."""

MOST_OFTEN = 63
"""The highest count of a term in a document; further occurrences don't count."""

_SORTED_AGAIN = 0.1
"""The share of the entries above which the added ones are sorted in. Fewer are found by a scan."""
_SCANNED = 20_000  # entries: to scan so few costs less than to sort all again


_AT_ONCE = 500
"""The documents whose terms are numbered at once. Other threads wait for some milliseconds meanwhile."""


class Document(NamedTuple):
    """The terms of a document.

    Attributes:
        terms: Its terms, a line each, the context included; none twice.
        counts: Two bytes a term: its count in the document with its context, and in the document's own text.
        length: The number of terms, the context included.
    """

    terms: str = ""
    counts: bytes = b""
    length: int = 0


class Entries(NamedTuple):
    """Parallel arrays, (n,) each: a term in a document.

    Attributes:
        term: The number of the term in the vocabulary, int32.
        row: The document's row, int32.
        often: The term's count, the context included; uint8, 63 at most.
        own: The term's count in the document's own text; uint8, 63 at most.
    """

    term: Column
    row: Column
    often: Column
    own: Column

    def take(self, places: NDArray[np.intp]) -> "Entries":
        """Return the entries at some places."""
        return Entries(*(column[places] for column in self))


class TermScores(NamedTuple):
    """How well each document matches a question's terms, (documents,) each; 0 for a document that holds none.

    Attributes:
        bm25: BM25 over the document with its context.
        matched: The sum of the idf of the question's terms that document and context hold.
        own_matched: The sum of the idf of the question's terms that the document alone holds.
    """

    bm25: Floats
    matched: Floats
    own_matched: Floats


class WordMatch(NamedTuple):
    """The match of a question's terms with several indexes of one person.

    Attributes:
        scores: The scores of each index's documents.
        idf_total: The sum of the idf of all terms of the question. A term in no document has the largest idf.
        idf_seen: The sum of the idf of the terms that any document holds.
    """

    scores: tuple[TermScores, ...]
    idf_total: float = 0.0
    idf_seen: float = 0.0

    @property
    def seen(self) -> float:
        """The share of the question's terms, by idf, that any document holds, 0 to 1."""
        return self.idf_seen / self.idf_total if self.idf_total > 0 else 0.0


class Vocabulary(dict[str, int]):
    """The numbers of an index's terms; a term that is looked up by ``[]`` gets one."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number

    def numbers_of(self, terms: Sequence[str]) -> Numbers:
        """Return the numbers of terms, (n,); those that are new are added."""
        return np.fromiter(map(self.__getitem__, terms), np.int32, len(terms))

    def copy(self) -> "Vocabulary":
        """Return a copy, for another index to extend."""
        return Vocabulary(self)


_NO_ENTRIES = Entries(
    np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.uint8)
)


@dataclass(frozen=True, slots=True)
class Words:
    """An inverted index of documents by their terms; each document has a row.

    Attributes:
        vocabulary: The terms. Later states of the same index share and extend it.
        entries: Entries in the order of their terms.
        added: The entries added last, not sorted yet.
        lengths: The number of terms of each document, its context included, (rows,).
    """

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    entries: Entries = _NO_ENTRIES
    added: Entries = _NO_ENTRIES
    lengths: Numbers = field(default_factory=lambda: np.empty(0, np.int32))

    def with_documents(self, documents: Sequence[Document]) -> Self:
        """Return the index with further documents, in the next rows."""
        if not documents:
            return self
        first, vocabulary = len(self.lengths), self.vocabulary
        terms = [
            vocabulary.numbers_of(some.split("\n"))
            for begin in range(0, len(documents), _AT_ONCE)
            if (some := "\n".join([each.terms for each in documents[begin : begin + _AT_ONCE] if each.terms]))
        ]
        counts = np.frombuffer(b"".join([each.counts for each in documents]), np.uint8).reshape(-1, 2)
        counts = np.minimum(counts, MOST_OFTEN)
        sizes = [len(each.counts) // 2 for each in documents]
        rows = np.repeat(np.arange(first, first + len(documents), dtype=np.int32), sizes)
        new = Entries(np.concatenate([_NO_ENTRIES.term, *terms]), rows, counts[:, 0], counts[:, 1])
        added = _joined([self.added, new])
        entries = self.entries
        if len(added.term) > max(_SCANNED, _SORTED_AGAIN * len(entries.term)) or not len(entries.term):
            joined = _joined([entries, added])
            entries, added = joined.take(_in_order(joined.term)), _NO_ENTRIES
        return type(self)(
            vocabulary,
            entries,
            added,
            np.append(self.lengths, np.array([each.length for each in documents], np.int32)),
        )

    def joined(self, others: Self) -> Self:
        """Return the index of these documents and, in the rows after them, of the others; neither changes."""
        vocabulary = self.vocabulary.copy()
        moved = vocabulary.numbers_of(list(others.vocabulary))
        of_others = _joined([others.entries, others.added])
        rows = of_others.row + np.int32(len(self.lengths))
        of_others = of_others._replace(term=moved[of_others.term], row=rows)
        entries = _joined([self.entries, self.added, of_others])
        lengths = np.append(self.lengths, others.lengths)
        return type(self)(vocabulary, entries.take(_in_order(entries.term)), _NO_ENTRIES, lengths)

    def taken(self, order: NDArray[np.intp]) -> Self:
        """Return the index of the documents in some rows, none twice, in their order."""
        place = np.full(len(self.lengths), -1, np.int32)
        place[order] = np.arange(len(order))
        entries, added = (_placed(each, place) for each in (self.entries, self.added))
        return type(self)(self.vocabulary, entries, added, self.lengths[order])

    def find(self, terms: Sequence[str], found: Mask) -> Entries:
        """Return the entries of terms, none twice, in documents that may be found, (rows,); ``term`` is the place among ``terms``."""
        # A later state of the index shares and extends the vocabulary, never the entries.
        numbers = np.array([self.vocabulary.get(term, -1) for term in terms], np.int64)
        # An unknown term has the number -1, and finds none.
        begins = np.searchsorted(self.entries.term, numbers)
        counts = np.searchsorted(self.entries.term, numbers, side="right") - begins
        # The places begin, begin + 1, ... of each term's entries, one term after another.
        places = np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts)
        every = self.entries.take(places)._replace(term=np.repeat(np.arange(len(terms)), counts))
        if len(self.added.term):
            order = np.argsort(numbers)
            # A number above all others is clipped to the last term, with which it is then unequal.
            place = order[np.searchsorted(numbers, self.added.term, sorter=order).clip(max=len(terms) - 1)]
            held = np.flatnonzero(numbers[place] == self.added.term)
            every = _joined([every, self.added.take(held)._replace(term=place[held])])
        return every.take(np.flatnonzero(found[every.row]))

    @property
    def nbytes(self) -> int:
        """About how many bytes the index takes."""
        arrays = (*self.entries, *self.added, self.lengths)
        # A word with its number and its two places takes some 180 bytes.
        return sum(each.nbytes for each in arrays) + 180 * len(self.vocabulary)


def _in_order(terms: Column) -> NDArray[np.intp]:
    """Return the places of entries in the order of their terms; those of a term in their own order."""
    # A sort of whole numbers takes a tenth of the time of numpy's stable argsort.
    keys = np.sort(terms.astype(np.uint64) << np.uint64(32) | np.arange(len(terms), dtype=np.uint64))
    return (keys & np.uint64(0xFFFFFFFF)).astype(np.intp)


def _placed(entries: Entries, place: Numbers) -> Entries:
    """Return the entries of the documents that have a place, with it as their row."""
    moved = entries._replace(row=place[entries.row])
    return moved.take(np.flatnonzero(moved.row >= 0))


def _joined(parts: Sequence[Entries]) -> Entries:
    """Return the entries of several parts, one after another."""
    return Entries(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def match_words(indexes: Sequence[tuple[Words, Mask]], terms: Sequence[str]) -> WordMatch:
    """Score the documents of a person's indexes, weighted by how rare the terms are in all of them.

    Each index comes with its documents that may be found, (rows,).
    """
    documents = sum(int(found.sum()) for _, found in indexes)
    length = sum(int(words.lengths[found].sum()) for words, found in indexes)
    if not documents or not terms:
        none = tuple(TermScores(*np.zeros((3, len(found)))) for _, found in indexes)
        return WordMatch(none, sum(idf(0, 0) for _ in terms))
    mean = length / documents if length > documents else 1.0
    entries = [words.find(terms, found) for words, found in indexes]
    containing = np.sum([np.bincount(each.term, minlength=len(terms)) for each in entries], axis=0)
    weights = np.array([idf(documents, each) for each in containing.tolist()])
    return WordMatch(
        tuple(_scores(each, words, weights, mean) for (words, _), each in zip(indexes, entries, strict=True)),
        float(weights.sum()),
        float(weights[containing > 0].sum()),
    )


def _scores(found: Entries, words: Words, weights: Floats, mean: float) -> TermScores:
    """Return the scores of an index's documents by the found entries, with the weight of each term, (terms,)."""
    row, weight, size = found.row, weights[found.term], len(words.lengths)
    often = saturation(found.often.astype(np.float64), words.lengths[row], mean)
    return TermScores(
        *(
            np.asarray(np.bincount(row, weight * part, minlength=size), np.float64)
            for part in (often, np.ones(len(row)), found.own > 0)
        )
    )


_READ = 300
"""Characters of a question whose letters are compared."""
_READ_OF_TEXT = 1_000
"""Characters of a text whose letters are compared: a statement of 300, with the longest hints."""
_FIRST_IDEOGRAM = "\u2e80"
_WIDE = ord(_FIRST_IDEOGRAM)
_LETTERS = bounded(rf"[^\W{_FIRST_IDEOGRAM}-\U0010ffff]+|[^\W\u0000-\u2e7f]+")
_RUN = 4  # shorter ones are in most words, longer ones fail at an ending or a slip
_SPACE = ord(" ")

_ASCII = np.array(
    [ord(chr(point).lower() if chr(point).isalnum() or point == ord("_") else " ") for point in range(128)],
    np.uint32,
)
"""Maps ASCII for comparison: to small letters, digits and the underscore; any other character separates words."""

# 2^32 over the golden ratio, as in Knuth's multiplicative hashing: neighbouring code points land far apart.
_FACTOR = np.uint32(0x9E3779B1)
_ROW_BITS = np.uint64(32)
_ROWS = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class LetterRuns:
    """An inverted index of n texts by their runs of characters, which are shorter in scripts without spaces.

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
            if length > 1:  # hashes of all runs that are one character longer
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
        """The bytes of the index."""
        return self.keys.nbytes


def letter_runs(text: str) -> frozenset[str]:
    """Return the runs of characters of a text's first 300: four within a padded word, two in scripts without spaces."""
    runs: set[str] = set()
    for word in _LETTERS.findall(text[:_READ].casefold()):
        is_wide = word[0] >= _FIRST_IDEOGRAM
        spaced, length = (word, 2) if is_wide else (f" {word} ", _RUN)
        runs.update([spaced[n : n + length] for n in range(max(1, len(spaced) - length + 1))])
    return frozenset(runs)


def _in_words(text: str) -> str:
    """Return a text's words between spaces; of an ASCII text as it is, whose other characters ``_ASCII`` makes spaces."""
    return f" {text if text.isascii() else ' '.join(_LETTERS.findall(text.casefold()))} "


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


def idf(documents: int, containing: int) -> float:
    """Return the inverse document frequency of a term that ``containing`` of ``documents`` texts hold: never negative, highest for none."""
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))


def saturation(frequency: Any, length: Any, mean_length: Any) -> Any:
    """Return the part of a term's idf that a text earns by holding it ``frequency`` times, in [0, 1).

    Plain arithmetic: numbers, or arrays that broadcast (numpy). Lengths are in terms; ``mean_length`` is above 0.
    """
    return frequency / (frequency + _K1 * (1 - _B + _B * length / mean_length))
