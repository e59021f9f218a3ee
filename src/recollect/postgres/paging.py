"""Brings a user's postings into pages, and takes documents out of them. Never: what a page's bytes mean; when it is done.

Each step is a transaction under the user's lock, and leaves every posting in one place: in a row of ``postings`` or in a page.
"""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from asyncpg import Record

from recollect.postgres.pool import Connection, Database
from recollect.postgres.posting_pages import (
    MOST_OFTEN,
    Integers,
    Page,
    holding,
    list_of,
    merged,
    packed,
    without,
)
from recollect.postgres.sql import SQL

BLOCK = 1024
"""Documents of a row of ``postings``."""

ENTRY: "np.dtype[np.int64]" = np.dtype("<i8")
PLACE, OFTEN, OWN = 42, 36, 30
"""By how many bits the parts of an entry of ``postings`` are shifted; what is below says how long the document is."""

LENGTHS = 2**30 - 1

LEAST_WAITING, MOST_WAITING, WAITING_SHARE = 16, 1_024, 32
"""So many documents wait in ``postings`` before they are merged: of all the user has the third's part, within the others.

What waits takes twenty times the room that it takes in pages; and each merge rewrites most of a user's pages, so it is not done for few.
"""

_ROWS, _PAGES = 1_500, 128
"""Rows and pages of one step, which others who write for this user wait for: some tens of milliseconds."""

_STEPS = 64
"""Steps of a run; then other users have their turn."""

_REMOVED_AT_ONCE = 20_000

_BEHIND_ALL = chr(0x10FFFF) * 65
"""Behind every term, which has 64 characters at most."""

_LENGTHS_BLOCK = 512
_LENGTH = np.dtype("<u4")
_IS_PAGED = np.uint32(2**31)


class Waiting(NamedTuple):
    """Postings that are not in pages, of terms by their place in a list (n,).

    Attributes:
        entries: As pages have them.
        documents: The document of each.
        lengths: How long that document is: two numbers in one.
    """

    entries: Integers
    documents: Integers
    lengths: Integers


def waiting_of(rows: Sequence[tuple[int, int, bytes]]) -> Waiting:
    """Return what rows of ``postings`` say: of each the number of its term, its block, and its entries."""
    entries = np.frombuffer(b"".join(told for _, _, told in rows), ENTRY)
    counts = [len(told) // ENTRY.itemsize for _, _, told in rows]
    numbers = np.array([(number, block) for number, block, _ in rows], np.int64).reshape(-1, 2)
    terms, blocks = np.repeat(numbers, counts, axis=0).T
    documents = blocks * BLOCK + (entries >> PLACE)
    often, own = (entries >> OFTEN) & MOST_OFTEN, (entries >> OWN) & MOST_OFTEN
    return Waiting(packed(terms, documents, often, own), documents, entries & LENGTHS)


def lengths_of(rows: Sequence[tuple[int, bytes]], documents: int) -> Integers:
    """Return how long each document is, two numbers in one, 0 where it is not known: at least of so many documents (n,)."""
    most = max([documents, *((block + 1) * _LENGTHS_BLOCK for block, _ in rows)])
    lengths = np.zeros(most, np.int64)
    for block, told in rows:
        known = np.frombuffer(told, _LENGTH)
        lengths[block * _LENGTHS_BLOCK : block * _LENGTHS_BLOCK + len(known)] = known & LENGTHS
    return lengths


async def tidy_pages(database: Database, user_id: str, *, reading: int) -> bool:
    """Merge into pages what waits, once enough does, and take out of them what is found no more; return whether more is left."""
    async with database.for_user(user_id) as connection:
        state = await connection.fetchrow(SQL["state_of_pages"], user_id)
    if state is None:
        return False
    most = min(max(state["next_document"] // WAITING_SHARE, LEAST_WAITING), MOST_WAITING)
    is_due = state["next_document"] - state["paged_to"] >= most
    # While an index is built anew more goes out of it again and again: that is done together, now and then.
    if state["lack_removals"] and (is_due or state["reading"] >= reading):
        await _remove_noted(database, user_id)
    if not is_due:
        return False
    term = ""
    for _ in range(_STEPS):
        async with database.changing(user_id) as connection:
            following = await merge_step(connection, user_id, term)
            if following is None:
                await connection.execute(SQL["note_pages"], user_id, state["next_document"])
                return False
        term = following
    return True


async def merge_step(connection: Connection, user_id: str, term: str) -> str | None:
    """Merge the first rows that wait, from a term on, into their pages; return from which term on more may wait."""
    rows = await connection.fetch(SQL["waiting_postings"], user_id, term, _ROWS)
    if not rows:
        return None
    end: str = await connection.fetchval(SQL["end_of_pages"], user_id, rows[0]["term"], _PAGES) or _BEHIND_ALL
    taken = [row for row in rows if row["term"] < end]
    last = taken[-1]["term"]
    # U+0001 is the first character that a text in Postgres can go on with.
    pages = await _pages(connection, user_id, rows[0]["term"], min(end, f"{last}\x01"))
    terms = list(dict.fromkeys(row["term"] for row in taken))
    places = {each: place for place, each in enumerate(terms)}
    waiting = waiting_of([(places[row["term"]], row["block"], row["entries"]) for row in taken])
    written = await asyncio.to_thread(merged, pages, terms, waiting.entries)
    await _replace(connection, user_id, pages, written)
    keys = [row["term"] for row in taken], [row["block"] for row in taken]
    await connection.execute(SQL["delete_postings"], user_id, *keys)
    await _set_lengths(connection, user_id, waiting.documents, waiting.lengths | int(_IS_PAGED))
    if len(taken) < len(rows):
        return str(rows[len(taken)]["term"])
    return last if len(rows) == _ROWS else None


async def remove_of_terms(connection: Connection, user_id: str, document: int, terms: Iterable[str]) -> None:
    """Take a document out of the pages in which terms of its stand."""
    wanted = list(terms)
    pages = [_page_of(row) for row in await connection.fetch(SQL["pages_of_terms"], user_id, wanted)]
    gone = np.array([document], np.int64)
    for _, of_term in groupby(pages, lambda page: page.first_term):
        whole = list(of_term)
        if any(list_of(term, whole[0].terms, whole[0].lists) for term in wanted):
            await _replace(connection, user_id, whole, without(whole, gone))
    await _set_lengths(connection, user_id, gone, 0, known=True)


async def paged(connection: Connection, user_id: str, documents: Sequence[int]) -> list[int]:
    """Return which documents pages name."""
    blocks = {document // _LENGTHS_BLOCK for document in documents}
    rows = await connection.fetch(SQL["lengths_of_blocks"], user_id, list(blocks))
    there = {
        row["block"] * _LENGTHS_BLOCK + place
        for row in rows
        for place in np.flatnonzero(np.frombuffer(row["lengths"], _LENGTH)).tolist()
    }
    return [document for document in documents if document in there]


async def remove_from_pages(connection: Connection, user_id: str, documents: Sequence[int]) -> None:
    """Take documents out of all pages, whatever terms they have: all pages are read, and those rewritten that name one."""
    if named := await paged(connection, user_id, documents):
        term: str | None = ""
        while term is not None:
            term = await _remove_step(connection, user_id, named, term)
        await _set_lengths(connection, user_id, np.array(named, np.int64), 0, known=True)


async def _remove_noted(database: Database, user_id: str) -> None:
    """Take out of the pages what was noted: some pages in a transaction."""
    async with database.for_user(user_id) as connection:
        rows = await connection.fetch(SQL["posting_removals"], user_id, _REMOVED_AT_ONCE)
    documents = [row["document"] for row in rows]
    term: str | None = ""
    while term is not None:
        async with database.changing(user_id) as connection:
            term = await _remove_step(connection, user_id, documents, term)
    async with database.changing(user_id) as connection:
        await _set_lengths(connection, user_id, np.array(documents, np.int64), 0, known=True)
        await connection.execute(SQL["delete_removals"], user_id, documents)


async def _remove_step(
    connection: Connection, user_id: str, documents: Sequence[int], term: str
) -> str | None:
    """Take documents out of some pages from a term on; return with which term the pages behind begin."""
    end: str | None = await connection.fetchval(SQL["end_of_pages"], user_id, term, _PAGES)
    pages = await _pages(connection, user_id, term, end or _BEHIND_ALL)
    gone = np.array(documents, np.int64)

    def rewritten() -> list[tuple[list[Page], list[Page]]]:
        touched = {page.first_term for page in holding(pages, gone)}
        whole = [
            list(each) for first, each in groupby(pages, lambda page: page.first_term) if first in touched
        ]
        return [(each, without(each, gone)) for each in whole]

    changes = await asyncio.to_thread(rewritten)
    before, after = (
        ([page for each in side for page in each] for side in zip(*changes, strict=True))
        if changes
        else ([], [])
    )
    await _replace(connection, user_id, before, after)
    return end


async def _pages(connection: Connection, user_id: str, term: str, end: str) -> list[Page]:
    return [_page_of(row) for row in await connection.fetch(SQL["pages_between"], user_id, term, end)]


def _page_of(row: Record) -> Page:
    return Page(row["first_term"], row["begins"], row["terms"], row["lists"])


async def _replace(
    connection: Connection, user_id: str, before: Sequence[Page], after: Sequence[Page]
) -> None:
    """Write pages in place of others; those that stay as they are are not written."""
    kept = {*after}
    stays = {page[:2] for page in after}
    emptied = [page for page in before if page[:2] not in stays]
    if emptied:
        await connection.execute(
            SQL["delete_pages"],
            user_id,
            [page.first_term for page in emptied],
            [page.begins for page in emptied],
        )
    if changed := list(kept - {*before}):
        await connection.execute(SQL["write_pages"], user_id, *map(list, zip(*sorted(changed), strict=True)))


async def _set_lengths(
    connection: Connection, user_id: str, documents: Integers, lengths: Integers | int, *, known: bool = False
) -> None:
    """Write how long documents are; with ``known`` of those alone that have a row."""
    blocks = np.unique(documents // _LENGTHS_BLOCK).tolist()
    rows = await connection.fetch(SQL["lengths_of_blocks"], user_id, blocks)
    stored = {row["block"]: row["lengths"] for row in rows}
    written = {}
    for block in stored if known else blocks:
        of_block = documents // _LENGTHS_BLOCK == block
        places = documents[of_block] % _LENGTHS_BLOCK
        before = np.frombuffer(stored.get(block, b""), _LENGTH)
        told = np.zeros(max(len(before), int(places.max()) + 1), _LENGTH)
        told[: len(before)] = before
        told[places] = lengths[of_block] if isinstance(lengths, np.ndarray) else lengths
        written[block] = told.tobytes()
    changed = {block: told for block, told in written.items() if told != stored.get(block)}
    if changed:
        await connection.execute(SQL["write_lengths"], user_id, list(changed), list(changed.values()))
