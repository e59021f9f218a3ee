"""Looks at embedded servers from outside, and ends them the hard way. Never: a test."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from recollect.postgres.embedded import EmbeddedServer

Start = Callable[..., EmbeddedServer]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run the server")


async def answers(dsn: str) -> bool:
    try:
        connection = await asyncpg.connect(dsn)
    except (OSError, asyncpg.PostgresError):
        return False
    await connection.close()
    return True


def postmaster(folder: Path) -> int:
    return int((folder / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def bystander_of(account: int) -> "subprocess.Popen[bytes]":
    other = None if account == os.geteuid() else account
    return subprocess.Popen(["sleep", "600"], cwd="/", user=other)


def children_of(process_id: int) -> Iterator[int]:
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            if int(status.read_text().rpartition(")")[2].split()[1]) == process_id:
                yield int(status.parent.name)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def owner(path: Path) -> int:
    return path.stat().st_uid


async def until_dead(dsn: str) -> None:
    while await answers(dsn):  # noqa: ASYNC110 - nothing tells us of the death of another's process
        await asyncio.sleep(0.01)


async def kill_everything(folder: Path) -> None:
    process_id = postmaster(folder)
    dsn = f"postgresql://postgres@/postgres?host={folder}/postgres/data&port=5432"
    for each in (process_id, *children_of(process_id)):
        with suppress(ProcessLookupError):  # a child may end as its parent does
            os.kill(each, signal.SIGKILL)
    await until_dead(dsn)
