"""Memories and passages as a store hands them to a snapshot. Never: a test."""

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from tests.support.terms import document_of

from recollect.index import Document, Embedded, Items, StoredMemories, StoredPassages
from recollect.model import Memory, Passage


def stored_memory(
    memory: Memory, words: Document | None = None, vectors: Embedded | None = None
) -> StoredMemories:
    """Return one memory, with the terms of its content."""
    names = "id kind source session_id content importance observed_at event_at holds_from holds_until use topics questions expires_at"
    row: dict[str, Any] = {name: getattr(memory, name) for name in names.split()}
    row |= {"evidence": memory.provenance.evidence, "extractor": memory.provenance.extractor}
    words = document_of(memory.content) if words is None else words
    return StoredMemories([row], Items([memory]), [words], [vectors], [None])


def stored_passage(document: int, passage: Passage, vectors: Embedded | None = None) -> StoredPassages:
    """Return one passage, with the number of its document and the terms of its content."""
    names = "id part session_id speaker role content code pasted changed_at"
    row: dict[str, Any] = {name: getattr(passage, name) for name in names.split()}
    row |= {"document": document, "created_at": passage.said_at}
    row |= {name: getattr(passage.statement, name, None) for name in ("self_share", "lists", "words")}
    words = document_of(passage.content)
    return StoredPassages([row], Items([passage]), [words], [vectors])


def memories_of(stored: Sequence[StoredMemories]) -> StoredMemories:
    """Return several as one."""
    return StoredMemories(*_columns(stored, len(StoredMemories._fields)))


def passages_of(stored: Sequence[StoredPassages]) -> StoredPassages:
    """Return several as one."""
    return StoredPassages(*_columns(stored, len(StoredPassages._fields)))


def _columns(stored: Sequence[Sequence[Any]], count: int) -> list[Any]:
    rows, items, *others = ([*chain.from_iterable(map(itemgetter(n), stored))] for n in range(count))
    return [rows, Items(items), *others]
