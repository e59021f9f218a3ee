"""The terms by which a text is found, and those a question looks for. Never: scores, storage."""

from collections import Counter
from itertools import islice

from recollect.text.lexical.chunk_words import ChunkWords, chunk_words
from recollect.text.lexical.languages import language_of, word_terms
from recollect.text.patterns import bounded

MOST_CHARACTERS = 100_000
"""What is read of a text: a whole book is not what somebody said."""
MOST_TERMS = 2_000
"""Distinct terms of one text; its first ones are kept."""
MOST_QUERY_TERMS = 32
"""Distinct terms of a question: a pasted page must not become a question of thousands."""

_VOTING_CHUNKS = 500
"""Distinct words that tell a text's language: more would say the same."""

_LONGEST_CHUNK = 1_000
"""Characters of the longest run without spaces that is read in one: what repeats in a longer one is read once."""

_CUT = bounded(rf".{{1,{_LONGEST_CHUNK}}}\b|.{{1,{_LONGEST_CHUNK}}}", longest=2 * _LONGEST_CHUNK + 2)
"""A run without spaces up to where it is cut: between words if it can be."""


def document_terms(text: str) -> dict[str, int]:
    """Return the terms of ``text`` and how often it holds each, in order of appearance.

    At most `MOST_TERMS`, each of at most 64 characters, without NUL and lone surrogates, so that
    Postgres can hold them. Linear in the text, of which the first `MOST_CHARACTERS` are read.
    """
    chunks = Counter(_chunks(text))
    readings = {chunk: chunk_words(chunk) for chunk in islice(chunks, _VOTING_CHUNKS)}
    language = language_of({word for reading in readings.values() for word in reading.words})
    counts: dict[str, int] = {}
    for chunk, times in chunks.items():
        for term in _terms(readings.get(chunk) or chunk_words(chunk), language):
            counts[term] = counts.get(term, 0) + times
        if len(counts) >= MOST_TERMS:
            break
    return dict(islice(counts.items(), MOST_TERMS))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of the question ``text``, in order of appearance.

    They are terms that `document_terms` gives for the same text. Of more than `MOST_QUERY_TERMS` the
    most telling stay: identifiers and numbers, then long words. A question of stop words has none.
    """
    terms = tuple(document_terms(text))
    if len(terms) <= MOST_QUERY_TERMS:
        return terms
    telling = set(sorted(terms, key=lambda term: (term.isalpha(), -len(term)))[:MOST_QUERY_TERMS])
    return tuple(term for term in terms if term in telling)


def identifiers(text: str) -> frozenset[str]:
    """Return the identifiers of code in ``text``, in folded case: none in ordinary prose."""
    return frozenset().union(*(chunk_words(chunk).identifiers for chunk in dict.fromkeys(_chunks(text))))


def _chunks(text: str) -> list[str]:
    """Return the pieces of ``text`` between spaces, the longest cut."""
    pieces = text[:MOST_CHARACTERS].split()
    if max(map(len, pieces), default=0) <= _LONGEST_CHUNK:
        return pieces
    return [cut for piece in pieces for cut in _CUT.findall(piece)]


def _terms(reading: ChunkWords, language: str) -> list[str]:
    terms = list(reading.exact)
    for word in reading.words + reading.parts:
        terms += word_terms(language, word)
    return terms
