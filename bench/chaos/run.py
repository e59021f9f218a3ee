"""Strikes a served Recollect with one fault after the other under load, and counts: `python -m bench chaos` (`make chaos`)."""

import asyncio
import random
import traceback
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import uvloop

from bench.chaos.counting import struck
from bench.chaos.faults import FAULTS, Fault, small_disk
from bench.chaos.load import TALKERS, Load
from bench.chaos.system import EXTRACTION_SECONDS, System
from bench.chaos.world import SEED, World
from bench.report import options_of, progress, publish, table
from bench.servers import NotStartedError, unpack_package, work_folder

_FAKETIME = "usr/lib/*/faketime/libfaketime.so.1"
_INTRO = (
    f"{TALKERS} people chat without a pause through `recollect serve`, half of it streamed, beside one who asks every second "
    "what a memory answers. A fault lasts ten seconds, or as long as so many kills take. Once it is over and memory is back, the load ends, "
    "and each chat gets a last word. Settings are those that are shipped, but that an extraction model is given up after "
    f"{EXTRACTION_SECONDS} s instead of 600, and that nothing limits how many memories there are."
)
_LEGEND = (
    "*Asked again*: the connection failed, and the client asked once more. *Lost*: answered, and not in the message log. *Not formed*: "
    "answered, and in no memory once nothing waits. *Twice*: in the log or among the memories more than once. *Kept whole*: as question "
    "and answer (`qa_turn`), which only a setting asks for. Times count from the end of the fault; the second includes the load's "
    "own last seconds. *Load*: of the machine, over the last minute; above its cores it has other work, which makes chats and recalls late."
)


async def strike(fault: Fault, folder: Path) -> dict[str, str]:
    """Bring a fault about under load, and return its row of the table."""
    system = System(folder, World(random.Random(SEED)))
    clock = await asyncio.to_thread(_clock_library, folder) if fault.sets_clock else None
    async with AsyncExitStack() as closing:
        if fault.on_small_disk:
            closing.enter_context(small_disk(folder / "proxy-0"))
        await system.start(replace(fault.plan, clock=clock), closing)
        load = Load(
            system.world,
            system.ports,
            random.Random(SEED),
            tries=fault.retries,
            again_within=fault.again_within,
        )
        return await struck(fault.title, system, load, partial(fault.strike, system))


def _clock_library(folder: Path) -> Path:
    """Return libfaketime: the one that is installed, or the distribution's, unpacked into the run's folder."""
    if installed := next(Path("/").glob(_FAKETIME), None):
        return installed
    unpack_package("libfaketime", folder / "faketime")
    return next((folder / "faketime").glob(_FAKETIME))


def main() -> None:
    """Run the faults that are named, or all, and print a table."""
    parser = options_of(__doc__)
    parser.add_argument("--only", help=f"with commas: {', '.join(FAULTS)}")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(FAULTS)
    if unknown := set(names) - set(FAULTS):
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    found: list[dict[str, str]] = []
    missing: list[str] = []
    for name in names:
        try:
            with work_folder() as folder:
                found.append(uvloop.run(strike(FAULTS[name], folder)))
        except NotStartedError as error:
            missing.append(f"- {name}: not run: {error}.")
        except Exception as error:  # noqa: BLE001 -- the other faults are measured all the same
            traceback.print_exc()
            missing.append(f"- {name}: not measured: {type(error).__name__}.")
        else:
            progress(" | ".join(found[-1].values()))
    rows = table(found[0], [each.values() for each in found]) if found else ""
    publish(options, "Faults under load", "\n\n".join([_INTRO, rows, _LEGEND, *missing]), found)
