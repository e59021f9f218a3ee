"""The terms of texts as snapshots have them."""

from recollect.index import Document
from recollect.store.row_mapping import read_terms_of_memory


def document_of(content: str) -> Document:
    """Return the terms of a text without context."""
    return read_terms_of_memory(content, None, None, None)
