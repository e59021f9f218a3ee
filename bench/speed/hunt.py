"""A hunt for texts that hold everybody up: python -m bench hunt --minutes 30 --seed 1.

First the steps that read a text, each with texts of a seeded stream, in children that are killed where one takes too
long: milliseconds of processor time a KB (1,000 characters), below one KB of the text. Then, for a third of the time,
a running proxy, to which somebody sends the same texts while somebody else asks something short again and again.
Never: a test, an assertion.
"""

import argparse
import gc
import multiprocessing
import os
import signal
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path

from tests.compiled_patterns import anchored_and_bounded, linear_ones, texts_of

from bench.speed.hunt_proxy import felt_beside
from bench.speed.hunt_texts import Stream, as_python
from bench.speed.reading import STEPS

LIMIT = 50.0
"""Milliseconds a KB that no step should take."""
_KILLED_AT = 4 * LIMIT
_LEAST_SECONDS = 2.0
_BATCH = 100
"""Texts of a child: what a step keeps of one may help with the next, so that children are not to live long."""
_ORDINARY = "I moved to Leipzig in May, because my sister Anna lives there. " * 16
_MOST_AGAIN, _BEFORE_IT = 60, 5
_WARMING, _SHORT, _OF_EACH = 60, 2_000, 50


@dataclass
class _Seen:
    """What a step took.

    Attributes:
        costs: Milliseconds a KB of each text.
        worst: The greatest, and its text's recipe.
        over: The texts above the limit, by their number.
    """

    costs: list[float] = field(default_factory=list)
    worst: tuple[float, str] = (0.0, "")
    over: dict[int, float] = field(default_factory=dict)

    def add(self, number: int, recipe: str, cost: float) -> None:
        self.costs.append(cost)
        self.worst = max(self.worst, (cost, recipe))
        if cost > LIMIT:
            self.over[number] = cost


def _kilobytes(text: str) -> float:
    return max(1.0, len(text) / 1000)


def _read(stream: Stream, numbers: Sequence[int], steps: Sequence[str], sender: Connection) -> None:
    """Read texts in a child, and tell of each step before it begins and when it has ended."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for step in steps:
        STEPS[step](_ORDINARY)()
    gc.collect()
    gc.freeze()  # as in a process that reads has read before: its memory is its own, not its parent's
    for number in numbers:
        text = stream.text(number)
        most = max(_LEAST_SECONDS, _KILLED_AT / 1000 * _kilobytes(text.text))
        for step in steps:
            sender.send((number, text.recipe, step, None))
            signal.setitimer(signal.ITIMER_PROF, most)
            run = STEPS[step](text.text)
            signal.setitimer(signal.ITIMER_PROF, most)
            began = time.process_time()
            run()
            took = time.process_time() - began
            signal.setitimer(signal.ITIMER_PROF, 0)
            sender.send((number, text.recipe, step, took * 1000 / _kilobytes(text.text)))


def hunt_steps(stream: Stream, seconds: float, steps: Sequence[str], begin: int = 0) -> Mapping[str, _Seen]:
    """Read texts of the stream in one child after the other, for so long.

    A child that is killed ends the batch of texts; the step it was at counts as ``inf``.

    Args:
        stream: The texts.
        seconds: How long, by the clock.
        steps: Which steps.
        begin: The first text.
    """
    seen = {step: _Seen() for step in steps}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        batch = range(begin, begin + _BATCH)
        reached = _batch(stream, batch, steps, seen)
        begin = reached + 1
    return seen


def _batch(stream: Stream, batch: Sequence[int], steps: Sequence[str], seen: Mapping[str, _Seen]) -> int:
    """Read texts in a child; return the last that was begun."""
    forked = multiprocessing.get_context("fork")
    receiver, sender = forked.Pipe(duplex=False)
    child = forked.Process(target=_read, args=(stream, batch, steps, sender), daemon=True)
    child.start()
    sender.close()
    number, recipe, step = batch[0], "", steps[0]
    cost: float | None = 0.0
    try:
        while True:
            number, recipe, step, cost = receiver.recv()
            if cost is not None:
                seen[step].add(number, recipe, cost)
            if cost is not None and cost > LIMIT:
                print(f"{step}: {cost:.0f} ms a KB, {recipe}", file=sys.stderr, flush=True)
    except EOFError:
        child.join()
    if cost is None:
        seen[step].add(number, recipe, float("inf"))
    return number


def _again(stream: Stream, step: str, number: int) -> float:
    """Return what a text above the limit takes behind some others: the least of three, as others work here too."""
    costs: list[float] = []
    for _ in range(3):
        seen = {step: _Seen()}
        _batch(stream, range(max(0, number - _BEFORE_IT), number + 1), [step], seen)
        costs.append(seen[step].costs[-1] if seen[step].costs else float("inf"))
    return min(costs)


def warm(stream: Stream) -> None:
    """Compile every expression and read some texts, as a process has done that reads for a while.

    Args:
        stream: Others than those that are measured.
    """
    for bounded in anchored_and_bounded():
        _ = bounded.compiled
    for linear in linear_ones():
        for text in texts_of(as_python(linear.pattern))[:_OF_EACH]:
            linear.search(text)  # it makes its automata for the first match
    for number, step in product(range(_WARMING), STEPS.values()):
        step(stream.text(number).text[:_SHORT])()


def _tell(stream: Stream, seen: Mapping[str, _Seen]) -> None:
    print("| step | texts | median ms a KB | p99 | worst | above 50 | again above 50 | its text |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for step, each in seen.items():
        again = {number: _again(stream, step, number) for number in list(each.over)[:_MOST_AGAIN]}
        real = {number: cost for number, cost in again.items() if cost > LIMIT}
        late = statistics.quantiles(each.costs, n=100)[98] if len(each.costs) > 1 else 0.0
        print(
            f"| {step} | {len(each.costs)} | {statistics.median(each.costs or [0]):.2f} | {late:.1f} | {each.worst[0]:.1f} "
            f"| {len(each.over)} | {len(real)} | {each.worst[1]} |",
            flush=True,
        )
        for number, cost in sorted(real.items(), key=lambda item: -item[1])[:5]:
            print(f"|   | | | | {cost:.1f} | | | again: {stream.text(number).recipe} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Hunt, and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--begin", type=int, default=0, help="the first text of the stream")
    parser.add_argument("--only", default="", help="steps, parted by commas; or proxy")
    parser.add_argument(
        "--messages", type=Path, nargs="*", default=[], help="JSON lines with messages of people"
    )
    asked = parser.parse_args(arguments)
    seconds = asked.minutes * 60
    stream = Stream(asked.seed, asked.messages)
    print(
        f"Seed {asked.seed}; {len(stream.alternatives):,} alternatives, {len(stream.messages):,} messages; load {_load()}.\n"
    )
    if asked.only != "proxy":
        warm(Stream(asked.seed + 1, asked.messages))
        gc.freeze()
        steps = asked.only.split(",") if asked.only else list(STEPS)
        seen = hunt_steps(stream, seconds if asked.only else seconds * 2 / 3, steps, asked.begin)
        _tell(stream, seen)
        print(f"\nLoad {_load()}.\n")
    if asked.only in {"", "proxy"}:
        felt_beside(stream, seconds if asked.only else seconds / 3, asked.begin)


def _load() -> str:
    return ", ".join(f"{each:.1f}" for each in os.getloadavg())
