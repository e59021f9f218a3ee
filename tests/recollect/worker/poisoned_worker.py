"""A worker with mistakes that a text triggers.

It starts as ``recollect.worker`` does. A text with HELD holds the interpreter, one with SLOW never lets go of a thread, and
one with KILLED ends the process. The watchdog counts seconds only once such a text has come, so a busy machine changes
nothing for other texts.
"""

import os
import re
import signal
import time
from typing import Any

from recollect.formation import pipeline
from recollect.formation.analyzed_turn import analyze_turn
from recollect.model import Exchange
from recollect.models import background_limits as steps
from recollect.worker import main as worker

_SECONDS = 1
HELD, SLOW, KILLED = "poison that holds", "poison that lasts", "poison that kills"


def _read(exchange: Exchange) -> Any:
    text = exchange.turn.text
    if HELD in text:
        worker.HELD_SECONDS = _SECONDS  # type: ignore[attr-defined]
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)
        re.search("(a|a)*b", "a" * 60)
    if SLOW in text:
        steps.SECONDS[steps.Step.FORM] = 0.0
        time.sleep(600)
    if KILLED in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return analyze_turn(exchange)


if __name__ == "__main__":
    pipeline.analyze_turn = _read  # type: ignore[attr-defined]
    worker._LOOK_SECONDS = 0.2
    worker.main()
