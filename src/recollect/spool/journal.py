"""The journal: what is just being written, in files that outlive this process, until the log or the spool has it.

It is not synced, so that nobody waits for a disk: what the kernel holds outlives a process that is killed, not a machine
that loses its power. Whoever finds a dead process's journal among the files of a spool takes it for one of them.

Never: what becomes of an entry.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog
from uuid_utils.compat import uuid7

from recollect.failures import place
from recollect.model import LogEntry, Scope
from recollect.spool.beside import beside, encoded
from recollect.spool.segments import FileSegment

_PAGE_BYTES = 4 * 1024 * 1024
"""From then on another page is begun, and what is written goes from the others."""

_KIND = "-journal-"
"""Sorts behind the other files of the same process: what waits there was said before."""

log = structlog.get_logger(__name__)

IsErased = Callable[[Scope, datetime], bool]
"""Whether what was said in a chat at a time is to go."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What the journal has of an entry.

    Attributes:
        is_kept: Whether the entry outlives this process now.
        line: Its line, where one was made.
    """

    is_kept: bool
    line: bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A line of a page: whose it is, and when that was said."""

    scope: Scope
    at: datetime


class _Page:
    """A file, its lines in order, and which of them are still being written."""

    def __init__(self, segment: FileSegment) -> None:
        self.segment = segment
        self.lines: list[_Line] = []
        self.under_way: set[_Line] = set()
        self.is_rewritten = False

    @property
    def has_written(self) -> bool:
        """Whether something in it is written."""
        return len(self.lines) > len(self.under_way)

    async def keep(self, kept: list[bool]) -> None:
        """Keep of its lines these only, at once or not at all. Raises OSError."""
        size, wanted = self.segment.size, iter(kept)
        self.is_rewritten = True
        try:
            await beside(self.segment.keep, lambda _: next(wanted))
        finally:
            self.is_rewritten = False
            if self.segment.size != size:  # else it failed before the file was another
                self.lines = [line for line, is_kept in zip(self.lines, kept, strict=True) if is_kept]
                self.under_way &= set(self.lines)


class Journal:
    """What is just being written.

    A line goes only when all before it that are written went: of a turn that was taken back the beginning must not
    outlive the end, or whoever comes next writes it again.

    Args:
        process: What the names of this process's files begin with; None: a name of its own.
    """

    def __init__(self, process: str | None = None) -> None:
        self._prefix = (process or str(uuid7())) + _KIND
        self._folder: Path | None = None
        self._pages: list[_Page] = []
        self._is_sealed = False
        self._rewriting = asyncio.Lock()
        self._compacting: asyncio.Task[None] | None = None

    def open(self, folder: Path | None) -> None:
        """Note things from now on; None: there is no place for it."""
        self._folder = folder

    @asynccontextmanager
    async def noting(self, entry: LogEntry) -> AsyncIterator[Noted]:
        """Keep an entry during the body; yield what there is of it now. It fails in no way but one: it is not kept."""
        turn, page, data = entry.exchange.turn, None, None
        line = _Line(turn.scope, turn.at)
        try:
            if self._folder is not None:
                data = await encoded(entry)
                page = self._noted(line, data)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the log or the spool may still take the entry
            log.warning("journal_failed", error=type(error).__name__, place=place(error))
        try:
            yield Noted(page is not None, data)
        finally:
            if page is not None:
                page.under_way.discard(line)
                self._drop_pages()

    def _noted(self, line: _Line, data: bytes) -> _Page | None:
        if self._folder is None:  # closed while the line was made
            return None
        page = self._current(self._folder)
        page.segment.write(data)
        page.lines.append(line)
        page.under_way.add(line)
        return page

    def _current(self, folder: Path) -> _Page:
        if self._pages and not self._is_sealed and self._pages[-1].segment.size <= _PAGE_BYTES:
            return self._pages[-1]
        is_grown = bool(self._pages)
        self._pages.append(_Page(FileSegment.create(folder, self._prefix, is_durable=False)))
        self._is_sealed = False
        if is_grown and (self._compacting is None or self._compacting.done()):
            self._compacting = asyncio.create_task(self._compact())
        return self._pages[-1]

    # -- what is written goes --------------------------------------------------------------------------

    def _drop_pages(self) -> None:
        """Drop the pages in which nothing is being written, the oldest first, as far as the order allows."""
        if self._folder is None:
            return  # left to whoever comes next
        for page in self._pages[:]:
            if not page.under_way and not page.is_rewritten:
                try:
                    self._drop(page)
                # The next process writes it once more, and what is behind it.
                except OSError as error:
                    log.warning("journal_failed", error=type(error).__name__, place=place(error))
                    return
            elif page.has_written:
                return

    def _drop(self, page: _Page) -> None:
        if page is self._pages[-1] and not self._is_sealed:
            if page.lines:
                page.segment.clear()
                page.lines = []
            return
        page.segment.remove()
        self._pages.remove(page)

    async def _compact(self) -> None:
        """Drop what is written from all pages but the last."""
        try:
            async with self._rewriting:
                await self._rewrite(self._pages[:-1], lambda *_: False)
        except Exception as error:  # noqa: BLE001 -- nobody waits for it, and what is there twice changes nothing
            log.warning("journal_failed", error=type(error).__name__, place=place(error))

    async def _rewrite(self, pages: list[_Page], is_erased: IsErased) -> int:
        """Leave in pages only what is being written, and not erased; return how many entries were erased."""
        count = 0
        for page in pages:
            if page not in self._pages or not page.lines:
                continue
            erased = [is_erased(line.scope, line.at) for line in page.lines]
            kept = [
                not gone and line in page.under_way for line, gone in zip(page.lines, erased, strict=True)
            ]
            if not all(kept):
                await page.keep(kept)
            count += sum(erased)
        self._drop_pages()
        return count

    async def erase(self, is_erased: IsErased) -> int:
        """Delete the entries that are erased, be they written or not; return how many.

        Raises:
            OSError: The disk refuses.
        """
        async with self._rewriting:
            self._is_sealed = bool(self._pages)  # what comes now is noted in another page
            return await self._rewrite(self._pages[:], is_erased)

    async def close(self) -> None:
        """Note nothing more; what is still being written is left to whoever comes next."""
        async with self._rewriting:
            self._is_sealed = True
            self._drop_pages()
            self._folder = None
            for page in self._pages:
                page.segment.close()
            self._pages = []
