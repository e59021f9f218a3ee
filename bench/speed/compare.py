"""Compares Recollect with other ways to the same LLM, on one machine: `make bench`, described in bench/README.md.

python -m bench speed [--quick] [--rounds N] [--only off,nginx] [--output FOLDER]
"""

import argparse
import gc
import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvloop

from bench.report import RESULTS, commit, progress
from bench.servers import NotStartedError, Server, mock_llm, work_folder
from bench.speed import litellm_server, nginx_server
from bench.speed.prompts import Questions
from bench.speed.recollect_server import recollect, recollect_without_store, with_memory, without_store
from bench.speed.report import markdown
from bench.speed.rounds import FULL, QUICK, Lengths, measure, models, warm_up, with_rounds
from bench.speed.summary import summarize
from bench.speed.systems import System
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
    versions: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)

    def add(self, *systems: System) -> None:
        """Take those systems in that are asked for, frozen until it is their turn."""
        self.systems += [system for system in systems if system.name in self.only]
        for system in systems:
            if system.server is not None:
                system.server.freeze()

    def start(self, stack: ExitStack, mock: Server) -> None:
        """Start the chosen systems, one after another."""
        self.add(System("direct", "direct", mock.port))
        self.versions["recollect"] = version("recollect-memory")
        if self.only & {"off", "on", "cached"}:
            server, costs = stack.enter_context(recollect(self.folder / "recollect", mock.url))
            self.costs["Recollect"] = costs
            self.add(*with_memory(server))
        if "down" in self.only:
            server = stack.enter_context(recollect_without_store(self.folder / "down", mock.url))
            self.add(*without_store(server))
        self._start_other(
            stack, nginx_server, "nginx", lambda: nginx_server.nginx(self.folder / "nginx", mock.port)
        )
        known = models(self.lengths)
        self._start_other(
            stack,
            litellm_server,
            "litellm",
            lambda: litellm_server.litellm(self.folder / "litellm", mock.port, known),
        )
        self.systems.sort(key=lambda system: SYSTEMS.index(system.name))

    def _start_other(
        self, stack: ExitStack, module: Any, name: str, start: Callable[[], AbstractContextManager[System]]
    ) -> None:
        """Start one that is not ours, and go on without it if that can't be done here."""
        if name not in self.only:
            return
        try:
            system = stack.enter_context(start())
        except NotStartedError as error:
            self.remarks.append(f"{name} is left out: {error}.")
            return
        assert system.server is not None
        self.versions[name] = module.version()
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
            self._alone(system, warm_up(system, questions, seconds=2))
        for number in range(self.lengths.rounds):
            seen: dict[str, Any] = {}
            first = number % len(self.systems)
            for system in self.systems[first:] + self.systems[:first]:
                progress(f"round {number + 1}/{self.lengths.rounds}: {system.title}")
                seen[system.name] = self._alone(
                    system, measure(system, direct, mock, self.lengths, questions)
                )
            self.rounds.append({system.name: seen[system.name] for system in self.systems})

    @staticmethod
    def _alone(system: System, work: Any) -> Any:
        if system.server is not None:
            system.server.thaw()
        try:
            return uvloop.run(work)
        finally:
            if system.server is not None:
                system.server.freeze()

    def foreign_share(self) -> float:
        """Return how much of the machine other processes used while it was measured."""
        shares: list[float] = [seen["foreign_share"] for each in self.rounds for seen in each.values()]
        return sum(shares) / len(shares)

    def note_memory(self) -> None:
        """Note what each server holds after the load."""
        for system in self.systems:
            if system.server is not None and system.name in {"off", "nginx", "litellm"}:
                title = "Recollect" if system.name == "off" else system.title
                self.costs[title]["mebibytes"]["after_the_load"] = mebibytes(system.server.process.pid)


def main() -> None:
    """Run the bench; write and print the results."""
    options = _options()
    os.sched_setaffinity(0, {cores()[1]})
    began, ticks = datetime.now(UTC), machine_seconds()
    gc.disable()  # between the loads it is run by hand
    lengths = with_rounds(QUICK if options.quick else FULL, options.rounds)
    with work_folder() as folder, ExitStack() as stack:
        bench = Bench(lengths, frozenset({"direct", *options.only}), folder)
        mock = stack.enter_context(mock_llm(cores()[1]))
        bench.start(stack, mock)
        try:
            bench.run(mock)
        except (KeyboardInterrupt, SystemExit):
            if not bench.rounds:
                raise
            bench.remarks.append(f"It was stopped after {len(bench.rounds)} of {lengths.rounds} rounds.")
        bench.note_memory()
    _write(options.output, bench, began, ticks)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    rounds = f"how many rounds; {FULL.rounds}, or {QUICK.rounds} if quick"
    parser.add_argument("--rounds", type=int, help=rounds)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: 2 to 4 minutes")
    parser.add_argument("--only", type=_named, default=SYSTEMS, help=f"of {','.join(SYSTEMS)}; direct always")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder for the results")
    return parser.parse_args()


def _named(listed: str) -> tuple[str, ...]:
    names = tuple(listed.split(","))
    if unknown := set(names) - set(SYSTEMS):
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return names


def _write(folder: Path, bench: Bench, began: datetime, ticks: dict[str, float]) -> None:
    after = machine_seconds()
    results = {
        "began": began.isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "versions": bench.versions,
        "lengths": asdict(bench.lengths),
        "titles": {system.name: system.title for system in bench.systems},
        "costs": bench.costs,
        "remarks": bench.remarks,
        "steal_share": (after["steal"] - ticks["steal"]) / (after["all"] - ticks["all"]),
        "foreign_share": bench.foreign_share(),
        "rounds": bench.rounds,
    }
    figures = summarize(bench.rounds)
    summary = {name: {key: spread._asdict() for key, spread in own.items()} for name, own in figures.items()}
    folder.mkdir(parents=True, exist_ok=True)
    report = markdown(results, figures)
    raw = json.dumps({**results, "figures": summary}, separators=(",", ":"))
    (folder / "bench.json").write_text(f"{raw}\n")
    (folder / "bench.md").write_text(report)
    print(report)
