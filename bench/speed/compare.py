"""Compares Recollect with other ways to the same LLM, on one machine: `make bench`, described in bench/README.md.

python -m bench speed [--quick] [--rounds N] [--only off,nginx]
"""

import argparse
import gc
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvloop

from bench.report import options_of, progress, publish
from bench.servers import NotStartedError, Server, mock_llm, work_folder
from bench.speed.prompts import NOW, WHOLE, Questions
from bench.speed.report import Round, markdown, summarize
from bench.speed.rounds import FULL, QUICK, Lengths, measure, warm_up
from bench.speed.systems import System, litellm, nginx, of_person, recollect, recollect_without_store
from bench.watching import cores, machine, machine_seconds, mebibytes

SYSTEMS = ("direct", "nginx", "off", "on", "cached", "down", "litellm")


@dataclass
class Bench:
    """The systems of a comparison, and their figures so far."""

    lengths: Lengths
    only: frozenset[str]
    folder: Path
    systems: list[System] = field(default_factory=list)
    costs: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=lambda: {"recollect": version("recollect-memory")})
    remarks: list[str] = field(default_factory=list)
    rounds: list[dict[str, Round]] = field(default_factory=list)

    def add(self, *systems: System) -> None:
        """Take those systems in that are asked for, frozen until it is their turn."""
        self.systems += [system for system in systems if system.name in self.only]
        self.systems.sort(key=lambda system: SYSTEMS.index(system.name))
        for system in systems:
            if system.server is not None:
                system.server.freeze()

    def start(self, stack: ExitStack, mock: Server) -> None:
        """Start the chosen systems, one after another."""
        self.add(System("direct", "direct", mock.port))
        if self.only & {"off", "on", "cached"}:
            server, costs = stack.enter_context(recollect(self.folder / "recollect", mock.url))
            self.costs["Recollect"] = costs
            own, reader = System.headers, of_person("reader")
            self.add(
                System("off", "Recollect, memory off", server.port, own, server),
                System("on", "Recollect, new questions", server.port, reader, server),
                System("cached", "Recollect, same question", server.port, reader, server, same_question=True),
            )
        if "down" in self.only:
            server = stack.enter_context(recollect_without_store(self.folder / "down", mock.url))
            self.add(System("down", "Recollect, database stopped", server.port, of_person("reader"), server))
        self._start_other(stack, mock, nginx)
        self._start_other(stack, mock, litellm)

    def _start_other(
        self,
        stack: ExitStack,
        mock: Server,
        start: Callable[[Path, int, Sequence[str]], AbstractContextManager[System]],
    ) -> None:
        """Start one that is not ours, and go on without it if that can't be done here."""
        name = start.__name__
        if name not in self.only:
            return
        models = (WHOLE, NOW, self.lengths.paced)
        try:
            system = stack.enter_context(start(self.folder / name, mock.port, models))
        except NotStartedError as error:
            self.remarks.append(f"{name} is left out: {error}.")
            return
        assert system.server is not None
        self.versions[name] = system.version
        self.costs[system.title] = {
            "start_seconds": {"first": round(system.server.start_seconds, 2)},
            "mebibytes": {"idle": mebibytes(system.server.process.pid)},
        }
        self.add(system)

    def run(self, mock: Server) -> None:
        """Measure round after round, each system in its turn, while all the others stand still."""
        questions = Questions()
        direct = self.systems[0]
        for system in self.systems:
            _alone(system, warm_up(system, questions, seconds=2))
        for number in range(self.lengths.rounds):
            seen: dict[str, Round] = {}
            first = number % len(self.systems)
            for system in self.systems[first:] + self.systems[:first]:
                progress(f"round {number + 1}/{self.lengths.rounds}: {system.title}")
                seen[system.name] = _alone(system, measure(system, direct, mock, self.lengths, questions))
            self.rounds.append({system.name: seen[system.name] for system in self.systems})
        for system in self.systems:
            if system.server is not None and system.name in {"off", "nginx", "litellm"}:
                title = "Recollect" if system.name == "off" else system.title
                self.costs[title]["mebibytes"]["after_the_load"] = mebibytes(system.server.process.pid)


def _alone(system: System, work: Any) -> Any:
    if system.server is not None:
        system.server.thaw()
    try:
        return uvloop.run(work)
    finally:
        if system.server is not None:
            system.server.freeze()


def main() -> None:
    """Run the bench, and print the report."""
    parser = options_of(__doc__)
    rounds = f"how many rounds; {FULL.rounds}, or {QUICK.rounds} if quick"
    parser.add_argument("--rounds", type=int, help=rounds)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: 2 to 4 minutes")
    parser.add_argument("--only", type=_named, default=SYSTEMS, help=f"of {','.join(SYSTEMS)}; direct always")
    options = parser.parse_args()
    os.sched_setaffinity(0, {cores()[1]})
    before = machine_seconds()
    gc.disable()  # between the loads it is run by hand
    lengths = QUICK if options.quick else FULL
    lengths = replace(lengths, rounds=options.rounds or lengths.rounds)
    with work_folder() as folder, ExitStack() as stack:
        bench = Bench(lengths, frozenset({"direct", *options.only}), folder)
        mock = stack.enter_context(mock_llm(cores()[1]))
        bench.start(stack, mock)
        bench.run(mock)
    after = machine_seconds()
    foreign = [seen["foreign_share"] for each in bench.rounds for seen in each.values()]
    results = {
        "machine": machine(),
        "versions": bench.versions,
        "titles": {system.name: system.title for system in bench.systems},
        "costs": bench.costs,
        "remarks": bench.remarks,
        "steal_share": (after["steal"] - before["steal"]) / (after["all"] - before["all"]),
        "foreign_share": sum(foreign) / len(foreign),
        "rounds": bench.rounds,
    }
    report = markdown(results, summarize(bench.rounds))
    publish(options, "What Recollect costs, side by side", report, results)


def _named(listed: str) -> tuple[str, ...]:
    names = tuple(listed.split(","))
    if unknown := set(names) - set(SYSTEMS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return names
