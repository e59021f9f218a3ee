"""The faults, each as it begins and as it ends."""

import asyncio
import os
import resource
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

import asyncpg
from tests.recollect.store.embedded.servers import postmaster
from tests.support.waiting import until

from bench.chaos import world as models
from bench.chaos.database import rows
from bench.chaos.system import Plan, System
from bench.servers import NotStartedError

_FOR_SECONDS = 10.0
_SLOW_SECONDS = 0.25
_DISK_MEBIBYTES = 320
_ROOM_FOR_A_WORKER = 4 * 2**20
"""Bytes more than it has that a worker out of memory is given: less than it takes to form anything."""

_BUSY = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect' AND xact_start IS NOT NULL"
_IN_TRANSACTION = (
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'recollect' AND xact_start IS NOT NULL"
)
_OURS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recollect'"
_KILLS = 5
_ANOTHER = "another-embedder"
_EMBEDDED_ANEW = (
    f"SELECT 1 FROM recollect.embedders WHERE model LIKE '%{_ANOTHER}%' AND completed_at IS NOT NULL"
)
_EMBEDDING_SECONDS, _EMBEDDED_WITHIN = 0.05, 180.0
"""Seconds of one embedding meanwhile, so that both embedders serve for a while; and of all of them."""


Strike: TypeAlias = Callable[[System], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """A fault of a system under load.

    Attributes:
        strike: Brings it about, and returns once it is over.
        plan: The processes that are started.
        retries: How often a client asks where the connection fails; 1: it does not ask again.
        again_within: Seconds for which a client goes on asking the only proxy.
        on_small_disk: Whether the data folder is on a disk of a few hundred MB.
        sets_clock: Whether the processes' clock is set.
    """

    title: str
    strike: Strike
    plan: Plan = field(default_factory=Plan)
    retries: int = 1
    again_within: float = 0.0
    on_small_disk: bool = False
    sets_clock: bool = False


def _meanwhile(of: str, **values: object) -> Strike:
    """Return what gives attributes of a part of the system other values for a while."""

    async def strike(system: System) -> None:
        part = vars(getattr(system, of))
        before = {name: part[name] for name in values}
        part.update(values)
        await asyncio.sleep(_FOR_SECONDS)
        part.update(before)

    return strike


async def _nothing(_system: System) -> None:
    await asyncio.sleep(_FOR_SECONDS)


# -- the database ----------------------------------------------------------------------------------


async def _stop_database(system: System) -> None:
    await system.database.stop()
    await asyncio.sleep(_FOR_SECONDS)
    await system.database.start()


async def _freeze_database(system: System) -> None:
    system.database.signal_all(signal.SIGSTOP)
    await asyncio.sleep(_FOR_SECONDS)
    system.database.signal_all(signal.SIGCONT)


async def _fill_disk(system: System) -> None:
    """Fill the disk: no room for rows, for a new file of the write-ahead log, or for the spool."""
    ballast = system.proxies[0].folder / "ballast"
    await asyncio.to_thread(_fill, ballast)
    await asyncio.sleep(_FOR_SECONDS / 2)
    with suppress(TimeoutError, OSError, asyncpg.PostgresError):
        async with asyncio.timeout(_FOR_SECONDS / 2):
            await rows(system.dsn, "SELECT pg_switch_wal()")
            await rows(system.dsn, "CREATE TABLE room_for_more AS SELECT 1")
    await asyncio.to_thread(_fill, ballast)
    await asyncio.sleep(_FOR_SECONDS / 2)
    ballast.unlink()


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("ab", buffering=0) as file:
        while True:
            if file.write(b"\0" * 65_536) < 65_536:
                file.write(b"\0")


async def _take_connections(system: System) -> None:
    """Hold every connection that the database has, and end those that were there."""
    taken: list[asyncpg.Connection[asyncpg.Record]] = []
    try:
        loop = asyncio.get_running_loop()
        end = loop.time() + _FOR_SECONDS
        while loop.time() < end:
            try:
                taken.append(await asyncpg.connect(system.dsn, timeout=5))
            except (OSError, asyncpg.PostgresError):
                with suppress(asyncpg.PostgresError, IndexError):
                    await taken[0].execute(_OURS)
                await asyncio.sleep(0.02)
    finally:
        for each in taken:
            each.terminate()


async def _fail_over(system: System) -> None:
    """End running transactions again and again; kill the server once, and start it."""
    loop = asyncio.get_running_loop()
    end, has_restarted = loop.time() + _FOR_SECONDS, False
    while loop.time() < end:
        await rows(system.dsn, _BUSY)
        await asyncio.sleep(system.world.chance.uniform(0.05, 0.3))
        if not has_restarted and loop.time() > end - _FOR_SECONDS / 2:
            has_restarted = True
            system.database.kill()
            await system.database.revive()


async def _promote_standby(system: System) -> None:
    """End the primary within a transaction, and half of the time later have its standby take over."""

    async def is_in_transaction() -> bool:
        return bool(await rows(system.dsn, _IN_TRANSACTION))

    await until(is_in_transaction)
    await asyncio.to_thread(system.pair.primary.end)
    await asyncio.sleep(_FOR_SECONDS / 2)
    await asyncio.to_thread(system.pair.standby.promote)
    await asyncio.sleep(_FOR_SECONDS / 2)


# -- the models ------------------------------------------------------------------------------------


async def _switch_embedder(system: System) -> None:
    """Change the embedder of one proxy after the other; wait until every memory is embedded by it."""
    system.world.embedding_seconds = _EMBEDDING_SECONDS
    for proxy in system.proxies:
        await proxy.stop()
        proxy.environ["RECOLLECT_EMBEDDER"] = f"openai:{_ANOTHER}"
        await proxy.start()

    async def is_embedded_anew() -> bool:
        return bool(await rows(system.dsn, _EMBEDDED_ANEW))

    await until(is_embedded_anew, seconds=_EMBEDDED_WITHIN)
    system.world.embedding_seconds = 0.0


# -- the processes ---------------------------------------------------------------------------------


async def _jump(system: System) -> None:
    """Set the clock two days ahead, then three hours behind, then right."""
    for offset in ("+2d", "-3h"):
        system.clock_file.write_text(offset)
        await asyncio.sleep(_FOR_SECONDS / 2)
    system.clock_file.write_text("+0")


async def _kill_proxies(system: System) -> None:
    for _ in range(_KILLS):
        await asyncio.sleep(system.world.chance.uniform(0.3, 3))
        await system.proxies[0].kill()
        await system.proxies[0].start()


async def _kill_workers(system: System) -> None:
    for _ in range(_KILLS):
        await until(lambda: system.proxies[0].worker is not None)
        await asyncio.sleep(system.world.chance.uniform(0.3, 4))
        worker = system.proxies[0].worker
        if worker is not None:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
            await until(partial(_has_another, system, worker))


def _has_another(system: System, worker: int) -> bool:
    return system.proxies[0].worker not in {None, worker}


async def _kill_databases(system: System) -> None:
    for _ in range(_KILLS):
        await asyncio.sleep(system.world.chance.uniform(0.3, 3))
        with suppress(ProcessLookupError):
            os.kill(postmaster(system.proxies[0].folder), signal.SIGKILL)
        await asyncio.sleep(1)  # else the file names the one that was killed
        await rows(system.dsn, "SELECT 1")


async def _starve_worker(system: System) -> None:
    """Let each worker have next to no memory more than it has when it is seen."""
    loop = asyncio.get_running_loop()
    end, seen = loop.time() + _FOR_SECONDS, set[int]()
    while loop.time() < end:
        worker = system.proxies[0].worker
        if worker is not None and worker not in seen:
            seen.add(worker)
            with suppress(OSError):
                room = _size(worker) + _ROOM_FOR_A_WORKER
                resource.prlimit(worker, resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
        await asyncio.sleep(0.02)
    for worker in seen:
        with suppress(OSError):
            resource.prlimit(worker, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


async def _kill_any(system: System) -> None:
    """Kill one of all proxies and workers after the other, and start it again while the others serve."""
    for _ in range(2 * _KILLS):
        await asyncio.sleep(system.world.chance.uniform(0.3, 2))
        victim = system.world.chance.choice([*system.proxies, *system.workers])
        await victim.kill()
        await asyncio.sleep(system.world.chance.uniform(0, 1))
        await victim.start()


def _size(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[0]) * resource.getpagesize()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Make a folder a small disk while inside; afterwards nothing of it is left."""
    folder.mkdir(mode=0o711)
    options = f"size={_DISK_MEBIBYTES}m,mode=0711"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotStartedError("only root may mount a small disk") from error
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True, capture_output=True)


_OWN_DATABASE = Plan(embedded=True)
_BY_SERVER = Plan(embeds_by_server=True)

FAULTS = {
    "nothing": Fault("nothing fails", _nothing),
    "database-stopped": Fault("database stopped", _stop_database),
    "database-slow": Fault(
        f"database slow: each answer {_SLOW_SECONDS * 1000:.0f} ms late",
        _meanwhile("line", delay=_SLOW_SECONDS),
    ),
    "database-frozen": Fault("database frozen: takes everything, answers nothing", _freeze_database),
    "disk-full": Fault(
        "disk full, of database and spool (embedded)", _fill_disk, _OWN_DATABASE, on_small_disk=True
    ),
    "connections": Fault("no connection left, and those there were ended", _take_connections),
    "failover": Fault("transactions ended in the middle, the server killed and restarted", _fail_over),
    "standby": Fault("failover to a standby mid-transaction", _promote_standby, Plan(replicated=True)),
    "embedder-hangs": Fault(
        "embeddings server says nothing", _meanwhile("world", embedding_hangs=True), _BY_SERVER
    ),
    "embedder-switch": Fault(
        "embedder replaced by another, one proxy after the other",
        _switch_embedder,
        Plan(proxies=2, embeds_by_server=True),
        retries=2,
    ),
    "extraction-429": Fault("extraction model answers 429", _meanwhile("world", extraction=models.too_many)),
    "extraction-500": Fault(
        "extraction model answers 500", _meanwhile("world", extraction=models.broken_down)
    ),
    "extraction-garbage": Fault(
        "extraction model answers garbage", _meanwhile("world", extraction=models.garbage)
    ),
    "extraction-never": Fault("extraction model never answers", _meanwhile("world", extraction=models.never)),
    "upstream-breaks": Fault("LLM dies in the middle of 7 of 10 streams", _meanwhile("world", breaks=0.7)),
    "clock": Fault("clock two days ahead, then three hours behind, then right", _jump, sets_clock=True),
    "kill-proxy": Fault(f"proxy killed {_KILLS} times", _kill_proxies, _OWN_DATABASE, again_within=60),
    "kill-worker": Fault(f"worker killed {_KILLS} times", _kill_workers),
    "kill-database": Fault(f"database killed {_KILLS} times (embedded)", _kill_databases, _OWN_DATABASE),
    "worker-memory": Fault("worker out of memory", _starve_worker),
    "replicas": Fault(
        "3 proxies and 2 workers, one of them killed and restarted again and again",
        _kill_any,
        Plan(proxies=3, workers=2),
        retries=2,
    ),
}
