"""How documents that wait for their pages are written and read. Pure.

A document that waits holds the bytes of its terms, NUL before, between and behind them, and of each two bytes that say how often it stands
there.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from recollect.postgres.posting_pages import MOST_OFTEN, Integers, packed, read_how_often, told_how_often

LONGEST = 2**15 - 1
LENGTH = 15
"""By how many bits the length of a document is shifted; that of its own text is not."""

_COUNT = np.dtype("<u2")


@dataclass(frozen=True, slots=True)
class Document:
    """What stands in a document, or is added to it.

    Attributes:
        number: Among the user's documents.
        terms: How often each term stands in its own text.
        context: How often each stands in its context.
        length: How many terms it has.
        own_length: How many its own text has.
    """

    number: int
    terms: Mapping[str, int]
    context: Mapping[str, int]
    length: int
    own_length: int


class WaitingDocument(NamedTuple):
    """A document as it waits.

    Attributes:
        document: Its number.
        lengths: How long it is: two numbers in one.
        terms: The bytes of its terms.
        counts: How often each stands in it.
    """

    document: int
    lengths: int
    terms: bytes
    counts: bytes


class Postings(NamedTuple):
    """Entries as pages have them, of terms by their place in a list, in no order (n,).

    Attributes:
        entries: The entries.
        documents: The document of each.
        lengths: How long that document is: two numbers in one.
    """

    entries: Integers
    documents: Integers
    lengths: Integers


def waiting(document: Document, before: WaitingDocument | None = None) -> WaitingDocument:
    """Return a document as it waits; terms that it has already are counted on."""
    held = {} if before is None else {term: (often, own) for term, often, own in _terms(before)}
    for term in document.terms.keys() | document.context.keys():
        own = document.terms.get(term, 0)
        counted = held.get(term, (0, 0))
        often = counted[0] + own + document.context.get(term, 0)
        held[term] = min(often, MOST_OFTEN), min(counted[1] + own, MOST_OFTEN)
    lengths = min(document.length, LONGEST) << LENGTH | min(document.own_length, LONGEST)
    terms = b"\0%s\0" % "\0".join(held).encode()
    counts = [told_how_often(often, own) for often, own in held.values()]
    return WaitingDocument(document.number, lengths, terms, np.array(counts, _COUNT).tobytes())


def _terms(document: WaitingDocument) -> Iterable[tuple[str, int, int]]:
    often, own = read_how_often(np.frombuffer(document.counts, _COUNT).astype(np.int64))
    return zip(document.terms.decode()[1:-1].split("\0"), often.tolist(), own.tolist(), strict=True)


def read_waiting(documents: Sequence[WaitingDocument]) -> tuple[list[str], Postings]:
    """Return the terms of documents that wait, and all their entries."""
    numbers: dict[str, int] = {}
    terms = [
        numbers.setdefault(term, len(numbers))
        for each in documents
        for term in each.terms.decode()[1:-1].split("\0")
    ]
    counts = np.frombuffer(b"".join(each.counts for each in documents), _COUNT).astype(np.int64)
    sizes = [len(each.counts) // _COUNT.itemsize for each in documents]
    named = np.repeat(np.array([each.document for each in documents], np.int64), sizes)
    lengths = np.repeat(np.array([each.lengths for each in documents], np.int64), sizes)
    entries = packed(np.array(terms, np.int64), named, *read_how_often(counts))
    return list(numbers), Postings(entries, named, lengths)


def find_waiting(documents: Sequence[WaitingDocument], terms: Sequence[str]) -> Postings:
    """Return the entries of some terms in documents that wait."""
    every = b"".join(each.terms for each in documents)
    begins = list(accumulate((len(each.terms) for each in documents), initial=0))
    found: list[tuple[int, int, int, int]] = []
    for number, term in enumerate(terms):
        wanted = b"\0%s\0" % term.encode()
        at = every.find(wanted)
        while at >= 0:
            place = bisect_right(begins, at) - 1
            document = documents[place]
            which = 2 * every.count(b"\0", begins[place], at)
            told = int.from_bytes(document.counts[which : which + 2], "little")
            found.append((number, document.document, told, document.lengths))
            at = every.find(wanted, at + len(wanted) - 1)
    numbers, named, counts, lengths = np.array(found, np.int64).reshape(-1, 4).T
    return Postings(packed(numbers, named, *read_how_often(counts)), named, lengths)
