"""Looks at embedded servers from outside, and ends them the hard way."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import pytest
from tests.support.waiting import until

from recollect.store.embedded_database import EmbeddedServer

Start = Callable[..., EmbeddedServer]

_FOR_DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run the server")


async def answers(dsn: str) -> bool:
    try:
        connection = await asyncpg.connect(dsn)
    except (OSError, asyncpg.PostgresError):
        return False
    await connection.close()
    return True


async def durability(dsn: str) -> set[str]:
    """Return a server's settings that protect its data in a crash of the machine."""
    connection = await asyncpg.connect(dsn)
    try:
        return {await connection.fetchval(f"SHOW {name}") for name in _FOR_DURABILITY}
    finally:
        await connection.close()


def postmaster(folder: Path) -> int:
    return int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


@contextmanager
def bystander_of(account: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process that has nothing to do with any server, and end it."""
    other = None if account == os.geteuid() else account
    with subprocess.Popen(["sleep", "600"], cwd="/", user=other) as bystander:
        try:
            yield bystander
        finally:
            bystander.kill()


def children_of(process_id: int) -> Iterator[int]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            if int(status.read_text().rpartition(")")[2].split()[1]) == process_id:
                yield int(status.parent.name)


def runs(process_id: int) -> bool:
    """Whether a process has not ended; one that nobody has waited for yet has."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def sees(process_id: int, text: bytes) -> bool:
    """Whether a process has a text in its environment, which Linux alone shows."""
    environment = Path(f"/proc/{process_id}/environ")
    return environment.exists() and text in environment.read_bytes()


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def owner(path: Path) -> int:
    return path.stat().st_uid


async def until_dead(dsn: str) -> None:
    async def is_dead() -> bool:
        return not await answers(dsn)

    await until(is_dead)


async def kill_everything(folder: Path) -> None:
    process_id = postmaster(folder)
    dsn = f"postgresql://postgres@/postgres?host={folder}/postgres/data&port=5432"
    for each in (process_id, *children_of(process_id)):
        with suppress(ProcessLookupError):  # a child may end as its parent does
            os.kill(each, signal.SIGKILL)
    await until_dead(dsn)
