"""A piece of a spool: lines that are only added to, in a file that is synced, or in memory. Never: what they say.

A file's lock tells that its process lives: a file that nobody holds was left by one that does not.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

from uuid_utils.compat import uuid7

from recollect.file_lock import FileLock

_SUFFIX, _BESIDE, _PROBE = ".spool", ".part", ".probe"

_TRIES, _AGAIN_SECONDS = 20, 0.005
"""How often a file is tried for that a process which looks for what others left may have for a moment."""


class Segment(Protocol):
    """Lines in the order they came.

    Attributes:
        size: Their bytes.
    """

    size: int

    def add(self, data: bytes) -> None:
        """Add whole lines; all of them are kept when this returns, or none. Raises OSError."""
        ...

    def lines(self, start: int, count: int) -> list[bytes]:
        """Return so many lines behind the first ``start``. Raises OSError."""
        ...

    def content(self) -> bytes:
        """Return all lines, one behind the other. Raises OSError."""
        ...

    def keep(self, wanted: Callable[[bytes], bool]) -> None:
        """Keep only the lines that are wanted, at once or not at all. Raises OSError."""
        ...

    def remove(self) -> None:
        """Delete all of it. Raises OSError."""
        ...

    def close(self) -> None:
        """Leave it to whoever comes next."""
        ...


class FileSegment:
    """Implements ``Segment`` in a file that this process holds."""

    def __init__(self, path: Path, lock: FileLock) -> None:
        self.path = path
        self._lock = lock
        self.size = os.fstat(lock.descriptor).st_size
        self._at: tuple[int, int] = (0, 0)

    @classmethod
    def create(cls, folder: Path, prefix: str, *, is_durable: bool = True) -> "FileSegment":
        """Create a file that nobody else will take.

        Args:
            folder: Where.
            prefix: What its name begins with. Files are taken over in the order of their names.
            is_durable: Whether it outlives the machine.

        Raises:
            OSError: It can't be.
        """
        for _ in range(_TRIES):
            path = folder / f"{prefix}{uuid7()}{_SUFFIX}"
            if (lock := _held(path)) is not None:
                break
        else:  # another process looked each time, and has a file without a line
            raise FileExistsError
        if is_durable:
            _sync_folder(folder)
        return cls(path, lock)

    @classmethod
    def create_with(cls, folder: Path, prefix: str, data: bytes) -> "FileSegment":
        """Create a file that has these lines, on the disk; none is left where the disk refuses them. Raises OSError."""
        segment = cls.create(folder, prefix)
        try:
            segment.add(data)
        except OSError:
            segment.remove()
            raise
        return segment

    @classmethod
    def adopt(cls, path: Path) -> "FileSegment | None":
        """Take over a file that a process left; None where somebody holds it, or has just removed it."""
        lock = _held(path)
        return None if lock is None else cls(path, lock)

    def add(self, data: bytes) -> None:
        """Add whole lines, and have them on the disk."""
        self._add(data, is_durable=True)

    def write(self, data: bytes) -> None:
        """Add whole lines, and leave it to the kernel when they are on the disk."""
        self._add(data, is_durable=False)

    def _add(self, data: bytes, *, is_durable: bool) -> None:
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._lock.descriptor, data[written:], self.size + written)
            if is_durable:
                os.fsync(self._lock.descriptor)
        except OSError:
            os.ftruncate(self._lock.descriptor, self.size)  # half a line would spoil the next
            raise
        self.size += len(data)

    def clear(self) -> None:
        """Drop every line."""
        os.ftruncate(self._lock.descriptor, 0)
        self.size, self._at = 0, (0, 0)

    def lines(self, start: int, count: int) -> list[bytes]:
        """Return some lines; those behind what was returned last are found at once."""
        with self.path.open("rb") as file:
            number, offset = self._at if self._at[0] <= start else (0, 0)
            file.seek(offset)
            found = list(islice(file, start - number, start - number + count))
            self._at = (start + len(found), file.tell()) if found else (0, 0)
            return found

    def content(self) -> bytes:
        """Return all lines."""
        return self.path.read_bytes()

    def keep(self, wanted: Callable[[bytes], bool]) -> None:
        """Write beside it what is wanted, and put that in its place."""
        beside = self.path.with_suffix(_BESIDE)
        lock = _held_soon(beside)
        try:
            os.ftruncate(lock.descriptor, 0)
            with os.fdopen(os.dup(lock.descriptor), "wb") as written, self.path.open("rb") as file:
                written.writelines(line for line in file if wanted(line))
                written.flush()
                os.fsync(written.fileno())
            beside.replace(self.path)
        except BaseException:
            beside.unlink(missing_ok=True)
            lock.close()
            raise
        self._lock.close()
        self._lock, self._at = lock, (0, 0)
        self.size = os.fstat(lock.descriptor).st_size
        _sync_folder(self.path.parent)

    def remove(self) -> None:
        """Delete the file, before it is free to be taken."""
        self.path.unlink(missing_ok=True)
        self._lock.close()

    def close(self) -> None:
        """Let go of the file."""
        self._lock.close()


class MemorySegment:
    """Implements ``Segment`` where nothing is to be kept on disk, or nothing can be."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self.size = 0

    def add(self, data: bytes) -> None:
        """Add whole lines."""
        self._lines += data.splitlines(keepends=True)
        self.size += len(data)

    def lines(self, start: int, count: int) -> list[bytes]:
        """Return some lines."""
        return self._lines[start : start + count]

    def content(self) -> bytes:
        """Return all lines."""
        return b"".join(self._lines)

    def keep(self, wanted: Callable[[bytes], bool]) -> None:
        """Keep only what is wanted."""
        self._lines = list(filter(wanted, self._lines))
        self.size = sum(map(len, self._lines))

    def remove(self) -> None:
        """Delete all of it."""
        self._lines, self.size = [], 0

    def close(self) -> None:
        """End with the process."""


def make(folder: Path) -> None:
    """Make the folder of segments, where there is none, and see whether it takes files. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    probe = folder / f"{uuid7()}{_PROBE}"  # a folder that can be listed may refuse files
    probe.touch(mode=0o600)
    probe.unlink(missing_ok=True)


def left_in(folder: Path) -> Iterator[FileSegment]:
    """Yield the files that processes left; what they had not finished is removed.

    They come in the order of their names: process by process, by when it began, and of each the spool before the
    journal. Not by when a file was made: a page of a journal is made early, and what is in it when its process dies
    was said after all that waits in the spool.

    Raises:
        OSError: The folder can't be read.
    """
    for path in _listed(folder):
        try:
            segment = FileSegment.adopt(path)
        except FileNotFoundError:
            continue
        if segment is not None and path.suffix == _BESIDE:
            segment.remove()
        elif segment is not None:
            yield segment


def _listed(folder: Path) -> Sequence[Path]:
    return sorted(each for each in folder.iterdir() if each.suffix in {_SUFFIX, _BESIDE})


def _held(path: Path) -> FileLock | None:
    """Return the lock of a file, which is made where there is none; None where somebody else has it, or removed it."""
    lock = FileLock(path)
    if lock.take() and _is_still(path, lock.descriptor):
        return lock
    lock.close()
    return None


def _held_soon(path: Path) -> FileLock:
    """Return the lock of a file that others take only to remove it. Raises FileExistsError."""
    for _ in range(_TRIES):
        if (lock := _held(path)) is not None:
            return lock
        time.sleep(_AGAIN_SECONDS)
    raise FileExistsError


def _is_still(path: Path, descriptor: int) -> bool:
    """Return whether a path still names the open file: who held it may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    """Have on the disk which files are in a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
