"""Tries expressions on hostile texts in a process that is killed when one takes longer than any power of two does.

What is counted is the process's own time at the processor, so that other work on the machine kills nothing.
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

from recollect.text.patterns import Anchored, Bounded

MOST_SECONDS = 3.0
"""Of processor time for one text of a window: linear time takes a thousandth, its square some hundredths."""

Texts: TypeAlias = Callable[[Anchored], Iterator[str]]


def blown_up(patterns: Sequence[Anchored], texts: Texts) -> list[tuple[str, str]]:
    """Return the expressions that were killed, each with the text it was killed at.

    Args:
        patterns: What is tried.
        texts: Makes the texts for one of them.
    """
    found: list[tuple[str, str]] = []
    begin = 0
    while begin < len(patterns):
        at, text = _run(patterns, begin, texts)
        if at is None:
            break
        found.append((patterns[at].pattern, text))
        begin = at + 1
    return found


def _run(patterns: Sequence[Anchored], begin: int, texts: Texts) -> tuple[int | None, str]:
    """Try them from ``begin`` on; return which was being tried when the child was killed, and with what."""
    forked = multiprocessing.get_context("fork")
    receiver, sender = forked.Pipe(duplex=False)
    child = forked.Process(target=_try, args=(patterns, begin, texts, sender), daemon=True)
    child.start()
    sender.close()
    tried: tuple[int | None, str] = (begin, "")
    try:
        while True:
            tried = receiver.recv()
    except EOFError:
        child.join()
    return tried


def _try(patterns: Sequence[Anchored], begin: int, texts: Texts, sender: Connection) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # the kernel's own end of it: no Python runs within a match
    for number in range(begin, len(patterns)):
        for text in texts(patterns[number]):
            sender.send((number, text))
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            _read(patterns[number], text)
            signal.setitimer(signal.ITIMER_PROF, 0)
    sender.send((None, ""))


def _read(pattern: Anchored, text: str) -> None:
    if isinstance(pattern, Bounded):
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.match(text)
        pattern.fullmatch(text)
