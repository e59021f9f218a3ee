"""The main function of a worker process: opens its backends, works, reports its counts, and ends with its standard input."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO

import msgspec
import structlog

from recollect.assembly.lifecycle import open_backends
from recollect.assembly.policy_from_settings import make_policy
from recollect.engine import system_clock
from recollect.engine.background.formation_worker import FormationWorker
from recollect.engine.kept_credentials import LentCredential
from recollect.errors import RecollectError, raised_at
from recollect.formation.pipeline import warm_up
from recollect.models.background_limits import Steps
from recollect.ports import Cache
from recollect.runtime.logs import configure_logging
from recollect.settings.engine_settings import EngineSettings
from recollect.worker.supervisor import (
    HELD_SECONDS,
    LONGEST_LINE,
    OVERDUE,
    Clear,
    Report,
    RunningChats,
    Start,
    line_of,
    to_worker,
)

_LOOK_SECONDS = _TELL_SECONDS = 1.0
_START = msgspec.json.Decoder(Start)

log = structlog.get_logger(__name__)


def main() -> None:
    """Work until standard input ends."""
    told_to, tells = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # a library's own output goes to the log, not into our messages
    sys.exit(asyncio.run(_live(told_to, tells)))


async def _live(told_to: BinaryIO, tells: BinaryIO) -> int:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), told_to
    )
    try:
        start = _START.decode(await reader.readline())
        if start.log_level is not None:
            configure_logging(start.log_level)
        await _work(start, reader, tells)
    except RecollectError as error:
        log.error("worker_start_failed", error=type(error).__name__, detail=str(error))  # noqa: TRY400 -- the message says it all
        return 1
    except Exception as error:  # noqa: BLE001 -- its text may quote a setting's value
        log.error("worker_start_failed", error=type(error).__name__, raised_at=raised_at(error))  # noqa: TRY400 -- as above
        return 1
    finally:
        transport.close()
    return 0


async def _work(start: Start, reader: asyncio.StreamReader, tells: BinaryIO) -> None:
    settings = EngineSettings(**start.settings)
    async with open_backends(settings, upstream=start.upstream, lives=True) as backends:
        await asyncio.to_thread(warm_up)
        gc.freeze()  # objects of the start stay: no later collection looks through them, and none did until here
        gc.enable()
        policy = make_policy(settings, upstream=start.upstream)
        worker = FormationWorker(backends, policy, system_clock, is_sent_chats=start.is_sent_chats)
        working = asyncio.create_task(worker.run())
        further = {
            working,
            asyncio.create_task(_listen(reader, worker, backends.caches)),
            asyncio.create_task(_until_told_to_end()),
            asyncio.create_task(_report_counts(worker, tells)),
            asyncio.create_task(watch(worker.steps)),
        }
        ended, _ = await asyncio.wait(further, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            if (error := task.exception()) is not None:
                log.error("worker_failed", error=type(error).__name__, raised_at=raised_at(error))
        working.cancel()
        await asyncio.wait({working})
        for task in further:
            task.cancel()
        await asyncio.wait(further)


async def _listen(reader: asyncio.StreamReader, worker: FormationWorker, caches: Sequence[Cache]) -> None:
    """Carry out messages until standard input ends."""
    while line := await reader.readline():
        match to_worker(line):
            case LentCredential() as lent:
                worker.lend(lent)
            case RunningChats(running):
                worker.note_running_chats(running)
            case Clear():
                for cache in caches:
                    cache.clear()


async def _until_told_to_end() -> None:
    """Return at SIGTERM, which each process of a stopped process group gets."""
    signalled = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, signalled.set)
    await signalled.wait()


async def _report_counts(worker: FormationWorker, tells: BinaryIO) -> None:
    """Report the counts whenever they have changed."""
    last = b""
    while True:
        line = line_of(Report(worker.counts, worker.guarded))
        if line != last:
            with suppress(BrokenPipeError):  # no one hears it: standard input ends too
                await asyncio.to_thread(tells.write, line)
            last = line
        await asyncio.sleep(_TELL_SECONDS)


async def watch(steps: Steps) -> None:
    """Watch until cancelled; end the process if a step is overdue, or if nothing can watch any more.

    The kernel sends SIGALRM if its timer was not set again in time, and its default action ends the process. No code of ours
    has to run: none could while an expression or a loop in C holds the interpreter.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    try:
        while True:
            signal.setitimer(signal.ITIMER_REAL, HELD_SECONDS)
            await asyncio.sleep(_LOOK_SECONDS)
            if (step := steps.overdue()) is not None:
                log.error("worker_step_timed_out", step=step.value)
                os._exit(OVERDUE)  # a thread that does not end would keep any other way from ending
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
