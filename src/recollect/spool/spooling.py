"""The spool: takes in what can't be written yet, and hands it out in order. Never: where to; why it waits."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import structlog
from uuid_utils.compat import uuid7

from recollect.errors import RecollectError, StoreUnavailableError
from recollect.failures import place
from recollect.model import LogEntry, Scope
from recollect.spool.beside import beside, encoded
from recollect.spool.counting import Counted, Waiting
from recollect.spool.journal import Journal
from recollect.spool.records import decode
from recollect.spool.segments import FileSegment, MemorySegment, left_in, make

_READ_AT_ONCE = 200
"""Lines read at once: a long spool is not to be held in memory."""

_MOST_IN_MEMORY = 16 * 1024 * 1024
"""Bytes that wait at most where there is no folder to keep them in, or its disk refuses them."""

log = structlog.get_logger(__name__)

Write = Callable[[LogEntry], Awaitable[object]]


class FullError(RecollectError):
    """The spool has no room."""


class Spool:
    """What waits to be written, in files of a folder, or in memory where there is none.

    Each process adds to files of its own, which it holds; those that a dead process left are taken over.

    Args:
        folder: Where the files are; None: in memory.
        limit: Bytes at most.

    Attributes:
        journal: What is just being written, in the same folder.
    """

    def __init__(self, folder: Path | None, *, limit: int) -> None:
        self._folder = folder
        self._limit = limit if folder is not None else min(limit, _MOST_IN_MEMORY)
        self._sealed: list[Counted] = []
        self._current: Counted | None = None
        self._queue: list[tuple[bytes, LogEntry, asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._files = asyncio.Lock()
        self._replaying = asyncio.Lock()
        self._erasing = 0
        self._process = str(uuid7())
        self.journal = Journal(self._process)

    @property
    def waiting(self) -> Waiting:
        """What waits now."""
        counted = self._all()
        exchanges = {each for one in counted for each in one.exchanges}
        in_memory = any(each.segment.size for each in self._all() if not _is_on_disk(each))
        return Waiting(len(exchanges), self._bytes(), self._folder is not None and not in_memory)

    def has(self, user_id: str) -> bool:
        """Return whether something of a user waits: what they say next has to wait behind it."""
        return any(user_id in each.users for each in self._all()) or any(
            entry.exchange.turn.scope.user_id == user_id for _, entry, _ in self._queue
        )

    async def open(self) -> None:
        """Make the folder, where there is to be one; without it, what waits is held in memory. Never raises."""
        if self._folder is None:
            return
        try:
            await beside(make, self._folder)
        except OSError as error:
            log.warning("spool_in_memory", folder=str(self._folder), error=type(error).__name__)
            self._folder, self._limit = None, min(self._limit, _MOST_IN_MEMORY)
        self.journal.open(self._folder)

    async def adopt(self) -> None:
        """Take over what dead processes left; what can't be read is told of, and left. Never raises."""
        if self._folder is None:
            return
        try:
            adopted = await beside(_adopted, self._folder)
        except OSError as error:
            log.warning("spool_not_adopted", error=type(error).__name__)
            return
        self._sealed[:0] = adopted
        if count := sum(len(each.exchanges) for each in adopted):
            log.info("spool_adopted", exchanges=count)

    # -- in ------------------------------------------------------------------------------------------

    async def add(self, entry: LogEntry, line: bytes | None = None) -> None:
        """Keep an entry; it is on the disk when this returns, or in memory while the disk refuses.

        Args:
            entry: Which.
            line: Its line, where somebody has made it.

        Raises:
            FullError: There is no room.
        """
        line = line or await encoded(entry)
        if self._bytes() + sum(len(each) for each, _, _ in self._queue) + len(line) > self._limit:
            raise FullError
        kept = asyncio.get_running_loop().create_future()
        self._queue.append((line, entry, kept))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
        await asyncio.shield(kept)

    async def _flush(self) -> None:
        """Add what is asked for, all that came meanwhile with one sync."""
        while self._queue:
            async with self._files:
                batch, error = self._queue[:], None
                try:
                    current = await self._added(b"".join(line for line, _, _ in batch))
                except FullError as failed:
                    error = failed
                else:
                    for _, entry, _ in batch:
                        current.count(entry)
                del self._queue[: len(batch)]
            for _, _, kept in batch:
                if kept.cancelled():
                    continue
                if error is None:
                    kept.set_result(None)
                else:
                    kept.set_exception(error)
                    kept.exception()  # who asked may be gone

    async def _added(self, lines: bytes) -> Counted:
        """Add lines to a file, or to memory while the disk refuses; return what has them."""
        if self._folder is not None:
            try:
                return await self._added_to_file(self._folder, lines)
            except OSError as error:
                if self._current is None or _is_on_disk(self._current):
                    log.warning("spool_in_memory", folder=str(self._folder), error=type(error).__name__)
        return self._added_to_memory(lines)

    async def _added_to_file(self, folder: Path, lines: bytes) -> Counted:
        """Add lines to the open file, or to a new one; what memory had meanwhile goes before them."""
        current = self._current
        if current is not None and _is_on_disk(current):
            await beside(current.segment.add, lines)
            return current
        before = b"" if current is None else current.segment.content()
        segment = await beside(FileSegment.create_with, folder, f"{self._process}-", before + lines)
        if current is None:
            current = self._current = Counted(segment)
        else:
            current.segment = segment
        return current

    def _added_to_memory(self, lines: bytes) -> Counted:
        """Add lines to memory, behind the file that takes no more."""
        if self._current is not None and _is_on_disk(self._current):
            self._sealed.append(self._current)
            self._current = None
        held = sum(each.segment.size for each in self._all() if not _is_on_disk(each))
        if held + len(lines) > _MOST_IN_MEMORY:
            raise FullError
        if self._current is None:
            self._current = Counted(MemorySegment())
        self._current.segment.add(lines)
        return self._current

    # -- out -----------------------------------------------------------------------------------------

    async def replay(self, write: Write) -> bool:
        """Write what waits, in the order it came; return whether all that waited when it began is written.

        What was written and is still here, as a crash came between, is written again. What can't be written keeps its
        user's later entries back, and nobody else's.

        Args:
            write: Writes an entry. Raises StoreUnavailableError where it is in vain to go on.
        """
        async with self._replaying:
            tried: list[Counted] = []
            held: set[str] = set()
            while (counted := await self._untried(tried, held)) is not None:
                if not await self._replay_segment(counted, write, held):
                    return False
                tried.append(counted)
            return not held

    async def _untried(self, tried: list[Counted], held: set[str]) -> Counted | None:
        """Return the oldest segment that was not tried; of the one that is added to, nothing while it has only what is held back."""
        for counted in self._sealed:
            if not any(each is counted for each in tried):
                return counted
        async with self._files:
            current = self._current
            if current is None or (current.users and current.users.keys() <= held):
                return None
            self._sealed.append(current)
            self._current = None
            return current

    async def _replay_segment(self, counted: Counted, write: Write, held: set[str]) -> bool:
        """Write a segment, and delete what is written of it; return whether it is of use to go on."""
        read = counted.done
        while lines := await beside(counted.segment.lines, read, _READ_AT_ONCE):
            for line in lines:
                if self._erasing:
                    return False
                if not counted.is_written(read) and not await self._write(line, read, write, counted, held):
                    return False
                read += 1
        async with self._files:
            if not counted.users:
                await beside(counted.segment.remove)
                self._sealed.remove(counted)
            elif counted.done or counted.written:
                await self._shrink(counted)
        return True

    async def _shrink(self, counted: Counted) -> None:
        """Drop the lines that are written; where a full disk keeps them they are passed over, and a later process writes them again."""
        try:
            await counted.drop_written()
        except OSError as error:
            log.warning("spool_not_shrunk", error=type(error).__name__)

    async def _write(self, line: bytes, number: int, write: Write, counted: Counted, held: set[str]) -> bool:
        """Write a line's entry, or hold its user's back; return whether it is of use to go on."""
        entry = decode(line)
        if entry is None:
            log.error("spool_damaged", bytes=len(line))
            counted.note_written(number)
            return True
        user_id = entry.exchange.turn.scope.user_id
        if user_id in held:
            return True
        try:
            await write(entry)
        except StoreUnavailableError:
            return False
        except Exception as error:  # noqa: BLE001 -- whatever it is, it must keep nobody else's back
            detail = str(error) if isinstance(error, RecollectError) else ""
            log.warning("spool_held", error=type(error).__name__, detail=detail, place=place(error))
            held.add(user_id)
            return True
        counted.note_written(number)
        counted.discount(entry)
        return True

    # -- for good ------------------------------------------------------------------------------------

    async def erase(self, erased: Scope | str, *, at: datetime) -> int:
        """Delete what a user said until then, or what was said in one of their chats; return how many entries.

        What is in the journal goes too, though the log may have it already.

        Raises:
            OSError: The disk refuses.
        """

        def is_erased(scope: Scope, said_at: datetime) -> bool:
            return said_at <= at and erased in {scope, scope.user_id}

        def goes(entry: LogEntry) -> bool:
            return is_erased(entry.exchange.turn.scope, entry.exchange.turn.at)

        self._erasing += 1
        try:
            noted = await self.journal.erase(is_erased)
            async with self._replaying, self._files:
                return noted + sum([await each.drop_written(goes) for each in self._all()])
        finally:
            self._erasing -= 1

    async def close(self) -> Waiting:
        """Leave what waits to whoever comes next, and return what that is; what is being added is added first. Never raises."""
        await self.journal.close()
        if self._flushing is not None:
            await asyncio.wait({self._flushing})
        for each in self._all():
            try:
                if each.segment.size:
                    await self._leave(each)
                else:
                    await beside(each.segment.remove)
            except OSError as error:
                log.warning("spool_not_closed", error=type(error).__name__)
        left = self.waiting
        self._sealed, self._current = [], None
        return left

    async def _leave(self, counted: Counted) -> None:
        """Let go of a segment; what is in memory as the disk refused it is tried for once more. Raises OSError."""
        if self._folder is not None and not _is_on_disk(counted):
            lines = counted.segment.content()
            counted.segment = await beside(FileSegment.create_with, self._folder, f"{self._process}-", lines)
        counted.segment.close()

    def _all(self) -> list[Counted]:
        return self._sealed + ([self._current] if self._current is not None else [])

    def _bytes(self) -> int:
        return sum(each.segment.size for each in self._all())


def _is_on_disk(counted: Counted) -> bool:
    return isinstance(counted.segment, FileSegment)


def _adopted(folder: Path) -> list[Counted]:
    """Return the files that dead processes left, with what waits in them counted."""
    found = []
    for segment in left_in(folder):
        counted, read = Counted(segment), 0
        while lines := segment.lines(read, _READ_AT_ONCE):
            read += len(lines)
            for entry in filter(None, map(decode, lines)):
                counted.count(entry)
        found.append(counted)
    return found
