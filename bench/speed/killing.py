"""Kills the relay, the worker or the database at random under load, and counts what is lost: `python -m bench killing`.

Never: a test. A real `recollect serve` over its embedded database; an LLM that notes what it was sent. What it has received
must be in the log, once, whoever was killed meanwhile; and formed, once.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import asyncpg
import httpx
import uvloop
from tests.raw_client import fetch
from tests.recollect.postgres.servers import postmaster
from tests.running_proxy import CHAT, User, chat_body
from tests.scripted_upstream import Answer, Received, ScriptedUpstream, completion
from tests.served_process import ServedProcess, environment, served_process
from tests.waiting import until

_TALKERS = 6
_MARK = re.compile(r"number \d+ of talker-\d+-[0-9a-f]{4}")
_PATIENCE_SECONDS = 240.0


@dataclass
class _Load:
    """People who chat until told to stop.

    Attributes:
        port: Where; 0 while nobody serves.
        received: What the LLM was sent, by its mark.
        answered: What was answered whole.
    """

    port: int = 0
    received: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    stopped: bool = False

    def hear(self, request: Received) -> Answer:
        if marks := _MARK.findall(request.body.decode()):
            self.received.add(marks[-1])
        return completion("I see.")

    async def talk(self, number: int) -> None:
        name = f"talker-{number}-{os.urandom(2).hex()}"
        said = 0
        while not self.stopped:
            said += 1
            mark = f"number {said} of {name}"
            with suppress(OSError, EOFError, AssertionError, asyncio.IncompleteReadError, ValueError):
                headers = User(name).headers(chat=f"chat-{said % 3}")
                answer = await fetch(self.port, b"POST", CHAT, headers, chat_body(f"My thing is {mark}."))
                if answer.status == 200:
                    self.answered.add(mark)
            await asyncio.sleep(random.uniform(0.02, 0.2))


async def _rows(folder: Path, query: str) -> list[asyncpg.Record]:
    """Ask the embedded database, whoever started it."""
    for _ in range(100):
        with suppress(OSError, asyncpg.PostgresError):
            connection = await asyncpg.connect(_dsn(folder), timeout=5)
            try:
                return await connection.fetch(query)
            finally:
                await connection.close()
        await asyncio.sleep(0.3)
    raise TimeoutError("the database stays away")


def _dsn(folder: Path) -> str:
    return f"postgresql://postgres@/postgres?host={folder / 'postgres' / 'data'}&port=5432"


def _worker_of(served: ServedProcess) -> int | None:
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text().split()
    for child in children:
        with suppress(FileNotFoundError):  # it ended just now
            if b"recollect.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    return None


def _has_another(served: ServedProcess, worker: int) -> bool:
    return _worker_of(served) not in {None, worker}


async def _served_again(load: _Load) -> None:
    async def answers() -> bool:
        with suppress(OSError, EOFError, AssertionError, asyncio.IncompleteReadError, httpx.HTTPError):
            headers = User("probe").headers(chat="probe")
            return (await fetch(load.port, b"POST", CHAT, headers, chat_body("Hello?"))).status == 200
        return False

    await until(answers, seconds=_PATIENCE_SECONDS)


@asynccontextmanager
async def _running(load: _Load, environ: dict[str, str]) -> AsyncIterator[ServedProcess]:
    async with served_process("--log-level", "warning", environ=environ) as served:
        load.port = served.port
        yield served


async def _kill_relays(times: int, load: _Load, environ: dict[str, str]) -> list[float]:
    recovered: list[float] = []
    killed: float | None = None
    for _ in range(times + 1):
        async with _running(load, environ) as served:
            if killed is not None:
                await _served_again(load)
                recovered.append(time.monotonic() - killed)
            if len(recovered) < times:
                await asyncio.sleep(random.uniform(0.5, 3))
                served.signal(signal.SIGKILL)
                await served.process.wait()
                killed = time.monotonic()
    return recovered


async def _kill_workers(times: int, load: _Load, environ: dict[str, str]) -> list[float]:
    recovered = []
    async with _running(load, environ) as served:
        for _ in range(times):
            await until(lambda: _worker_of(served) is not None)
            await asyncio.sleep(random.uniform(0.5, 4))
            if (worker := _worker_of(served)) is None:
                continue
            os.kill(worker, signal.SIGKILL)
            began = time.monotonic()
            await until(partial(_has_another, served, worker))
            recovered.append(time.monotonic() - began)
    return recovered


async def _kill_databases(times: int, load: _Load, environ: dict[str, str]) -> list[float]:
    recovered = []
    folder = Path(environ["RECOLLECT_DATA_DIR"])
    async with _running(load, environ):
        for _ in range(times):
            await asyncio.sleep(random.uniform(0.5, 3))
            os.kill(postmaster(folder), signal.SIGKILL)
            began = time.monotonic()
            await _rows(folder, "SELECT 1")
            recovered.append(time.monotonic() - began)
    return recovered


async def _all_formed(folder: Path) -> None:
    """Return when nothing waits to be formed any more, or none of it was formed for long: that is then told as not formed."""
    least, since = None, time.monotonic()
    while time.monotonic() - since < _PATIENCE_SECONDS:
        [row] = await _rows(folder, "SELECT count(*) AS n FROM recollect.exchanges WHERE state = 'pending'")
        if not row["n"]:
            return
        if least is None or row["n"] < least:
            least, since = row["n"], time.monotonic()
        await asyncio.sleep(1)


_KILLERS = {"relay": _kill_relays, "worker": _kill_workers, "database": _kill_databases}


async def _measure(whom: str, times: int, folder: Path) -> None:
    load = _Load()
    async with ScriptedUpstream(load.hear) as upstream:
        environ = environment(
            upstream=upstream.base_url,
            data_dir=folder,
            formation="qa_turn",
            formation_quiet_seconds=0,
            job_heartbeat_seconds=2,
            openwebui_status="false",
        )
        talking = [asyncio.create_task(load.talk(number)) for number in range(_TALKERS)]
        recovered = await _KILLERS[whom](times, load, environ)
        load.stopped = True
        await asyncio.gather(*talking)
        began = time.monotonic()
        async with _running(load, environ):
            await asyncio.sleep(5)
            await _all_formed(folder)
            settled = time.monotonic() - began
            said = await _rows(
                folder, "SELECT content FROM recollect.messages WHERE role = 'user' AND NOT alternate"
            )
            formed = await _rows(folder, "SELECT content FROM recollect.vectors WHERE kind = 'qa_turn'")
            states = await _rows(
                folder, "SELECT state, count(*) AS n FROM recollect.exchanges GROUP BY state"
            )
    _report(whom, load, Counter(_marks(said)), Counter(_marks(formed)))
    print(
        f"states: { {row['state']: row['n'] for row in states} }; all formed {settled:.1f} s after the last kill's end"
    )
    ordered = sorted(recovered)
    print(
        f"recovery of {len(ordered)}: median {statistics.median(ordered):.2f} s, longest {ordered[-1]:.2f} s",
        flush=True,
    )


def _marks(rows: list[asyncpg.Record]) -> list[str]:
    return [found[0] for row in rows if (found := _MARK.search(row["content"]))]


def _report(whom: str, load: _Load, logged: Counter[str], formed: Counter[str]) -> None:
    lost, unformed = load.received - logged.keys(), load.received - formed.keys()
    print(
        f"{whom} killed: the LLM received {len(load.received)}, answered whole {len(load.answered)}; "
        f"lost {len(lost)}, doubled {sum(count > 1 for count in logged.values())}; "
        f"not formed {len(unformed)} (open: their answer was cut off, and nobody has spoken on), formed twice {sum(count > 1 for count in formed.values())}"
    )
    for each in sorted(lost)[:5]:
        print(f"  lost: {each}")


def main() -> None:
    """Print what was lost and how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whom", choices=sorted(_KILLERS), action="append")
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    for whom in options.whom or sorted(_KILLERS):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            Path(folder).chmod(0o711)
            uvloop.run(_measure(whom, options.times, Path(folder)))
