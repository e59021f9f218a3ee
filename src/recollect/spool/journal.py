"""The journal: what is just being written, in a file that outlives this process, until the log or the spool has it.

It is not synced, so that nobody waits for a disk: what the kernel holds outlives a process that is killed, not a machine
that loses its power. Whoever finds a dead process's journal among the files of a spool takes it for one of them.

Never: what becomes of an entry.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog
from uuid_utils.compat import uuid7

from recollect.model import LogEntry
from recollect.spool.records import encode
from recollect.spool.segments import SUFFIX, FileSegment

_PAGE_BYTES = 4 * 1024 * 1024
"""From then on another page is begun: the first is gone as soon as nothing in it is being written any more."""

_NAME = "journal-"
"""Sorts behind the spool's own files: what waits there was said before."""

log = structlog.get_logger(__name__)


class _Page:
    """A file, and how many of its lines are still being written."""

    def __init__(self, segment: FileSegment) -> None:
        self.segment = segment
        self.under_way = 0


class Journal:
    """What is just being written."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._page: _Page | None = None
        self._pages: set[_Page] = set()

    def open(self, folder: Path | None) -> None:
        """Note things from now on; None: there is no place for it."""
        self._folder = folder

    @contextmanager
    def noting(self, entry: LogEntry) -> Iterator[bool]:
        """Keep an entry during the body; yield whether it outlives this process now."""
        page = self._noted(entry)
        if page is None:
            yield False
            return
        try:
            yield True
        finally:
            self._release(page)

    def _noted(self, entry: LogEntry) -> _Page | None:
        if self._folder is None:
            return None
        try:
            page = self._current(self._folder)
            page.segment.write(encode(entry))
        except OSError as error:
            log.warning("journal_failed", error=type(error).__name__)
            return None
        page.under_way += 1
        return page

    def _current(self, folder: Path) -> _Page:
        if self._page is None or self._page.segment.size > _PAGE_BYTES:
            path = folder / f"{_NAME}{uuid7()}{SUFFIX}"
            self._page = _Page(FileSegment.create(path, is_durable=False))
            self._pages.add(self._page)
        return self._page

    def _release(self, page: _Page) -> None:
        page.under_way -= 1
        if page.under_way or page not in self._pages:
            return  # left to whoever comes next, where it was closed before
        with suppress(OSError):  # what stays is written once more by the next process, which changes nothing
            if page is self._page:
                page.segment.clear()
            else:
                self._pages.discard(page)
                page.segment.remove()

    def close(self) -> None:
        """Note nothing more; what is still being written is left to whoever comes next."""
        for page in self._pages:
            with suppress(OSError):
                page.segment.close() if page.under_way else page.segment.remove()
        self._folder, self._page, self._pages = None, None, set()
