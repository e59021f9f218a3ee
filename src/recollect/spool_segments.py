"""The files of a spool: segments of lines, in memory while the disk refuses; and a line, which is a phase of an exchange.

A line is the CRC-32 of its text (ISO 3309) and the text's length in bytes, both in hexadecimal, which show whether it is whole; then the
text: JSON, in which no line ends. A process holds a lock while it lives, and the names of its files begin with its name.
Files whose process is dead are taken over by renaming them. It keeps no credential.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zlib import crc32

import msgspec
from uuid_utils.compat import uuid7

from recollect.errors import StoreError
from recollect.model import Exchange, FailedAt, Failure, LogEntry, Message, Phase, Role, Scope, Turn
from recollect.runtime.file_lock import FileLock
from recollect.text.normalization import storable_id, storable_text

_HEAD = len(b"00000000 00000000 ")


class _Record(msgspec.Struct, omit_defaults=True):
    """The parts of a phase that the message log needs; of the history the number of messages and the end of the last answer."""

    phase: Phase
    id: UUID
    user: str
    session: str
    key: str
    at: datetime
    text: str
    model: str
    message_id: UUID
    reply_id: UUID
    reply: str = ""
    carried: int = 0
    anchor: str | None = None
    speaker: str | None = None
    parent: str | None = None
    marked: bool = False
    authorized: bool = False
    recalled: tuple[UUID, ...] = ()
    upstream: str = ""
    answer_id: str = ""
    zone: str = ""
    name: str = ""
    answered: str = ""
    continues: bool = False
    failed_at: FailedAt | None = None
    failed_status: int | None = None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Record)


def encode(entry: LogEntry) -> bytes:
    """Return the line of an entry, with its end."""
    exchange, turn = entry.exchange, entry.exchange.turn
    record = _Record(
        phase=entry.phase,
        id=exchange.id,
        user=str(turn.scope.user_id),
        session=str(turn.scope.session_id),
        key=str(turn.key),
        at=turn.at,
        text=storable_text(turn.text),
        model=storable_text(turn.model),
        message_id=exchange.message_id,
        reply_id=exchange.reply_id,
        reply=storable_text(exchange.reply) if entry.phase is Phase.ENDED else "",
        carried=len(turn.history),
        anchor=storable_text(turn.anchor),
        speaker=None if turn.speaker is None else storable_text(turn.speaker),
        parent=_storable_parent(turn.parent),
        marked=turn.marked,
        authorized=exchange.authorized,
        recalled=entry.recalled,
        upstream=storable_text(turn.upstream),
        answer_id=storable_text(exchange.answer_id),
        zone=turn.zone,
        name=storable_text(turn.name),
        answered=storable_text(turn.answered),
        continues=exchange.continues,
        failed_at=None if exchange.failure is None else exchange.failure.stage,
        failed_status=None if exchange.failure is None else exchange.failure.status,
    )
    text = _ENCODER.encode(record)
    return b"%08x %08x %s\n" % (crc32(text), len(text), text)


def _storable_parent(parent: str | None) -> str | None:
    """Return a parent for the log: none if it could be no key, as two of them might become one."""
    try:
        return None if parent is None else storable_id(parent)
    except StoreError:
        return None


def _history(record: _Record) -> tuple[Message, ...]:
    """Return the log's part of a history: the number of messages, and the end of the last answer."""
    carried = (Message(Role.USER, ""),) * record.carried
    return (*carried[:-1], Message(Role.ASSISTANT, record.answered)) if record.answered else carried


def decode(line: bytes) -> LogEntry | None:
    """Return the entry of a line; None if it is not whole, or not ours."""
    text = line[_HEAD:].removesuffix(b"\n")
    # A crash may have cut a line off, or something may have been written over it.
    if line[:_HEAD] != b"%08x %08x " % (crc32(text), len(text)) or not line.endswith(b"\n"):
        return None
    try:
        record = _DECODER.decode(text)
    except msgspec.DecodeError:
        return None
    turn = Turn(
        Scope(record.user, record.session),
        record.text,
        record.key,
        record.at,
        record.model,
        history=_history(record),
        speaker=record.speaker,
        anchors=() if record.anchor is None else ((record.carried, record.anchor),),
        marked=record.marked,
        parent=record.parent,
        upstream=record.upstream,
        zone=record.zone,
        name=record.name,
    )
    exchange = Exchange(
        record.id,
        turn,
        record.reply,
        record.message_id,
        record.reply_id,
        authorized=record.authorized,
        answer_id=record.answer_id,
        continues=record.continues,
        failure=None if record.failed_at is None else Failure(record.failed_at, record.failed_status),
    )
    return LogEntry(record.phase, exchange, record.recalled)


_LINES, _PART, _LOCK = ".spool", ".part", ".lock"

_TRIES = 20
"""How often a process tries to lock a name of its own: another one that looks for dead processes may lock it first."""


@dataclass(slots=True, eq=False)
class Line:
    """A line of a segment.

    Attributes:
        scope: The user who said it, and the chat.
        at: When.
        exchange_id: The exchange of which it is a phase.
        segment: The segment that has it; None if none has.
        offset: Its beginning in the segment, in bytes.
        size: Its bytes.
        waits: Whether it waits for the log; else it is just being written there.
        is_done: Whether the log has it, or it is lost.
    """

    scope: Scope
    at: datetime
    exchange_id: UUID
    segment: "Segment | None" = None
    offset: int = 0
    size: int = 0
    waits: bool = False
    is_done: bool = False

    @property
    def user_id(self) -> str:
        """The user who said it."""
        return self.scope.user_id

    @property
    def is_on_disk(self) -> bool:
        """Whether it outlives this process."""
        return self.segment is not None and self.segment.is_on_disk


class Segment:
    """Lines in the order in which they came.

    Attributes:
        path: Its file, be it there already or not.
        lines: Its lines.
        size: Their bytes.
        unfinished: How many of them are not done.
        users: How many lines of each user wait.
        exchanges: How many lines of each exchange wait.
        waiting_bytes: The bytes of the lines that wait.
    """

    def __init__(self, path: Path, descriptor: int | None = None) -> None:
        self.path = path
        self.lines: list[Line] = []
        self.size = self.unfinished = self.waiting_bytes = 0
        self.users: Counter[str] = Counter()
        self.exchanges: Counter[UUID] = Counter()
        self._descriptor = descriptor
        self._in_memory = bytearray()
        self._synced = 0
        self._is_named = False

    @classmethod
    def create(cls, path: Path) -> "Segment":
        """Create an empty file. Raises OSError."""
        return cls(path, _opened(path, os.O_EXCL))

    @property
    def is_on_disk(self) -> bool:
        """Whether its lines outlive the process."""
        return self._descriptor is not None

    @property
    def has_done(self) -> bool:
        """Whether lines in it are done."""
        return len(self.lines) > self.unfinished

    def append_line(self, kept: Line, line: bytes) -> None:
        """Add a whole line; in a file, the kernel has it when this returns. Raises OSError."""
        if self._descriptor is None:
            self._in_memory += line
        else:
            try:
                _write(self._descriptor, line, self.size)
            except OSError:
                os.ftruncate(self._descriptor, self.size)  # half a line would spoil the next
                raise
        self.has(kept, line)

    def has(self, kept: Line, line: bytes) -> None:
        """Count a line that the file has behind those before."""
        kept.segment, kept.offset, kept.size = self, self.size, len(line)
        self.size += len(line)
        self.lines.append(kept)
        self.unfinished += 1

    def let_wait(self, kept: Line) -> None:
        """Count a line as one that waits."""
        kept.waits = True
        self.users[kept.user_id] += 1
        self.exchanges[kept.exchange_id] += 1
        self.waiting_bytes += kept.size

    def finish(self, kept: Line) -> None:
        """Count a line as done."""
        kept.is_done = True
        self.unfinished -= 1
        if kept.waits:
            _take(self.users, kept.user_id)
            _take(self.exchanges, kept.exchange_id)
            self.waiting_bytes -= kept.size

    def read_lines(self, lines: Sequence[Line]) -> list[bytes]:
        """Return the text of some lines. Raises OSError."""
        descriptor = self._descriptor
        if descriptor is None:
            return [bytes(self._in_memory[each.offset : each.offset + each.size]) for each in lines]
        return [os.pread(descriptor, each.size, each.offset) for each in lines]

    def is_synced(self, kept: Line) -> bool:
        """Return whether a line is on the disk."""
        return self._is_named and self._synced >= kept.offset + kept.size

    def sync(self) -> None:
        """Have its lines on the disk. Raises OSError."""
        if self._descriptor is not None:
            size = self.size  # the loop may add lines while a thread waits for the disk
            os.fsync(self._descriptor)
            self._synced = size
            self._sync_name()

    def keep_only(self, wanted: Callable[[Line], bool]) -> None:
        """Keep only some lines, at once or not at all; the others have no segment afterwards. Raises OSError."""
        kept = [each for each in self.lines if wanted(each)]
        gone = set(self.lines).difference(kept)
        if not gone:
            return
        if kept:
            self._replace(b"".join(self.read_lines(kept)), is_on_disk=self.is_on_disk)
        else:
            self.clear()  # which a full disk allows
        self.lines, offset = kept, 0
        for each in kept:
            each.offset, offset = offset, offset + each.size
        for each in gone:
            each.segment = None
        self._sync_name()

    def store(self) -> None:
        """Move its lines from memory to the file. Raises OSError."""
        if self._descriptor is None:
            self._replace(bytes(self._in_memory), is_on_disk=True)
            self._sync_name()

    def _replace(self, data: bytes, *, is_on_disk: bool) -> None:
        """Replace the text of all lines."""
        if is_on_disk:
            part = self.path.with_suffix(_PART)
            descriptor = _opened(part, os.O_TRUNC)
            try:
                _write(descriptor, data, 0)
                # Before it takes the name, which a crash might else leave to an empty file.
                os.fsync(descriptor)
                part.replace(self.path)
            except BaseException:
                os.close(descriptor)
                part.unlink(missing_ok=True)
                raise
            self.close()
            self._descriptor, self._is_named = descriptor, False
        self._in_memory = bytearray() if is_on_disk else bytearray(data)
        self.size = self._synced = len(data)

    def _sync_name(self) -> None:
        """Have the file's name on the disk, unless it is. Raises OSError."""
        if self._descriptor is not None and not self._is_named:
            # A synced file is lost with its name, which the folder holds.
            descriptor = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            self._is_named = True

    def clear(self) -> None:
        """Drop every line. Raises OSError."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
        self._in_memory = bytearray()
        self.lines, self.size, self._synced = [], 0, 0

    def remove(self) -> None:
        """Delete the file. Raises OSError."""
        if self.path.name:  # in memory alone, a segment has none
            self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Leave the file to the next process."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class SegmentFolder:
    """The folder of the segments of several processes, and the name of this one, which it holds by a lock.

    Raises:
        OSError: The folder takes no files.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        for _ in range(_TRIES):
            self._name = str(uuid7())
            self._lock_path = path / f"{self._name}{_LOCK}"
            self._lock = FileLock(self._lock_path)
            if self._lock.take() and _is_still(self._lock_path, self._lock.descriptor):
                return
            self._lock.close()
        raise FileExistsError

    def next_path(self) -> Path:
        """Return the path of this process's next segment."""
        self._number += 1
        return self._path / f"{self._name}~{self._name}~{self._number:08}{_LINES}"

    def take_over(self) -> Iterator[tuple[Segment, list[bytes]]]:
        """Yield the segments that dead processes left, each with its lines, process by process, by when each began.

        Raises:
            OSError: One can't be read.
        """
        left = (each for each in self._path.iterdir() if each.suffix in {_LINES, _PART, _LOCK})
        # A name is a UUID of version 7, so that the earlier process comes first.
        for name in sorted({each.name[: len(self._name)] for each in left} - {self._name}):
            lock_path = self._path / f"{name}{_LOCK}"
            lock = FileLock(lock_path)
            try:
                if lock.take():
                    yield from self._segments_of(name)
                    lock_path.unlink(missing_ok=True)
            finally:
                lock.close()

    def _segments_of(self, name: str) -> Iterator[tuple[Segment, list[bytes]]]:
        for part in self._path.glob(f"{name}~*{_PART}"):
            part.unlink(missing_ok=True)
        # The rest of a name has the process that wrote it, and orders them.
        for path in sorted(self._path.glob(f"{name}~*{_LINES}")):
            own = path.rename(path.with_name(f"{self._name}{path.name[len(name) :]}"))
            yield Segment(own, _opened(own)), own.read_bytes().splitlines(keepends=True)

    def close(self) -> None:
        """Leave the files to the next process."""
        self._lock_path.unlink(missing_ok=True)
        self._lock.close()


def _opened(path: Path, flags: int = 0) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)


def _write(descriptor: int, data: bytes, at: int) -> None:
    written = 0
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], at + written)


def _is_still(path: Path, descriptor: int) -> bool:
    """Return whether a path names the open file: who held its lock may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _take(counter: Counter[Any], key: object) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
