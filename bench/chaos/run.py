"""Strikes a served Recollect with one fault after the other under load, and counts: `python -m bench chaos` (`make chaos`).

Never: a test; an assertion. What was lost stands in the table.
"""

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvloop
from tests.running_proxy import User

from bench.chaos.counting import Outcome, kept, outcome, settled
from bench.chaos.faults import FAULTS, Fault, mount, unmount
from bench.chaos.load import TALKERS, Load
from bench.chaos.replicas import TITLE as REPLICAS
from bench.chaos.replicas import Spread, replicas
from bench.chaos.report import line_of, write
from bench.chaos.system import System
from bench.chaos.world import World

_CALM_SECONDS = 4.0
_AFTER_SECONDS = 3.0
_MEMORY_PATIENCE_SECONDS = 90.0
_FETCH_SECONDS = 120
_OF_REPLICAS = "replicas"
_ALL = (*FAULTS, _OF_REPLICAS)
_RESULTS = Path(__file__).parents[1] / "results" / "chaos.md"
_FAKETIME = "usr/lib/*/faketime/libfaketime.so.1"


class NotPossibleError(Exception):
    """This machine can't bring a fault about."""


async def strike(fault: Fault, folder: Path, *, models: Path, seed: int, logs: Path | None = None) -> Outcome:
    """Bring a fault about under load, and return what it came to.

    Raises:
        NotPossibleError: It can't be brought about here; says why.
    """
    chance = random.Random(seed)
    system = System(folder, World(random.Random(seed)))
    clock = await asyncio.to_thread(_clock_library, folder) if fault.sets_clock else None
    async with AsyncExitStack() as closing:
        if fault.on_small_disk:
            closing.enter_context(_small_disk(folder / "proxy-0"))
        await system.start(replace(fault.plan, models=models, clock=clock), closing)
        load = Load(
            system.world,
            system.ports,
            random.Random(seed),
            tries=fault.retries,
            again_within=fault.again_within,
        )
        prober = User("prober")
        await load.until_remembered(prober)
        chatting = [asyncio.create_task(load.talk(number)) for number in range(TALKERS)]
        chatting.append(asyncio.create_task(load.keep_probing(prober)))
        await asyncio.sleep(_CALM_SECONDS)
        struck = time.monotonic()
        await fault.strike(system, chance)
        ended = time.monotonic()
        await _memory_is_back(load, ended)
        await asyncio.sleep(_AFTER_SECONDS)
        load.is_over = True
        await asyncio.gather(*chatting)
        await load.close_chats()
        is_settled = await settled(system)
        backlog = time.monotonic() - ended if is_settled else None
        there = await kept(system)
        if logs is not None:
            (logs / f"{folder.name}.log").write_text(fault.title + "\n" + "".join(system.logs), "utf-8")
        return outcome(fault.title, load, there, system, struck=struck, ended=ended, backlog_seconds=backlog)


async def _memory_is_back(load: Load, since: float) -> None:
    while time.monotonic() - since < _MEMORY_PATIENCE_SECONDS:
        if any(probe.remembered and probe.began >= since for probe in load.probes):
            return
        await asyncio.sleep(0.1)


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o711)
    try:
        mount(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotPossibleError("only root may mount a small disk") from error
    try:
        yield
    finally:
        unmount(folder)


def _clock_library(folder: Path) -> Path:
    """Return libfaketime: the one that is installed, or the distribution's, unpacked into the run's folder."""
    if installed := next(Path("/").glob(_FAKETIME), None):
        return installed
    package = folder / "faketime"
    package.mkdir()
    try:
        for command in (
            ["apt-get", "download", "libfaketime"],
            ["sh", "-c", "dpkg-deb -x libfaketime_*.deb ."],
        ):
            subprocess.run(command, cwd=package, check=True, capture_output=True, timeout=_FETCH_SECONDS)
        return next(package.glob(_FAKETIME))
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        raise NotPossibleError(
            "libfaketime is not installed, and apt-get download does not give it"
        ) from error


def main() -> None:
    """Run the faults that are named, or all; print a line for each, and write the table."""
    options = _options()
    run = Run(seed=options.seed, logs=options.logs)
    models = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="chaos-models-"))
    try:
        for name in options.only or _ALL:
            run.run(name, models)
    finally:
        shutil.rmtree(models)
    output = options.output or (None if options.only else _RESULTS)
    if output is not None:
        write(output, run.outcomes, run.spread, run.missing, seed=options.seed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), help=f"with commas: {', '.join(_ALL)}")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--output", type=Path, help=f"where the table goes; of a whole run {_RESULTS.name}")
    parser.add_argument("--logs", type=Path, help="a folder that takes what the processes logged")
    options = parser.parse_args()
    if unknown := set(options.only or ()) - set(_ALL):
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    return options


@dataclass
class Run:
    """Runs faults one after another.

    Attributes:
        seed: Of what happens at random.
        logs: A folder that takes what the processes logged; None: nothing does.
        outcomes: What came of each fault.
        spread: How soon a change was known everywhere, where replicas ran.
        missing: What did not run, and why.
    """

    seed: int
    logs: Path | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    spread: Spread | None = None
    missing: list[str] = field(default_factory=list)

    def run(self, name: str, models: Path) -> None:
        """Run one; what goes wrong is noted, and the others are measured all the same."""
        title = REPLICAS if name == _OF_REPLICAS else FAULTS[name].title
        with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="chaos-") as folder:
            Path(folder).chmod(0o711)
            try:
                found = self._struck(name, Path(folder), models)
            except NotPossibleError as error:
                self.missing.append(f"{title}: not run, {error}.")
                return
            except Exception as error:  # noqa: BLE001 -- as above
                self.missing.append(f"{title}: ended by {type(error).__name__}.")
                print(f"{name}: {error!r}", file=sys.stderr, flush=True)
                return
        self.outcomes.append(found)
        print(line_of(found), flush=True)

    def _struck(self, name: str, folder: Path, models: Path) -> Outcome:
        if name == _OF_REPLICAS:
            found, self.spread = uvloop.run(replicas(folder, models=models, seed=self.seed))
            return found
        return uvloop.run(strike(FAULTS[name], folder, models=models, seed=self.seed, logs=self.logs))
