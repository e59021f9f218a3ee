"""Keeps the phases of exchanges on disk, from the moment they are said until the log has them.

It does not know which store the log is in, nor why a phase waits, and keeps no credential.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog

from recollect.errors import RecollectError, StoreUnavailableError, described, raised_at
from recollect.model import LogEntry, Scope, scopes_in
from recollect.spool_segments import Line, Segment, SegmentFolder, decode, encode

_SEGMENT_BYTES = 4 * 1024 * 1024
"""From then on another segment is begun."""

_MOST_ON_DISK = 256 * 1024 * 1024
"""Bytes that may wait while the store is away: some hundred thousand messages."""

_MOST_IN_MEMORY = 16 * 1024 * 1024
"""The same where there is no folder, or its disk refuses them."""

_READ_AT_ONCE = 200
"""Lines read at once: a long spool is not to be held in memory."""

_LONGEST_INLINE = 10_000
"""Characters whose line is made on the loop, in half a millisecond; another thread takes as long to begin."""

log = structlog.get_logger(__name__)

Write = Callable[[LogEntry], Awaitable[object]]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class FullError(RecollectError):
    """The spool has no room."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The exchanges that wait for the log.

    Attributes:
        exchanges: How many wait; one whose phases are in two segments counts twice.
        bytes: How many bytes of the disk, or of memory, they take.
        on_disk: Whether they outlive the process.
    """

    exchanges: int
    bytes: int
    on_disk: bool


class Spool:
    """Phases of exchanges that the log does not have yet, in files of a folder, or in memory where there is none: up to ``limit`` bytes."""

    def __init__(self, folder: Path | None, *, limit: int = _MOST_ON_DISK) -> None:
        self._path = folder
        self._limit = limit
        self._folder: SegmentFolder | None = None
        self._segments: list[Segment] = []
        self._open: Segment | None = None
        self._changing = asyncio.Lock()
        self._replaying = asyncio.Lock()
        self._erasing = 0
        self._is_closed = False

    @property
    def waiting(self) -> Waiting:
        """The exchanges that wait now."""
        in_memory = any(each.unfinished for each in self._segments if not each.is_on_disk)
        return Waiting(
            sum(len(each.exchanges) for each in self._segments),
            sum(each.waiting_bytes for each in self._segments),
            self._folder is not None and not in_memory,
        )

    def has(self, user_id: str) -> bool:
        """Return whether an entry of a user waits: their next ones have to wait behind it."""
        return any(user_id in each.users for each in self._segments)

    async def open(self) -> None:
        """Make the folder, if there is to be one; without it, all is kept in memory. Never raises."""
        if self._path is None:
            return
        async with self._changed_alone():
            try:
                folder = await _off_loop(SegmentFolder, self._path)
                for each in self._segments:
                    each.path = folder.next_path()
                self._folder, self._open = folder, None
                await self._store()
            except OSError as error:
                log.warning("spool_moved_to_memory", folder=str(self._path), error=type(error).__name__)

    async def adopt(self) -> None:
        """Take over what dead processes left; files that can't be read are logged, and left. Never raises."""
        if self._folder is None:
            return
        found: list[Segment] = []
        try:
            await _off_loop(_adopt, self._folder, found)
        except OSError as error:
            log.warning("spool_adoption_failed", error=type(error).__name__)
        self._segments[:0] = found  # their lines are older
        if count := sum(len(each.exchanges) for each in found):
            log.info("spool_adopted", exchanges=count)
        self._drop_done()

    async def keep(self, entry: LogEntry) -> Line:
        """Keep an entry; if its segment is on the disk it outlives this process now. Never raises."""
        exchange = entry.exchange
        kept = Line(exchange.turn.scope, exchange.turn.at, exchange.id)
        try:
            if len(exchange.turn.text) + len(exchange.reply) <= _LONGEST_INLINE:
                line = encode(entry)
            else:
                line = await asyncio.to_thread(encode, entry)
            # Without a sync, as no chat may wait for a disk: the kernel keeps the bytes of a killed process, though not those of
            # a machine that loses its power. `wait` syncs.
            self._add(kept, line)
        except Exception as error:  # noqa: BLE001 -- the log may still take the entry
            log.warning("spool_write_failed", error=type(error).__name__, raised_at=raised_at(error))
        return kept

    def _add(self, kept: Line, line: bytes) -> None:
        """Add a line to a file, or to memory while the disk refuses. Raises FullError."""
        if self._is_closed:
            raise FullError
        if self._folder is not None:
            try:
                self._add_to_file(kept, line, self._folder)
            except OSError as error:
                if self._open is None or self._open.is_on_disk:
                    log.warning("spool_moved_to_memory", folder=str(self._path), error=type(error).__name__)
            else:
                return
        if len(line) + sum(each.size for each in self._segments if not each.is_on_disk) > _MOST_IN_MEMORY:
            raise FullError
        if self._open is None or self._open.is_on_disk or self._open.size > _SEGMENT_BYTES:
            path = self._folder.next_path() if self._folder is not None else Path()
            self._open = Segment(path)
            self._segments.append(self._open)
        self._open.append_line(kept, line)

    def _add_to_file(self, kept: Line, line: bytes, folder: SegmentFolder) -> None:
        if self._open is not None and self._open.is_on_disk and self._open.size <= _SEGMENT_BYTES:
            self._open.append_line(kept, line)
            return
        segment = Segment.create(folder.next_path())
        try:
            segment.append_line(kept, line)
        except OSError:
            segment.remove()
            raise
        self._open = segment
        self._segments.append(segment)

    async def wait(self, kept: Line) -> bool:
        """Let an entry wait for the log; it is on the disk when this returns, or in memory while the disk refuses; False if it was erased meanwhile.

        Raises FullError if there is no room: the entry is gone.
        """
        segment = kept.segment
        if segment is None and kept.size:  # an erasure took it
            return False
        if segment is None or self.waiting.bytes + kept.size > self._limit:
            self.finish(kept)
            raise FullError
        segment.let_wait(kept)
        async with self._changed_alone():
            try:
                # Entries that come together share a sync.
                if segment.is_on_disk and not segment.is_synced(kept):
                    await self._store()  # as the disk has room now
                    await _off_loop(segment.sync)
            except OSError as error:
                log.warning("spool_sync_failed", error=type(error).__name__)
        return kept.segment is not None

    async def _store(self) -> None:
        """Move to the disk what memory has from a time when the disk refused it. Raises OSError."""
        for each in self._segments:
            if not each.is_on_disk and self._folder is not None:
                await _off_loop(each.store)

    def finish(self, kept: Line) -> None:
        """Delete an entry that the log has, or that is lost."""
        if kept.segment is not None and not kept.is_done:
            kept.segment.finish(kept)
            self._drop_done()

    def _drop_done(self) -> None:
        """Drop the segments in which all is done, the oldest first, as far as the order allows."""
        if self._changing.locked():
            return  # until the files are no longer being changed
        # In order: of a turn that was taken back the beginning must not outlive the end, or the next process writes it again.
        for each in self._segments[:]:
            if each.unfinished and each.has_done:
                return
            if not each.unfinished:
                try:
                    self._drop(each)
                # The next process writes it once more, and the lines behind it.
                except OSError as error:
                    log.warning("spool_shrink_failed", error=type(error).__name__)
                    return

    def _drop(self, segment: Segment) -> None:
        if segment is not self._open:
            segment.remove()
            self._segments.remove(segment)
        elif segment.lines:
            segment.clear()

    @asynccontextmanager
    async def _changed_alone(self) -> AsyncIterator[None]:
        """Let no other task replace, drop or sync a file during the body."""
        async with self._changing:
            yield
        self._drop_done()

    async def replay(self, write: Write) -> bool:
        """Write the entries that wait, in the order in which they came; return whether none is left.

        An entry that can't be written holds back the later ones of its user, and of no other. ``write`` raises StoreUnavailableError
        if no other can be written either.

        Raises:
            OSError: A file can't be read.
        """
        async with self._replaying:
            held: set[str] = set()
            for segment in self._segments[:]:
                if not await self._replay(segment, write, held):
                    return False
            if held:
                await self._shrink()
            return not held

    async def _replay(self, segment: Segment, write: Write, held: set[str]) -> bool:
        """Write the entries of a segment; return whether it is of use to go on."""
        waiting = [each for each in segment.lines if each.waits and not each.is_done]
        for first in range(0, len(waiting), _READ_AT_ONCE):
            lines = waiting[first : first + _READ_AT_ONCE]
            for kept, text in zip(lines, await _off_loop(segment.read_lines, lines), strict=True):
                if self._erasing:  # it waits until this replay ends
                    return False
                if kept.user_id not in held and not await self._write(kept, text, write, held):
                    return False
        return True

    async def _write(self, kept: Line, text: bytes, write: Write, held: set[str]) -> bool:
        """Write an entry, or hold its user's back; return whether it is of use to go on."""
        entry = _decoded(text)
        try:
            if entry is not None:
                await write(entry)
        except StoreUnavailableError:
            return False
        except Exception as error:  # noqa: BLE001 -- whatever it is, it must not hold back other users
            log.warning("spool_user_postponed", **described(error))
            held.add(kept.user_id)
        else:
            self.finish(kept)
        return True

    async def _shrink(self) -> None:
        """Drop the lines that are done; where a full disk keeps them, a later process writes them again."""
        try:
            await self._keep(lambda each: not each.is_done)
        except OSError as error:
            log.warning("spool_shrink_failed", error=type(error).__name__)

    async def _keep(self, wanted: Callable[[Line], bool]) -> int:
        """Keep only some lines, of each segment at once or not at all; return how many went that were not done. Raises OSError."""
        count = 0
        async with self._changed_alone():
            self._open = None  # lines that come meanwhile begin another segment
            for segment in self._segments[:]:
                lines = segment.lines
                try:
                    await _off_loop(segment.keep_only, wanted)
                finally:
                    gone = [each for each in lines if each.segment is None and not each.is_done]
                    count += len(gone)
                    for each in gone:
                        segment.finish(each)
        return count

    async def erase(self, erased: Scope | str, *, at: datetime) -> int:
        """Delete a user's entries until a time, of a person those of their projects, too, or those of one chat; return how many the log did not have yet.

        Raises:
            OSError: The disk refuses.
        """

        def stays(kept: Line) -> bool:
            named = kept.scope, *scopes_in(kept.user_id)
            return not kept.is_done and (kept.at > at or erased not in named)

        self._erasing += 1
        try:
            async with self._replaying:
                return await self._keep(stays)
        finally:
            self._erasing -= 1

    async def close(self) -> Waiting:
        """Leave the files to the next process; return the count that waits in them. Never raises."""
        with _closing():
            async with self._changing:
                await self._store()
        self._open = None
        left = self.waiting
        with _closing():
            self._drop_done()
            left = self.waiting
            for each in self._segments:
                each.close()
            if self._folder is not None:
                self._folder.close()
        self._segments, self._is_closed = [], True
        return left


@contextmanager
def _closing() -> Iterator[None]:
    """Log the failure of a step of closing, and go on."""
    try:
        yield
    except OSError as error:
        log.warning("spool_close_failed", error=type(error).__name__)


def _adopt(folder: SegmentFolder, found: list[Segment]) -> None:
    """Add to ``found`` the segments that dead processes left; all their entries wait. Raises OSError."""
    for segment, lines in folder.take_over():
        found.append(segment)
        for line in lines:
            entry = _decoded(line)
            if entry is None:
                segment.has(
                    damaged := Line(Scope("", ""), datetime.min.replace(tzinfo=UTC), UUID(int=0)), line
                )
                segment.finish(damaged)  # so that it goes with the next lines that do
            else:
                exchange = entry.exchange
                segment.has(kept := Line(exchange.turn.scope, exchange.turn.at, exchange.id), line)
                segment.let_wait(kept)


def _decoded(line: bytes) -> LogEntry | None:
    """Return the entry of a line; log one that is damaged."""
    entry = decode(line)
    if entry is None:
        log.error("spool_damaged", bytes=len(line))
    return entry


async def _off_loop(work: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
    """Do work in a thread; cancelled meanwhile, wait for its end."""
    # A thread can't be cancelled, and no other task may touch a file that it writes.
    working = asyncio.create_task(asyncio.to_thread(work, *given, **named))
    cancelled: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        working.exception()  # retrieved, else asyncio logs it
        raise cancelled
    return working.result()
