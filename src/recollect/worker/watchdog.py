"""Ends a worker that is stuck: from outside of its interpreter where that is held, from within where a step is overdue.

Never: what the steps do.
"""

import asyncio
import os
import signal

import structlog

from recollect.models.attempts import Steps

HELD_SECONDS = 20
"""How long a worker's interpreter may be held. What holds it so long would hold it for hours: ordinary work takes
milliseconds, and a processor is shared by so many only where nobody's chat is answered either."""

OVERDUE = 75
"""With what a worker ends that gave up a step (EX_TEMPFAIL of sysexits.h)."""

_LOOK_SECONDS = 1.0

log = structlog.get_logger(__name__)


async def watch(steps: Steps) -> None:
    """Watch until cancelled; the process ends where a step is overdue, or where nothing can watch any more.

    The kernel sends SIGALRM when its timer was not set anew in time, and its own action on it ends the process: no
    code of ours has to run, which it could not while one expression or one loop in C holds the interpreter.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    try:
        while True:
            signal.setitimer(signal.ITIMER_REAL, HELD_SECONDS)
            await asyncio.sleep(_LOOK_SECONDS)
            if (step := steps.overdue()) is not None:
                log.error("worker_step_overdue", step=step.value)
                os._exit(OVERDUE)  # a thread that does not end would keep any other way from ending
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
