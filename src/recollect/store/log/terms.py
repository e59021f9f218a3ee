"""The format of a passage's terms in its row: a line for each term, and two bytes with its counts.

The first byte counts the passage with its context, the second its own text alone. A memory has no context.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from recollect.index import Document
from recollect.text.lexical import document_terms

TERMS_BY = 1
"""The version of the rules by which a memory's terms are read; to be raised with each change of them."""

_MOST = 255
"""A term's count in a passage ends there."""


def written_terms(terms: Mapping[str, int], context: Mapping[str, int]) -> tuple[str, bytes, int]:
    """Return the terms, their counts, and the number of terms with the context.

    Args:
        terms: The count of each term in the passage's own text.
        context: The count of each term in its context.
    """
    every = Counter(terms)
    every.update(context)
    pairs = [(min(often, _MOST), min(terms.get(term, 0), _MOST)) for term, often in every.items()]
    return "\n".join(every), np.array(pairs, np.uint8).tobytes(), every.total()


def read_terms(terms: str, counts: bytes, length: int) -> Document:
    """Return the terms of a passage or memory."""
    return Document(terms.split("\n") if terms else (), counts, length)


def terms_of_memory(content: str) -> tuple[str, bytes]:
    """Return the terms of a memory and their counts."""
    terms, counts, _ = written_terms(document_terms(content), {})
    return terms, counts


def read_terms_of_memory(content: str, terms: str | None, counts: bytes | None, by: int | None) -> Document:
    """Return the terms of a memory; from its content if the row has none, or terms by other rules."""
    if terms is None or counts is None or by != TERMS_BY:
        terms, counts = terms_of_memory(content)
    return read_terms(terms, counts, sum(counts[1::2]))


def with_context(terms: str, counts: bytes, added: Mapping[str, int]) -> tuple[str, bytes]:
    """Return the terms and counts of a passage whose context grew. Its length stays: only the beginning of an answer was added."""
    pairs = np.frombuffer(counts, np.uint8).reshape(-1, 2).tolist()
    held = dict(zip(terms.split("\n") if terms else (), map(tuple, pairs), strict=True))
    for term, more in added.items():
        often, own = held.get(term, (0, 0))
        held[term] = min(often + more, _MOST), own
    return "\n".join(held), np.array(list(held.values()), np.uint8).tobytes()
