"""A user's lexical index: which terms stand in which documents. Never: what a term is; a score.

What was indexed last waits in rows of ``postings``: a term's in a block of 1,024 documents, eight bytes each, sorted: 10 bits of
the document's place in the block, 6 of how often the term stands in it, 6 of how often in its own text, 15 each of how many terms
it has and how many its own text has. The rest is in pages (``posting_pages``). A term may stand in both for one document, as
what is said next adds to the context of what was said before: then it counts as often as both say.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np
from asyncpg import Record

from recollect.model import Lexicon, Occurrences
from recollect.postgres.paging import (
    BLOCK,
    ENTRY,
    OFTEN,
    OWN,
    PLACE,
    lengths_of,
    paged,
    remove_from_pages,
    remove_of_terms,
    waiting_of,
)
from recollect.postgres.pool import Connection
from recollect.postgres.posting_pages import (
    MOST_OFTEN,
    Integers,
    Page,
    added_up,
    lists_of,
    read_lists,
    renumbered,
    terms_of,
    unpacked,
)
from recollect.postgres.sql import SQL
from recollect.text.lexical import document_terms

_LONGEST = 2**15 - 1
_LENGTH = 15
"""By how many bits the length of a document is shifted; that of its own text is not."""

_LAST_CHARACTER = chr(0x10FFFF)
"""No term that begins with some letters stands behind them and this one, in the order of code points."""


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
    numbers = {term: number for number, term in enumerate(dict.fromkeys(terms))}
    size: Record | None = None
    waiting: list[tuple[int, int, bytes]] = []
    pages: list[Page] = []
    lengths: list[tuple[int, bytes]] = []
    for row in await connection.fetch(SQL["lexicon"], user_id, list(numbers)):
        term, number, entries, page = row["term"], row["number"], row["entries"], row["page"]
        if page is not None:
            pages.append(Page(term, number, page, entries))
        elif term is not None:
            waiting.append((numbers[term], number, entries))
        elif entries is not None:
            lengths.append((number, entries))
        else:
            size = row
    if size is None:
        return Lexicon()
    found, known = _together(waiting, list(lists_of(sorted(pages), list(numbers))), lengths)
    mean = max(1.0, size["terms"] / max(1, size["documents"]))
    return Lexicon(size["documents"], mean, _occurrences(list(numbers), found, known, size["hidden"]))


def _together(
    waiting: Sequence[tuple[int, int, bytes]],
    lists: Sequence[tuple[int, bytes]],
    lengths: Sequence[tuple[int, bytes]],
) -> tuple[Integers, Integers]:
    """Return the entries of terms by their numbers (n,), sorted, and how long each document is, two numbers in one (n,)."""
    numbers = np.array([number for number, _ in lists], np.int64)
    in_pages = renumbered(read_lists([each for _, each in lists]), numbers)
    entries = waiting_of(waiting)
    documents = np.concatenate([entries.documents, unpacked(in_pages)[1]])
    known = lengths_of(lengths, int(documents.max()) + 1 if len(documents) else 0)
    if waiting:
        known[entries.documents] = entries.lengths
        in_pages = added_up(np.concatenate([in_pages, entries.entries]))
    return in_pages, known


def _occurrences(
    terms: Sequence[str], entries: Integers, lengths: Integers, hidden: Sequence[int]
) -> dict[str, Occurrences]:
    numbers, documents, often, own = unpacked(entries)
    if hidden:
        found = ~np.isin(documents, np.array(hidden, np.int64))
        numbers, documents, often, own = (each[found] for each in (numbers, documents, often, own))
    length = lengths[documents]
    columns = (documents, often, own, length >> _LENGTH, length & _LONGEST)
    ends = np.searchsorted(numbers, np.arange(len(terms) + 1)).tolist()
    return {
        term: Occurrences(*(each[begin:end] for each in columns))
        for term, begin, end in zip(terms, ends[:-1], ends[1:], strict=True)
        if begin < end
    }


async def read_vocabulary(
    connection: Connection, user_id: str, prefixes: Sequence[str], *, lengths: range, limit: int
) -> list[str]:
    """Return terms of the user's index that begin with one of ``prefixes`` and have a length in ``lengths``.

    Where they are too many, those that begin with more of the letters come first, then those nearest in length.
    """
    ends = [prefix + _LAST_CHARACTER for prefix in prefixes]
    rows = await connection.fetch(SQL["vocabulary"], user_id, list(prefixes), ends)
    begin, found = tuple(prefixes), set[str]()
    for row in rows:
        terms = [row["term"]] if row["page"] is None else terms_of(row["page"])
        found.update(term for term in terms if len(term) in lengths and term.startswith(begin))
    if len(found) <= limit:
        return list(found)
    middle = lengths[0] + lengths[-1]

    def order(term: str) -> tuple[int, int, str]:
        begun = max(len(each) for each in prefixes if term.startswith(each))
        return -begun, abs(2 * len(term) - middle), term

    return sorted(found, key=order)[:limit]


async def number_documents(connection: Connection, user_id: str, lengths: Sequence[int]) -> range:
    """Give numbers to new documents of the user, of that many terms each."""
    first: int = await connection.fetchval(SQL["number_documents"], user_id, len(lengths), sum(lengths))
    return range(first, first + len(lengths))


async def add_postings(connection: Connection, user_id: str, documents: Iterable[Document]) -> None:
    """Index documents of the user; terms of one that has them already are counted on."""
    added: dict[tuple[str, int], dict[int, _Posting]] = {}
    for document in documents:
        block, place = divmod(document.number, BLOCK)
        for term, posting in document.entries():
            added.setdefault((term, block), {})[place] = posting
    if not added:
        return
    stored = await _entries(connection, user_id, added)
    blocks = {key: _merged(stored.get(key, b""), places) for key, places in added.items()}
    await _write(connection, user_id, blocks)


async def remove_postings(connection: Connection, user_id: str, document: Document) -> None:
    """Take a document of the user from the index."""
    block, place = divmod(document.number, BLOCK)
    stored = await _entries(connection, user_id, [(term, block) for term in document.terms])
    await _leave(connection, user_id, stored, {block: [place]})
    if await paged(connection, user_id, [document.number]):
        await remove_of_terms(connection, user_id, document.number, document.terms)
    await connection.execute(SQL["discount_documents"], user_id, 1, document.length)


async def purge_postings(
    connection: Connection, user_id: str, documents: Sequence[int], *, later: bool = False
) -> None:
    """Leave no trace of documents of the user that are hidden already, whatever terms they have.

    That reads all postings of the blocks they are in, and all pages: it is done when a chat is erased, or an index is
    read anew, and else never.

    Args:
        connection: In a transaction that alone changes what the user has.
        user_id: Whose.
        documents: Which.
        later: Whether the background takes them out of the pages; until then they are found no more.
    """
    places: dict[int, list[int]] = {}
    for document in documents:
        block, place = divmod(document, BLOCK)
        places.setdefault(block, []).append(place)
    rows = await connection.fetch(SQL["postings_of_blocks"], user_id, list(places))
    await _leave(connection, user_id, {(row["term"], row["block"]): row["entries"] for row in rows}, places)
    if not later:
        await remove_from_pages(connection, user_id, documents)
    elif named := await paged(connection, user_id, documents):
        await connection.execute(SQL["note_removals"], user_id, named)


async def _leave(
    connection: Connection,
    user_id: str,
    stored: Mapping[tuple[str, int], bytes],
    places: Mapping[int, Sequence[int]],
) -> None:
    """Write rows without some places of their blocks, and delete those of which nothing is left."""
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
    entries: dict[int, int] = {entry >> PLACE: entry for entry in np.frombuffer(stored, ENTRY).tolist()}
    for place, new in places.items():
        old = entries.get(place, 0)
        often = min(new.often + ((old >> OFTEN) & MOST_OFTEN), MOST_OFTEN)
        own = min(new.own + ((old >> OWN) & MOST_OFTEN), MOST_OFTEN)
        lengths = min(new.length, _LONGEST) << _LENGTH | min(new.own_length, _LONGEST)
        entries[place] = place << PLACE | often << OFTEN | own << OWN | lengths
    return np.array([entries[place] for place in sorted(entries)], ENTRY).tobytes()


def _without(stored: bytes, places: Sequence[int]) -> bytes:
    entries = np.frombuffer(stored, ENTRY)
    left: bytes = entries[~np.isin(entries >> PLACE, np.array(places, ENTRY))].tobytes()
    return left
