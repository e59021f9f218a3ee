"""How pages of the lexical index are written and read: sorted terms, each with the documents it stands in. Pure.

A page holds the bytes of its terms, NUL before, between and behind them, and their lists: where each ends (two bytes each, counted
from the first list), then the lists. A list is a row of numbers in base 128, the lowest seven bits first: of each document how far it lies behind the
one before, times four, plus how often the term stands in it: 0 once in its own text, 1 once in its context, 2 once in each, 3 as
the number behind says. What a page holds is rewritten together, so it is small; a term of many documents has several pages.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

MOST_OFTEN = 2**6 - 1
"""A term that stands in a document more often is counted so often."""

_MOST_BYTES, _CUT_BYTES, _LEAST_BYTES = 2_600, 1_950, 700
"""A larger page is cut into pages of about the second size; a smaller one than the third is joined with the next."""

_LONG = 1_900
"""Bytes of a list that is cut over pages of its own."""

_TERM, _DOCUMENT, _OFTEN = 44, 12, 6
"""By how many bits the parts of an entry are shifted: the number of its term, its document, how often it stands there; then how often
in the document's own text."""

_BY_OFTEN = np.repeat(np.arange(MOST_OFTEN + 1), np.arange(1, MOST_OFTEN + 2))
_BY_OWN = np.concatenate([np.arange(often + 1) for often in range(MOST_OFTEN + 1)])
"""How often a term stands in a document, and in its own text, by the number that says both: once and once is 2, twice and never 3."""

_ENDS = np.dtype("<u2")
_TOLD = np.array([2, 1, 4, 0])
_KINDS = np.full(len(_BY_OFTEN), 3)
_KINDS[_TOLD[:3]] = range(3)
"""The numbers of how often that are told with the document: once in its own text, once in its context, once in each."""

_TOLD_BEHIND = 3
_GOES_ON = 128
"""The bit of a byte behind which the number goes on."""


class Page(NamedTuple):
    """A page as it is stored.

    Attributes:
        first_term: Its first term.
        begins: Its first document, where its only term's list began on a page before; else 0.
        terms: The bytes of its terms.
        lists: Where their lists end, and the lists.
    """

    first_term: str
    begins: int
    terms: bytes
    lists: bytes

    @property
    def words(self) -> list[str]:
        """Return the terms, in the order of their code points."""
        return terms_of(self.terms)


def terms_of(terms: bytes) -> list[str]:
    """Return the terms of a page."""
    return terms.decode()[1:-1].split("\0")


def list_of(term: str, terms: bytes, lists: bytes) -> bytes:
    """Return the list of a term in a page; empty where it has none there."""
    at = terms.find(b"\0%s\0" % term.encode())
    if at < 0:
        return b""
    number = terms.count(b"\0", 0, at)
    first = _ENDS.itemsize * (terms.count(b"\0", at) + number - 1)
    begins = int.from_bytes(lists[2 * number - 2 : 2 * number], "little") if number else 0
    return lists[first + begins : first + int.from_bytes(lists[2 * number : 2 * number + 2], "little")]


def lists_of(pages: Sequence[Page], terms: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Yield of each term its place in ``terms``, and its list; again where that goes on in another of ``pages``, which are in order."""
    firsts = [page.first_term for page in pages]
    for number, term in enumerate(terms):
        end = bisect_right(firsts, term)
        if end:
            for page in pages[bisect_left(firsts, firsts[end - 1]) : end]:
                yield number, list_of(term, page.terms, page.lists)


def told_how_often(often: int, own: int) -> int:
    """Return the number that says how often a term stands in a document, and how often in its own text."""
    return often * (often + 1) // 2 + own


def read_how_often(told: Integers) -> tuple[Integers, Integers]:
    """Return how often a term stands in a document, and how often in its own text, of numbers that say both (n,)."""
    return _BY_OFTEN[told], _BY_OWN[told]


def packed(terms: Integers, documents: Integers, often: Integers, own: Integers) -> Integers:
    """Return entries as numbers, which sort by term and document: of the numbers of terms, documents, and how often (n,)."""
    return terms << _TERM | documents << _DOCUMENT | often << _OFTEN | own


def unpacked(entries: Integers) -> tuple[Integers, Integers, Integers, Integers]:
    """Return terms' numbers, documents, how often the term stands in each, and how often in its own text (n,)."""
    return (
        entries >> _TERM,
        (entries >> _DOCUMENT) & (2**32 - 1),
        (entries >> _OFTEN) & MOST_OFTEN,
        entries & MOST_OFTEN,
    )


def cut(entries: Integers, number: int) -> tuple[Integers, Integers]:
    """Return the entries, sorted, of the terms before a number, and those behind with the numbers of their terms from 0 on."""
    place = int(np.searchsorted(entries, number << _TERM))
    return entries[:place], entries[place:] - (number << _TERM)


def added_up(entries: Integers) -> Integers:
    """Return entries sorted, each term and document once: how often they say is added."""
    entries = np.sort(entries, kind="stable")
    pairs = entries >> _DOCUMENT
    is_first = np.ones(len(entries), bool)
    is_first[1:] = pairs[1:] != pairs[:-1]
    if is_first.all():
        return entries
    begins = np.flatnonzero(is_first)
    often = np.minimum(np.add.reduceat((entries >> _OFTEN) & MOST_OFTEN, begins), MOST_OFTEN)
    own = np.minimum(np.add.reduceat(entries & MOST_OFTEN, begins), MOST_OFTEN)
    return pairs[begins] << _DOCUMENT | often << _OFTEN | own


def read_lists(lists: Sequence[bytes]) -> Integers:
    """Return the entries of lists; the number of a list stands for its term (n,), sorted."""
    return _entries(b"".join(lists), np.cumsum([len(each) for each in lists], dtype=np.int64))


def _entries(written: bytes, ends: Integers) -> Integers:
    """Return the entries of lists that lie behind each other and end there (n,)."""
    data = np.frombuffer(written, np.uint8)
    if not len(data):
        return np.empty(0, np.int64)
    lasts = np.flatnonzero(data < _GOES_ON)
    begins = np.concatenate([[0], lasts[:-1] + 1])
    values = (data[begins] & 127).astype(np.int64)
    widths = lasts - begins
    for place in range(1, int(widths.max()) + 1):
        longer = np.flatnonzero(widths >= place)
        values[longer] |= (data[begins[longer] + place] & 127).astype(np.int64) << 7 * place
    says = np.zeros(len(values), bool)  # whether it says how often the one before stands
    says[1:] = (values[:-1] & 3) == _TOLD_BEHIND
    entries = np.flatnonzero(~says)
    kinds = values[entries] & 3
    counts = _TOLD[kinds]
    told = np.flatnonzero(kinds == _TOLD_BEHIND)
    counts[told] = values[entries[told] + 1] >> 2
    terms = np.searchsorted(ends, begins[entries], "right")
    documents = np.cumsum(values[entries] >> 2)
    firsts = np.flatnonzero(np.diff(terms, prepend=-1))
    before = np.concatenate([[0], documents[firsts[1:] - 1]])
    documents -= np.repeat(before, np.diff(np.append(firsts, len(entries))))
    return packed(terms, documents, *read_how_often(counts))


def read_pages(pages: Sequence[Page]) -> tuple[list[str], Integers]:
    """Return the terms of pages that follow on each other, in order, and their entries (n,), sorted."""
    terms: list[str] = []
    numbers: list[int] = []
    for page in pages:
        if page.begins == 0:
            words = page.words
            numbers += range(len(terms), len(terms) + len(words))
            terms += words
        else:
            numbers.append(len(terms) - 1)
    entries, _ = _of_pages(pages)
    return terms, renumbered(entries, np.array(numbers, np.int64))


def _of_pages(pages: Sequence[Page]) -> tuple[Integers, Integers]:
    """Return the entries of pages, by the numbers of their lists (n,), and how many lists each page has (pages,)."""
    counts = [page.terms.count(b"\0") - 1 for page in pages]
    heads = [_ENDS.itemsize * count for count in counts]
    told = b"".join(page.lists[head:] for page, head in zip(pages, heads, strict=True))
    ends = np.frombuffer(b"".join(page.lists[:head] for page, head in zip(pages, heads, strict=True)), _ENDS)
    sizes = [len(page.lists) - head for page, head in zip(pages, heads, strict=True)]
    before = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, np.int64)
    return _entries(told, ends.astype(np.int64) + np.repeat(before, counts)), np.array(counts, np.int64)


def merged(pages: Sequence[Page], terms: Sequence[str], entries: Integers) -> list[Page]:
    """Return pages with more entries.

    Args:
        pages: Pages that follow on each other, in order.
        terms: The terms of the entries.
        entries: What is added; the number of a term is its place in ``terms`` (n,).
    """
    there, before = read_pages(pages)
    every = sorted({*there, *terms})
    number = {term: place for place, term in enumerate(every)}
    both = [
        renumbered(before, np.array([number[each] for each in there], np.int64)),
        renumbered(entries, np.array([number[each] for each in terms], np.int64)),
    ]
    begun = [number[page.first_term] for page in pages if page.begins == 0]
    return list(_written(every, added_up(np.concatenate(both)), begun))


def without(pages: Sequence[Page], documents: Integers) -> list[Page]:
    """Return pages that follow on each other without documents (n,)."""
    terms, entries = read_pages(pages)
    kept = entries[~np.isin((entries >> _DOCUMENT) & (2**32 - 1), documents)]
    present = np.unique(kept >> _TERM)
    number = np.zeros(len(terms), np.int64)
    number[present] = np.arange(len(present))
    left = [terms[each] for each in present.tolist()]
    places = {term: place for place, term in enumerate(left)}
    begun = [places[each.first_term] for each in pages if each.begins == 0 and each.first_term in places]
    return list(_written(left, renumbered(kept, number), begun))


def holding(pages: Sequence[Page], documents: Integers) -> list[Page]:
    """Return those of pages that name one of documents (n,)."""
    entries, counts = _of_pages(pages)
    found = np.isin((entries >> _DOCUMENT) & (2**32 - 1), documents)
    lists = np.unique(entries[found] >> _TERM)
    return [pages[each] for each in np.unique(np.searchsorted(np.cumsum(counts), lists, "right")).tolist()]


def renumbered(entries: Integers, numbers: Integers) -> Integers:
    """Return entries with other numbers for their terms: of each number of before the new one (n,)."""
    if not len(entries):
        return entries
    renamed: Integers = numbers[entries >> _TERM] << _TERM | entries & ((1 << _TERM) - 1)
    return renamed


def _written(terms: Sequence[str], entries: Integers, begun: Iterable[int]) -> Iterator[Page]:
    """Yield the pages of entries, sorted, of which each term has one; where pages began before they begin, if they are not too large."""
    if not len(entries):
        return
    lists = _lists(entries)
    encoded = [term.encode() for term in terms]
    sizes = [
        len(lists[each]) + len(encoded[each]) + 3 if len(lists[each]) <= _LONG else None
        for each in range(len(terms))
    ]
    for first, last in _cuts(sizes, {*begun}):
        if sizes[first] is None:
            begin, end = np.searchsorted(entries, [first << _TERM, (first + 1) << _TERM]).tolist()
            yield from _long(terms[first], entries[begin:end])
        else:
            yield _page(terms[first], 0, encoded[first:last], lists[first:last])


def _page(first_term: str, begins: int, terms: Sequence[bytes], lists: Sequence[bytes]) -> Page:
    ends = np.cumsum([len(each) for each in lists]).astype(_ENDS).tobytes()
    return Page(first_term, begins, b"\0%s\0" % b"\0".join(terms), ends + b"".join(lists))


def _cuts(sizes: Sequence[int | None], begun: set[int]) -> Iterator[tuple[int, int]]:
    """Yield from where to where pages go: terms' numbers. A term without a size is alone."""
    start, held = 0, 0
    for place, size in enumerate([*sizes, None]):
        if size is None or (place in begun and held >= _LEAST_BYTES):
            yield from _even(start, place, sizes)
            start, held = place, 0
        if size is not None:
            held += size
        elif place < len(sizes):
            yield place, place + 1
            start = place + 1


def _even(start: int, end: int, sizes: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield the cuts of terms that fit a page, or several of about the same size."""
    if start == end:
        return
    reached = np.cumsum([size or 0 for size in sizes[start:end]])
    total = int(reached[-1])
    pages = 1 if total <= _MOST_BYTES else -(-total // _CUT_BYTES)
    bounds = np.searchsorted(reached, [total * each / pages for each in range(1, pages)], "right") + start
    places = sorted({start, *bounds.tolist(), end})
    yield from pairwise(places)


def _lists(entries: Integers) -> list[bytes]:
    """Return the list of each term of entries, sorted, whose terms' numbers have no gaps."""
    return _encoded(entries, np.flatnonzero(np.diff(entries >> _TERM, prepend=-1)))


def _long(term: str, entries: Integers) -> Iterator[Page]:
    """Yield the pages of a term's entries; where they are cut depends on what stands before alone, so that the last one grows."""
    values, counts = _values(entries, np.zeros(1, np.int64))
    reached = np.cumsum(_widths(values) + np.where(counts >= 0, _widths(np.maximum(counts, 0)), 0))
    firsts = np.flatnonzero(np.diff((reached - reached[0]) // _LONG, prepend=-1))
    documents = unpacked(entries[firsts])[1].tolist()
    for place, part in enumerate(_encoded(entries, firsts)):
        yield _page(term, documents[place] if place else 0, [term.encode()], [part])


def _values(entries: Integers, firsts: Integers) -> tuple[Integers, Integers]:
    """Return of each entry the number that tells its document, and the number that tells how often, or -1."""
    _, documents, often, own = unpacked(entries)
    gaps = np.diff(documents, prepend=0)
    gaps[firsts] = documents[firsts]
    told = often * (often + 1) // 2 + own
    kinds = _KINDS[told]
    return gaps << 2 | kinds, np.where(kinds == _TOLD_BEHIND, told << 2, -1)


def _widths(values: Integers) -> Integers:
    """Return how many bytes each value takes."""
    widths = np.ones(len(values), np.int64)
    for place in range(1, 5):
        widths += values >= 1 << 7 * place
    return widths


def _encoded(entries: Integers, firsts: Integers) -> list[bytes]:
    """Return the lists of entries: one begins at each of ``firsts``."""
    values, counts = _values(entries, firsts)
    both = np.stack([values, counts], axis=1).ravel()
    is_there = both >= 0
    numbers = both[is_there]
    widths = _widths(numbers)
    ends = np.cumsum(widths)
    data = np.zeros(int(ends[-1]), np.uint8)
    begins = ends - widths
    for place in range(int(widths.max())):
        longer = np.flatnonzero(widths > place)
        more = np.where(widths[longer] > place + 1, _GOES_ON, 0)
        data[begins[longer] + place] = (numbers[longer] >> 7 * place) & 127 | more
    at = np.append(begins[(np.cumsum(is_there) - 1)[2 * firsts]], len(data)).tolist()
    told = data.tobytes()
    return [told[begin:end] for begin, end in pairwise(at)]
