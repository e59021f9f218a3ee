"""Brings a user's postings into pages, and takes documents out of them. Never: what a page's bytes mean; when it is done.

Each step is a transaction under the user's lock, writes some hundred kilobytes at most, and leaves every posting in one place: in a
document that waits, or in a page of one of two levels. New documents are merged into the pages of level
0, which are few; those now and then into the pages of level 1, from term to term.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import groupby

import numpy as np
from asyncpg import Record

from recollect.postgres.pool import Connection, Database
from recollect.postgres.posting_pages import (
    Integers,
    Page,
    cut,
    holding,
    list_of,
    merged,
    read_pages,
    without,
)
from recollect.postgres.sql import SQL
from recollect.postgres.waiting_postings import WaitingDocument, read_waiting

NEW, OLD = 0, 1
"""The levels of pages."""

LEAST_WAITING, MOST_WAITING, _WAITING_WHILE_BUSY = 16, 64, 512
"""So many documents wait before they are merged: of those in pages of level 0 an eighth, within the first two; the third while many more come.

Each look-up reads all that wait; and each merge rewrites most pages of level 0, so it is not done for few.
"""
_LEAST_NEW, _MOST_NEW = 512, 4_096
_SHARE = 8
"""So many documents are in pages of level 0 before these are merged into those of level 1: of all an eighth, within these."""

_DOCUMENTS, _PAGES, _NEW_PAGES = 256, 128, 32
"""Documents that wait, and pages of level 1 and of level 0, of one step, which others who write for this user wait for."""

_MOST_NEW_PAGES = 1_024
"""Pages of level 0 from which on the first of them are merged into level 1 before more documents are: all are read with each step,
and a step can number half a million terms."""

_STEPS = 64
"""Steps of a run; then other users have their turn."""

_REMOVED_AT_ONCE = 20_000

_BEHIND_ALL = chr(0x10FFFF) * 65
"""Behind every term, which has 64 characters at most."""

_LENGTHS_BLOCK = 512
_LENGTH = np.dtype("<u4")
_IS_PAGED = 2**31

Step = Callable[[Connection, str], Awaitable[bool]]
"""Does a little of something in a transaction that alone changes what the user has; returns whether more is left."""


def lengths_of(rows: Sequence[tuple[int, bytes]], documents: int) -> Integers:
    """Return how long each document is, two numbers in one, 0 where it is not known: at least of so many documents (n,)."""
    blocks = max([-(-documents // _LENGTHS_BLOCK), *(block + 1 for block, _ in rows)])
    lengths = np.zeros((blocks, _LENGTHS_BLOCK), np.int64)
    if rows:
        whole = b"".join(told.ljust(_LENGTHS_BLOCK * _LENGTH.itemsize, b"\0") for _, told in rows)
        known = np.frombuffer(whole, _LENGTH).reshape(-1, _LENGTHS_BLOCK)
        lengths[[block for block, _ in rows]] = known & (_IS_PAGED - 1)
    return lengths.ravel()


async def tidy_index(database: Database, user_id: str, *, reading: int, busy: bool = False) -> bool:
    """Merge into pages what waits, once enough does, and take out of them what is found no more; return whether more is left.

    Args:
        database: Where.
        user_id: Whose.
        reading: By which reading an index is not being built anew.
        busy: Whether many more documents come at once: then more of them wait.
    """
    async with database.for_user(user_id) as connection:
        state = await connection.fetchrow(SQL["state_of_index"], user_id)
    if state is None:
        return False
    every, new = state["next_document"], state["next_document"] - state["merged_to"]
    most = _WAITING_WHILE_BUSY if busy else min(max(new // _SHARE, LEAST_WAITING), MOST_WAITING)
    is_due = state["waiting"] >= most
    many = min(max(every // _SHARE, _LEAST_NEW), _MOST_NEW)
    # While an index is built anew more goes out of it again and again: that is done together, now and then.
    if state["removals"] >= (1 if state["reading"] >= reading else many):
        await _remove_noted(database, user_id)
        if state["removals"] > _REMOVED_AT_ONCE:
            return True
    merges: list[tuple[Step, str, tuple[object, ...]]] = []
    if is_due:
        merges.append((merge_waiting, "", ()))
    if new >= many:
        merges.append((merge_new, "note_merged", (user_id, every)))
    for step, note, arguments in merges:
        if not await _all_of(database, user_id, step, note, arguments):
            return True
    return False


async def _all_of(
    database: Database, user_id: str, step: Step, note: str, arguments: Sequence[object]
) -> bool:
    """Take steps until nothing is left, and note it; return whether that was done in the steps of a run."""
    for _ in range(_STEPS):
        async with database.changing(user_id) as connection:
            if not await step(connection, user_id):
                if note:
                    await connection.execute(SQL[note], *arguments)
                return True
    return False


async def merge_waiting(connection: Connection, user_id: str) -> bool:
    """Merge the oldest documents that wait into pages of level 0; return whether more wait."""
    if await connection.fetchval(SQL["count_pages"], user_id, NEW) > _MOST_NEW_PAGES:
        await merge_new(connection, user_id)
        return True
    rows = await connection.fetch(SQL["waiting_documents"], user_id, _DOCUMENTS)
    if rows:
        documents = [WaitingDocument(*row) for row in rows]
        pages = await _pages(connection, user_id, NEW, "", _BEHIND_ALL)

        def written() -> list[Page]:
            terms, postings = read_waiting(documents)
            return merged(pages, terms, postings.entries)

        await _replace(connection, user_id, NEW, pages, await asyncio.to_thread(written))
        numbers = [each.document for each in documents]
        await connection.execute(SQL["delete_waiting"], user_id, numbers)
        lengths = np.array([each.lengths for each in documents], np.int64)
        await _set_lengths(connection, user_id, np.array(numbers, np.int64), lengths | _IS_PAGED)
    return len(rows) == _DOCUMENTS


async def merge_new(connection: Connection, user_id: str) -> bool:
    """Merge the first pages of level 0 into those of level 1; return whether more may be left."""
    first = await connection.fetchval(SQL["first_page"], user_id, NEW)
    if first is None:
        return False
    end = min(
        await _end(connection, user_id, NEW, first, _NEW_PAGES),
        await _end(connection, user_id, OLD, first, _PAGES),
    )
    new = await _pages(connection, user_id, NEW, first, end)
    old = await _pages(connection, user_id, OLD, first, end)

    def written() -> tuple[list[Page], list[Page]]:
        terms, entries = read_pages(new)
        place = bisect_left(terms, end)
        here, behind = cut(entries, place)
        return merged([], terms[place:], behind), merged(old, terms[:place], here)

    left, more = await asyncio.to_thread(written)
    await _replace(connection, user_id, NEW, new, left)
    await _replace(connection, user_id, OLD, old, more)
    return True


async def remove_of_terms(connection: Connection, user_id: str, document: int, terms: Iterable[str]) -> None:
    """Take a document out of the pages in which terms of its stand."""
    wanted, gone = list(terms), np.array([document], np.int64)
    for level in (NEW, OLD):
        rows = await connection.fetch(SQL["pages_of_terms"], user_id, level, wanted)
        for _, of_term in groupby(map(_page_of, rows), lambda page: page.first_term):
            whole = list(of_term)
            if any(list_of(term, whole[0].terms, whole[0].lists) for term in wanted):
                await _replace(connection, user_id, level, whole, without(whole, gone))
    await _set_lengths(connection, user_id, gone, np.zeros(1, np.int64), known=True)


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
    named = await paged(connection, user_id, documents)
    if not named:
        return
    for level in (NEW, OLD):
        term: str | None = ""
        while term is not None:
            term = await _remove_step(connection, user_id, level, named, term)
    await _forget_lengths(connection, user_id, named)


async def _remove_noted(database: Database, user_id: str) -> None:
    """Take out of the pages what was noted: some pages in a transaction."""
    async with database.for_user(user_id) as connection:
        rows = await connection.fetch(SQL["posting_removals"], user_id, _REMOVED_AT_ONCE)
    documents = [row["document"] for row in rows]
    # What is merged meanwhile goes from level 0 to level 1, which is read after it.
    for level in (NEW, OLD):
        term: str | None = ""
        while term is not None:
            async with database.changing(user_id) as connection:
                term = await _remove_step(connection, user_id, level, documents, term)
    async with database.changing(user_id) as connection:
        await _forget_lengths(connection, user_id, documents)
        await connection.execute(SQL["delete_removals"], user_id, documents)


async def _remove_step(
    connection: Connection, user_id: str, level: int, documents: Sequence[int], term: str
) -> str | None:
    """Take documents out of some pages from a term on; return with which term the pages behind begin."""
    end = await _end(connection, user_id, level, term, _PAGES)
    pages = await _pages(connection, user_id, level, term, end)
    gone = np.array(documents, np.int64)

    def rewritten() -> list[tuple[list[Page], list[Page]]]:
        touched = {page.first_term for page in holding(pages, gone)}
        # Pages between which there is none that stays: they may be joined.
        runs = groupby(pages, lambda page: page.first_term in touched)
        whole = [list(each) for is_touched, each in runs if is_touched]
        return [(each, without(each, gone)) for each in whole]

    changes = await asyncio.to_thread(rewritten)
    before = [page for each, _ in changes for page in each]
    await _replace(connection, user_id, level, before, [page for _, each in changes for page in each])
    return None if end == _BEHIND_ALL else end


async def _end(connection: Connection, user_id: str, level: int, term: str, pages: int) -> str:
    """Return the term behind so many pages from a term on, or one behind all."""
    end: str | None = await connection.fetchval(SQL["end_of_pages"], user_id, level, term, pages)
    return _BEHIND_ALL if end is None else end


async def _pages(connection: Connection, user_id: str, level: int, term: str, end: str) -> list[Page]:
    rows = await connection.fetch(SQL["pages_between"], user_id, level, term, end)
    return [_page_of(row) for row in rows]


def _page_of(row: Record) -> Page:
    return Page(*row)


async def _replace(
    connection: Connection, user_id: str, level: int, before: Sequence[Page], after: Sequence[Page]
) -> None:
    """Write pages in place of others; those that stay as they are are not written."""
    stays = {page[:2] for page in after}
    if emptied := [page[:2] for page in before if page[:2] not in stays]:
        keys = map(list, zip(*emptied, strict=True))
        await connection.execute(SQL["delete_pages"], user_id, level, *keys)
    if changed := sorted({*after} - {*before}):
        columns = map(list, zip(*changed, strict=True))
        await connection.execute(SQL["write_pages"], user_id, level, *columns)


async def _forget_lengths(connection: Connection, user_id: str, documents: Sequence[int]) -> None:
    gone = np.array(documents, np.int64)
    await _set_lengths(connection, user_id, gone, np.zeros(len(gone), np.int64), known=True)


async def _set_lengths(
    connection: Connection, user_id: str, documents: Integers, lengths: Integers, *, known: bool = False
) -> None:
    """Write how long documents are; with ``known`` of those alone whose block has a row."""
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
        told[places] = lengths[of_block]
        written[block] = told.tobytes()
    if changed := {block: told for block, told in written.items() if told != stored.get(block)}:
        await connection.execute(SQL["write_lengths"], user_id, list(changed), list(changed.values()))
