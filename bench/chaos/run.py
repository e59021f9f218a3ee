"""Strikes a served Recollect with one fault after the other under load, and counts: `python -m bench chaos` (`make chaos`)."""

import argparse
import asyncio
import random
import subprocess
import traceback
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import uvloop

from bench.chaos.counting import Outcome, struck
from bench.chaos.faults import FAULTS, Fault, mount, unmount
from bench.chaos.load import Load
from bench.chaos.replicas import replicas
from bench.chaos.report import cells_of, keep
from bench.chaos.system import System
from bench.chaos.world import World
from bench.report import RESULTS
from bench.servers import NotStartedError, unpack_package, work_folder

REPLICAS = "replicas"
"""The name of the test of several proxies and workers."""
_FAKETIME = "usr/lib/*/faketime/libfaketime.so.1"


async def strike(fault: Fault, folder: Path, *, seed: int, logs: Path | None = None) -> Outcome:
    """Bring a fault about under load, and return its outcome."""
    chance = random.Random(seed)
    system = System(folder, World(random.Random(seed)))
    clock = await asyncio.to_thread(_clock_library, folder) if fault.sets_clock else None
    async with AsyncExitStack() as closing:
        if fault.on_small_disk:
            closing.enter_context(_small_disk(folder / "proxy-0"))
        await system.start(replace(fault.plan, clock=clock), closing)
        load = Load(
            system.world,
            system.ports,
            random.Random(seed),
            tries=fault.retries,
            again_within=fault.again_within,
        )
        striking = partial(fault.strike, system, chance)
        return await struck(fault.title, system, load, striking, seed=seed, logs=logs)


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o711)
    try:
        mount(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotStartedError("only root may mount a small disk") from error
    try:
        yield
    finally:
        unmount(folder)


def _clock_library(folder: Path) -> Path:
    """Return libfaketime: the one that is installed, or the distribution's, unpacked into the run's folder."""
    if installed := next(Path("/").glob(_FAKETIME), None):
        return installed
    unpack_package("libfaketime", folder / "faketime")
    return next((folder / "faketime").glob(_FAKETIME))


def main() -> None:
    """Run the faults that are named, or all; print a line for each, and write the table, where others keep their lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help=f"with commas: {', '.join([*FAULTS, REPLICAS])}")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder that has the table")
    parser.add_argument("--logs", type=Path, help="a folder that takes what the processes logged")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else [*FAULTS, REPLICAS]
    if unknown := set(names) - {*FAULTS, REPLICAS}:
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    for name in names:
        with work_folder() as folder:
            found = _found(name, folder, options.seed, options.logs)
        keep(options.output, name, found, order=[*FAULTS, REPLICAS])
        print(" | ".join(cells_of(found)) if isinstance(found, Outcome) else f"{name}: {found}", flush=True)


def _found(name: str, folder: Path, seed: int, logs: Path | None) -> Outcome | str:
    """Return the outcome of a fault, or why it was not measured."""
    work = (
        replicas(folder, seed=seed, logs=logs)
        if name == REPLICAS
        else strike(FAULTS[name], folder, seed=seed, logs=logs)
    )
    try:
        return uvloop.run(work)
    except NotStartedError as error:
        return f"not run: {error}"
    except Exception as error:  # noqa: BLE001 -- the other faults are measured all the same
        traceback.print_exc()
        return f"not measured: {type(error).__name__}"
