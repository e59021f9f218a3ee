"""A user's lexical index: which terms stand in which documents. Never: what a term is; a score.

A block of postings holds 1,024 documents, eight bytes each, sorted: 10 bits of the document's place in
the block, 6 of how often the term stands in it, 6 of how often in its own text, 15 each of how many terms
it has and how many its own text has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from asyncpg import Record
from numpy.typing import NDArray

from recollect.model import Lexicon, Occurrences
from recollect.postgres.pool import Connection
from recollect.postgres.sql import SQL
from recollect.text.lexical import document_terms

_BLOCK = 1024
_MOST_OFTEN = 2**6 - 1
_LONGEST = 2**15 - 1
_ENTRY = np.dtype("<u8")
_PLACE, _OFTEN, _OWN, _LENGTH = 42, 36, 30, 15
"""By how many bits the parts of an entry are shifted; the length of the own text is not."""


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

    def entries(self) -> Iterator[tuple[str, "_Posting"]]:
        """Yield each term, and what is written of it."""
        for term in self.terms.keys() | self.context.keys():
            own = self.terms.get(term, 0)
            yield term, _Posting(own + self.context.get(term, 0), own, self.length, self.own_length)


class _Posting(NamedTuple):
    often: int
    own: int
    length: int
    own_length: int


async def read_lexicon(connection: Connection, user_id: str, terms: Sequence[str]) -> Lexicon:
    """Return what of the user's index concerns ``terms``."""
    blocks: dict[str | None, list[Record]] = {}
    for row in await connection.fetch(SQL["lexicon"], user_id, list(terms)):
        blocks.setdefault(row["term"], []).append(row)
    if None not in blocks:
        return Lexicon()
    [size] = blocks.pop(None)
    hidden = np.array(size["hidden"], np.int64)
    stand = {term: _occurrences(found, hidden) for term, found in blocks.items() if term is not None}
    occurrences = {term: found for term, found in stand.items() if len(found.documents)}
    return Lexicon(size["documents"], max(1.0, size["terms"] / max(1, size["documents"])), occurrences)


async def number_documents(connection: Connection, user_id: str, lengths: Sequence[int]) -> range:
    """Give numbers to new documents of the user, of that many terms each."""
    first: int = await connection.fetchval(SQL["number_documents"], user_id, len(lengths), sum(lengths))
    return range(first, first + len(lengths))


async def add_postings(connection: Connection, user_id: str, documents: Iterable[Document]) -> None:
    """Index documents of the user; terms of one that has them already are counted on."""
    added: dict[tuple[str, int], dict[int, _Posting]] = {}
    for document in documents:
        block, place = divmod(document.number, _BLOCK)
        for term, posting in document.entries():
            added.setdefault((term, block), {})[place] = posting
    if not added:
        return
    stored = await _entries(connection, user_id, added)
    blocks = {key: _merged(stored.get(key, b""), places) for key, places in added.items()}
    await _write(connection, user_id, blocks)


async def remove_postings(connection: Connection, user_id: str, document: Document) -> None:
    """Take a document of the user from the index."""
    block, place = divmod(document.number, _BLOCK)
    stored = await _entries(connection, user_id, [(term, block) for term in document.terms])
    left = {key: _without(entries, [place]) for key, entries in stored.items()}
    if emptied := [key for key, entries in left.items() if not entries]:
        await connection.execute(SQL["delete_postings"], user_id, *_columns(emptied))
    await _write(connection, user_id, {key: entries for key, entries in left.items() if entries})
    await connection.execute(SQL["discount_documents"], user_id, 1, document.length)


async def purge_postings(connection: Connection, user_id: str, documents: Sequence[int]) -> None:
    """Leave no trace of documents of the user that are hidden already, whatever terms they have.

    That reads all postings of the blocks they are in: it is done when a chat is erased, or an index is
    read anew, and else never.
    """
    places: dict[int, list[int]] = {}
    for document in documents:
        block, place = divmod(document, _BLOCK)
        places.setdefault(block, []).append(place)
    rows = await connection.fetch(SQL["postings_of_blocks"], user_id, list(places))
    stored = {(row["term"], row["block"]): row["entries"] for row in rows}
    left = {key: _without(entries, places[key[1]]) for key, entries in stored.items()}
    if emptied := [key for key, entries in left.items() if not entries]:
        await connection.execute(SQL["delete_postings"], user_id, *_columns(emptied))
    changed = {key: entries for key, entries in left.items() if entries and entries != stored[key]}
    await _write(connection, user_id, changed)


async def index_memory(connection: Connection, user_id: str, memory_id: UUID, content: str) -> None:
    """Make a memory that the user sees a document of theirs."""
    terms = document_terms(content)
    length = sum(terms.values())
    [number] = await number_documents(connection, user_id, [length])
    await add_postings(connection, user_id, [Document(number, terms, {}, length, length)])
    await connection.execute(SQL["number_link"], user_id, memory_id, number)


async def unindex_memory(connection: Connection, user_id: str, memory_id: UUID) -> None:
    """Take a memory that the user still sees from their documents; nothing if it is none."""
    row = await connection.fetchrow(SQL["linked_document"], user_id, memory_id)
    if row is not None and row["document"] is not None:
        terms = document_terms(row["content"])
        length = sum(terms.values())
        await remove_postings(connection, user_id, Document(row["document"], terms, {}, length, length))
        await connection.execute(SQL["number_link"], user_id, memory_id, None)


async def _entries(
    connection: Connection, user_id: str, keys: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], bytes]:
    rows = await connection.fetch(SQL["posting_blocks"], user_id, *_columns(keys))
    return {(row["term"], row["block"]): row["entries"] for row in rows}


async def _write(connection: Connection, user_id: str, blocks: Mapping[tuple[str, int], bytes]) -> None:
    if blocks:
        await connection.execute(SQL["write_postings"], user_id, *_columns(blocks), list(blocks.values()))


def _columns(keys: Iterable[tuple[str, int]]) -> tuple[list[str], list[int]]:
    pairs = list(keys)
    return [term for term, _ in pairs], [block for _, block in pairs]


def _merged(stored: bytes, places: Mapping[int, _Posting]) -> bytes:
    entries: dict[int, int] = {entry >> _PLACE: entry for entry in np.frombuffer(stored, _ENTRY).tolist()}
    for place, new in places.items():
        old = entries.get(place, 0)
        often = min(new.often + ((old >> _OFTEN) & _MOST_OFTEN), _MOST_OFTEN)
        own = min(new.own + ((old >> _OWN) & _MOST_OFTEN), _MOST_OFTEN)
        lengths = min(new.length, _LONGEST) << _LENGTH | min(new.own_length, _LONGEST)
        entries[place] = place << _PLACE | often << _OFTEN | own << _OWN | lengths
    return np.array([entries[place] for place in sorted(entries)], _ENTRY).tobytes()


def _without(stored: bytes, places: Sequence[int]) -> bytes:
    entries = np.frombuffer(stored, _ENTRY)
    left: bytes = entries[~np.isin(entries >> np.uint64(_PLACE), np.array(places, _ENTRY))].tobytes()
    return left


def _occurrences(blocks: Sequence[Record], hidden: NDArray[np.int64]) -> Occurrences:
    entries = np.concatenate([np.frombuffer(row["entries"], _ENTRY) for row in blocks]).astype(np.int64)
    counts = [len(row["entries"]) // _ENTRY.itemsize for row in blocks]
    documents = np.repeat([row["block"] * _BLOCK for row in blocks], counts) + (entries >> _PLACE)
    if len(hidden):
        found = ~np.isin(documents, hidden)
        documents, entries = documents[found], entries[found]
    return Occurrences(
        documents,
        (entries >> _OFTEN) & _MOST_OFTEN,
        (entries >> _OWN) & _MOST_OFTEN,
        (entries >> _LENGTH) & _LONGEST,
        entries & _LONGEST,
    )
