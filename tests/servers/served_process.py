"""`recollect serve` as a process of its own, as a person starts it."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.folders import quick_folder
from tests.servers.internals import variables
from tests.support.waiting import until

_PATIENCE_SECONDS = 90.0
_PATIENT = {"RECOLLECT_RECALL_DEADLINE_MS": "20000"}
"""Where a test has no limits of its own: the machine may be busy with other tests."""
_BASE_URL = re.compile(r"base URL\s+http://[^ ]+:(\d+)/v1 ")

RECOLLECT = Path(sys.executable).with_name("recollect")


def environment(**settings: object) -> dict[str, str]:
    """Return this process's environment with none of our settings but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return kept | variables(settings)


@contextmanager
def temporary_files() -> Iterator[Path]:
    """Make a folder for the temporary files of a process, its TMPDIR, where whatever it leaves is seen."""
    outer = quick_folder()
    folder = outer.path / "temporary"
    folder.mkdir(mode=0o711)
    try:
        yield folder
    finally:
        outer.remove()


def processes_in(folder: Path) -> list[str]:
    """Return the commands that run and name a folder."""
    listed = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]


@dataclass
class ServedProcess:
    """A running `recollect serve`."""

    process: asyncio.subprocess.Process
    port: int = 0
    output: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    _readers: list["asyncio.Task[None]"] = field(default_factory=list)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill the process and its worker, as a machine does that loses its power."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.process.kill()
        for each in children:
            os.kill(int(each), signal.SIGKILL)

    async def ended(self) -> int:
        """Wait until the process has ended, and return its exit status."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await asyncio.gather(*self._readers)
            return await self.process.wait()

    async def end(self) -> None:
        """End the process, by force if it does not listen."""
        if self.process.returncode is None:
            self.process.terminate()
        try:
            await self.ended()
        except TimeoutError:
            self.process.kill()
            raise

    async def serving(self) -> None:
        """Wait for the banner."""
        await until(lambda: self._readers[0].done() or self._found_port())
        assert self.port, "".join(self.logged)

    def _found_port(self) -> bool:
        if found := _BASE_URL.search("".join(self.output)):
            self.port = int(found[1])
        return self.port > 0


@asynccontextmanager
async def served_process(
    *options: str, environ: Mapping[str, str], program: Path = RECOLLECT
) -> AsyncIterator[ServedProcess]:
    """Start `recollect serve` on a free port, wait for its banner, and end it on leaving."""
    process = await asyncio.create_subprocess_exec(
        program,
        "serve",
        "--port",
        "0",
        *options,
        env={**_PATIENT, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    served = ServedProcess(process)
    assert process.stdout is not None
    assert process.stderr is not None
    served._readers += [
        asyncio.create_task(_read(process.stdout, served.output)),
        asyncio.create_task(_read(process.stderr, served.logged)),
    ]
    try:
        await served.serving()
        yield served
    finally:
        await served.end()


async def _read(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode())
