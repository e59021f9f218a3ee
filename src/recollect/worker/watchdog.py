"""Ends a stuck worker: from outside of its interpreter if that is held, from within if a step is overdue.

Never: the work of a step.
"""

import asyncio
import os
import signal

import structlog

from recollect.models.attempts import Steps

HELD_SECONDS = 20
"""Seconds that a worker's interpreter may be held. Ordinary work holds it for milliseconds, even on a machine that is too busy
to answer chats; code that holds it this long would hold it for hours."""

OVERDUE = 75
"""The exit code of a worker that gave up a step (EX_TEMPFAIL of sysexits.h)."""

_LOOK_SECONDS = 1.0

log = structlog.get_logger(__name__)


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
