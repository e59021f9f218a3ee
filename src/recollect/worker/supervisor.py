"""Supervises the worker process: starts it, sends it messages, restarts it when it ends; and the messages between both, a line of JSON each.

They go over the worker's standard streams. It does not know formation, and puts no message on a disk, as messages carry credentials.
"""

import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
import structlog
from cachetools import TTLCache

from recollect.engine.counters import FormationCounts
from recollect.engine.kept_credentials import CREDENTIAL_SECONDS, CREDENTIALS_KEPT, LentCredential
from recollect.errors import raised_at
from recollect.formation import CallStatistics

LONGEST_LINE = 1024 * 1024
"""The most bytes of one line."""

HELD_SECONDS = 20
"""Seconds that a worker's interpreter may be held. Ordinary work holds it for milliseconds, even on a machine that is too busy
to answer chats; code that holds it this long would hold it for hours."""

OVERDUE = 75
"""The exit code of a worker that gave up a step (EX_TEMPFAIL of sysexits.h)."""


class Start(msgspec.Struct, frozen=True, tag="start"):
    """The first line to a worker: its settings.

    Attributes:
        settings: The engine's settings by name. Secrets are in clear text.
        upstream: The base URL of the LLM server that chats use, if there is one.
        log_level: The log level, for logs as JSON; None: structlog's own configuration.
        is_sent_chats: Whether the worker is sent ``Chats``. If not, it looks for running chats in the message log.
    """

    settings: Mapping[str, Any]
    upstream: str | None = None
    log_level: str | None = None
    is_sent_chats: bool = True


class Clear(msgspec.Struct, frozen=True, tag="clear"):
    """To a worker: clear the caches that hold texts or embeddings."""


class RunningChats(msgspec.Struct, frozen=True, tag="chats"):
    """To a worker: the number of chats that run on the upstream now."""

    running: int


class Report(msgspec.Struct, frozen=True, tag="report"):
    """From a worker: its counts since its start, and the statistics of its model calls."""

    counts: FormationCounts
    guarded: CallStatistics


ToWorker: TypeAlias = Start | LentCredential | Clear | RunningChats


_TO_WORKER: msgspec.json.Decoder[ToWorker] = msgspec.json.Decoder(
    Start | LentCredential | Clear | RunningChats
)
_REPORT = msgspec.json.Decoder(Report, dec_hook=lambda _kind, numbers: Counter(numbers))


def line_of(message: ToWorker | Report) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def to_worker(line: bytes) -> ToWorker:
    """Return the message of a line to a worker. Raises msgspec.MsgspecError."""
    return _TO_WORKER.decode(line)


def read_report(line: bytes) -> Report:
    """Return the report in a line of a worker. Raises msgspec.MsgspecError."""
    return _REPORT.decode(line)


_COMMAND = (sys.executable, "-P", "-m", "recollect.worker")
"""Starts a worker; ``-P`` keeps it from importing modules of the current folder."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 15.0
_FIRST_PAUSE = 0.2
"""Seconds before the first worker starts: it imports for a second, and the proxy is to be ready first."""

_QUIET_SECONDS = 0.25
"""Seconds without a chat before the worker gets to know: a wake-up for each chat would take the chats' processor."""

_LIVED_SECONDS = 60.0
"""If a worker ran at least this long, its end is not counted as a repeated failure: the pause before a restart starts over."""

_LEAVE_SECONDS = 6.0
_MOST_UNREAD = 4 * 1024 * 1024
"""Bytes that may wait for a worker to read them. A stuck worker is sent no further credentials."""

log = structlog.get_logger(__name__)


class WorkerProcess:
    """Runs the worker in a process of its own, and restarts it whenever it ends. Implements ``Worker``.

    The counts continue across restarts. If this process ends, the worker ends too, because its standard input closes.
    A worker that ``yields`` gets messages about chats on the upstream.
    """

    def __init__(self, start: Start, *, yields: bool = False) -> None:
        self._start = start
        self._yields = yields
        self._running = 0
        self._knows_of_chats = False
        self._quiet: asyncio.TimerHandle | None = None
        self._credentials: TTLCache[UUID, LentCredential] = TTLCache(CREDENTIALS_KEPT, CREDENTIAL_SECONDS)
        self._process: asyncio.subprocess.Process | None = None
        self._before = FormationCounts()
        self._now = FormationCounts()
        self.guarded = CallStatistics()

    @property
    def counts(self) -> FormationCounts:
        """The counts of all workers since the start, added up."""
        return self._before.plus(self._now)

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def lend(self, lent: LentCredential) -> None:
        """Lend the worker the credential of an exchange's request, for a while."""
        before = self._credentials.get(lent.exchange_id)
        if before is None or lent.is_answered or lent.credential is None:
            self._credentials[lent.exchange_id] = lent
        self._send(lent)

    def clear_caches(self) -> None:
        """Have the worker clear its caches of texts."""
        self._send(Clear())

    def note_running_chats(self, running: int) -> None:
        """Tell the worker when a chat runs on the upstream, and when none has for a moment: a message wakes it."""
        self._running = running
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
        if running:
            self._send_chats()
        else:
            self._quiet = asyncio.get_running_loop().call_later(_QUIET_SECONDS, self._send_chats)

    def _send_chats(self) -> None:
        is_any = bool(self._running)
        if self._yields and is_any != self._knows_of_chats:
            self._knows_of_chats = is_any
            self._send(RunningChats(self._running))

    def _send(self, message: ToWorker) -> None:
        pipe = None if self._process is None else self._process.stdin
        if pipe is None or pipe.is_closing() or pipe.transport.get_write_buffer_size() > _MOST_UNREAD:
            return  # the next worker gets everything that is still known
        pipe.write(line_of(message))

    async def run(self) -> None:
        """Keep a worker running until cancelled."""
        pause = _SHORTEST_PAUSE
        await asyncio.sleep(_FIRST_PAUSE)
        while True:
            began = time.monotonic()
            try:
                how = await self._live()
            except OSError as error:
                how = f"it can't be started: {error.strerror}"
            except Exception as error:  # noqa: BLE001 -- whatever it is, without a worker nothing is formed any more
                how = f"{type(error).__name__} in {raised_at(error)}"
            if time.monotonic() - began > _LIVED_SECONDS:
                pause = _SHORTEST_PAUSE
            log.warning("worker_ended", reason=how, retry_seconds=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _live(self) -> str:
        """Run one worker process; return how it ended."""
        # In a process group of its own: Ctrl-C in a terminal does not end it first.
        process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
        )
        self._process = process
        try:
            self._send(self._start)
            self._knows_of_chats = False
            self._send_chats()
            for lent in list(self._credentials.values()):  # the oldest first: it is its person's
                self._send(lent)
            log.info("worker_started", process=process.pid)
            await self._hear(process)
            return _how(await process.wait())
        finally:
            self._process = None
            await _end(process)
            self._before, self._now = self.counts, FormationCounts()

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 -- it is a pipe
        while line := await process.stdout.readline():
            try:
                said = read_report(line)
            except msgspec.MsgspecError as error:
                log.warning("worker_report_rejected", error=type(error).__name__)
            else:
                self._now, self.guarded = said.counts, said.guarded


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask a worker to end, and kill it if it does not."""
    if process.stdin is not None:
        process.stdin.close()
    if process.returncode is not None:
        return
    try:
        process.terminate()  # one that still starts, and hears nothing yet, ends at once
        await asyncio.wait_for(process.wait(), _LEAVE_SECONDS)
    except TimeoutError:
        log.warning("worker_killed", reason="it did not end when told to")
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _how(code: int) -> str:
    if code == -signal.SIGALRM:
        return f"its interpreter was held for {HELD_SECONDS} seconds"
    if code == OVERDUE:
        return "a step took too long"
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit {code}"
