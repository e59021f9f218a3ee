"""Spools for tests, and what is said in them."""

import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs
from structlog.typing import EventDict
from uuid_utils.compat import uuid7

from recollect.engine.recording.exchanges import ended, new_exchange
from recollect.model import LogEntry, Scope, Turn
from recollect.spool import Kept, Spool

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
ROOM = 1_000_000


def entry(
    text: str = "I drink tea", *, user: str = "anna", chat: str = "chat-1", at: datetime = NOON
) -> LogEntry:
    turn = Turn(Scope(user, chat), text, str(uuid7()), at, "scripted")
    return ended(new_exchange(turn, credential=None), "Good.", ())


class Taking:
    """Takes what was said, in order, as a store does; ``fails`` returns what it raises for an entry, if anything."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.fails: Callable[[LogEntry], Exception | None] = lambda _: None

    async def __call__(self, given: LogEntry) -> None:
        if (error := self.fails(given)) is not None:
            raise error
        self.texts.append(given.exchange.turn.text)


async def opened(folder: Path | None, *, limit: int = ROOM) -> Spool:
    spool = Spool(folder, limit=limit)
    await spool.open()
    await spool.adopt()
    return spool


async def add(spool: Spool, entry: LogEntry) -> Kept:
    """Keep an entry, which then waits for the log."""
    kept = await spool.keep(entry)
    await spool.wait(kept)
    return kept


def files(folder: Path) -> list[Path]:
    """Return the files that have lines."""
    return sorted(each for each in folder.glob("*.spool") if each.stat().st_size)


def held(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in files(folder))


@contextmanager
def full_disk(room: int = 0) -> Iterator[list[EventDict]]:
    """Let the kernel refuse this process every byte of a file behind the first so many; a log may be one."""
    before, acts = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        with capture_logs() as logs:
            yield logs
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, acts)


def of_writing(logs: Sequence[Any]) -> list[str]:
    """Return the logged events of a spool that writes: those of other spools that are adopted meanwhile are left out."""
    return [
        line["event"] for line in logs if line["event"] in {"spool_moved_to_memory", "spool_write_failed"}
    ]
