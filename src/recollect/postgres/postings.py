"""A user's lexical index: which terms stand in which documents. Never: what a term is; a score.

What was indexed last waits as documents (``waiting_postings``); the background merges them into pages (``posting_pages``, ``paging``). A term may
stand in both for one document, as what is said next adds to the context of what was said before: then it counts as often as both say.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import numpy as np
from asyncpg import Record

from recollect.model import Lexicon, Occurrences
from recollect.postgres.paging import (
    MOST_WAITING,
    lengths_of,
    paged,
    remove_from_pages,
    remove_of_terms,
)
from recollect.postgres.pool import Connection
from recollect.postgres.posting_pages import (
    Integers,
    Page,
    added_up,
    lists_of,
    read_lists,
    renumbered,
    terms_of,
    unpacked,
)
from recollect.postgres.queue import enqueue
from recollect.postgres.sql import SQL
from recollect.postgres.waiting_postings import (
    LENGTH,
    LONGEST,
    Document,
    WaitingDocument,
    find_waiting,
    waiting,
)
from recollect.text.lexical import document_terms

_LAST_CHARACTER = chr(0x10FFFF)
"""No term that begins with some letters stands behind them and this one, in the order of code points."""

_MUCH = 65_536
"""Bytes of the index from which on they are read in a thread: some milliseconds."""


async def read_lexicon(connection: Connection, user_id: str, terms: Sequence[str]) -> Lexicon:
    """Return what of the user's index concerns ``terms``."""
    wanted = list(dict.fromkeys(terms))
    kinds: dict[str, list[Record]] = {}
    for row in await connection.fetch(SQL["lexicon"], user_id, wanted):
        kinds.setdefault(row["kind"], []).append(row)
    if "size" not in kinds:
        return Lexicon()
    [size] = kinds["size"]
    mean = max(1.0, size["terms"] / max(1, size["documents"]))

    def occurring() -> dict[str, Occurrences]:
        return _occurrences(wanted, *_together(wanted, kinds), size["hidden"])

    read = sum(len(row["words"] or b"") + len(row["told"] or b"") for rows in kinds.values() for row in rows)
    # The event loop carries everybody's answers: what takes milliseconds is read in a thread.
    found = await asyncio.to_thread(occurring) if read > _MUCH else occurring()
    return Lexicon(size["documents"], mean, found)


def _together(terms: Sequence[str], rows: Mapping[str, Sequence[Record]]) -> tuple[Integers, Integers]:
    """Return the entries of terms by their numbers (n,), sorted, and how long each document is, two numbers in one (n,)."""
    lists = [
        each
        for level in ("old page", "new page")
        for each in lists_of(sorted(map(_page_of, rows.get(level, ()))), terms)
    ]
    in_pages = renumbered(
        read_lists([told for _, told in lists]), np.array([each for each, _ in lists], np.int64)
    )
    others = [find_waiting([_waiting_of(row) for row in rows["waiting"]], terms)] if "waiting" in rows else []
    documents = np.concatenate([unpacked(in_pages)[1], *(each.documents for each in others)])
    known = [(row["number"], row["told"]) for row in rows.get("lengths", ())]
    lengths = lengths_of(known, int(documents.max()) + 1 if len(documents) else 0)
    for each in others:
        lengths[each.documents] = each.lengths
    return added_up(np.concatenate([in_pages, *(each.entries for each in others)])), lengths


def _page_of(row: Record) -> Page:
    return Page(row["term"], row["number"], row["words"], row["told"])


def _waiting_of(row: Record) -> WaitingDocument:
    return WaitingDocument(row["number"], row["lengths"], row["words"], row["told"])


def _occurrences(
    terms: Sequence[str], entries: Integers, lengths: Integers, hidden: Sequence[int]
) -> dict[str, Occurrences]:
    numbers, documents, often, own = unpacked(entries)
    if hidden:
        found = ~np.isin(documents, np.array(hidden, np.int64))
        numbers, documents, often, own = (each[found] for each in (numbers, documents, often, own))
    length = lengths[documents]
    columns = (documents, often, own, length >> LENGTH, length & LONGEST)
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
        terms = terms_of(row["words"])
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
    added: dict[int, WaitingDocument] = {}
    given = [document for document in documents if document.terms or document.context]
    for row in await connection.fetch(SQL["waiting_of_documents"], user_id, [each.number for each in given]):
        added[row["document"]] = WaitingDocument(*row)
    for document in given:
        added[document.number] = waiting(document, added.get(document.number))
    if added:
        columns = map(list, zip(*added.values(), strict=True))
        await connection.execute(SQL["write_waiting"], user_id, *columns)


async def remove_postings(connection: Connection, user_id: str, document: Document) -> None:
    """Take a document of the user from the index."""
    await connection.execute(SQL["delete_waiting"], user_id, [document.number])
    if await paged(connection, user_id, [document.number]):
        await remove_of_terms(connection, user_id, document.number, document.terms)
    await connection.execute(SQL["discount_documents"], user_id, 1, document.length)


async def purge_postings(
    connection: Connection, user_id: str, documents: Sequence[int], *, later: bool = False
) -> None:
    """Leave no trace of documents of the user that are hidden already, whatever terms they have.

    That reads all pages: it is done when a chat is erased, or an index is
    read anew, and else never.

    Args:
        connection: In a transaction that alone changes what the user has.
        user_id: Whose.
        documents: Which.
        later: Whether the background takes them out of the pages; until then they are found no more.
    """
    await connection.execute(SQL["delete_waiting"], user_id, documents)
    if not later:
        # What was noted before may be of the same chat: nothing tells that any more.
        rows = await connection.fetch(SQL["posting_removals"], user_id, None)
        noted = [row["document"] for row in rows]
        await remove_from_pages(connection, user_id, [*documents, *noted])
        await connection.execute(SQL["delete_removals"], user_id, noted)
    elif named := await paged(connection, user_id, documents):
        await connection.execute(SQL["note_removals"], user_id, named)


async def index_memory(connection: Connection, user_id: str, memory_id: UUID, content: str) -> None:
    """Make a memory that the user sees a document of theirs."""
    terms = document_terms(content)
    length = sum(terms.values())
    [number] = await number_documents(connection, user_id, [length])
    await add_postings(connection, user_id, [Document(number, terms, {}, length, length)])
    await connection.execute(SQL["number_link"], user_id, memory_id, number)
    # Who says nothing, and is given memories, has no job that merges what waits.
    if (number + 1) % MOST_WAITING == 0:
        await enqueue(connection, [user_id])


async def unindex_memory(connection: Connection, user_id: str, memory_id: UUID) -> None:
    """Take a memory that the user still sees from their documents; nothing if it is none."""
    row = await connection.fetchrow(SQL["linked_document"], user_id, memory_id)
    if row is not None and row["document"] is not None:
        terms = document_terms(row["content"])
        length = sum(terms.values())
        await remove_postings(connection, user_id, Document(row["document"], terms, {}, length, length))
        await connection.execute(SQL["number_link"], user_id, memory_id, None)
