"""Folders for tests."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from recollect.store import TemporaryFolder, start_embedded

_MEMORY = Path("/dev/shm")
_ROOM = 2**30


@contextmanager
def database_folder(*, created: bool = False) -> Iterator[Path]:
    """Make a data folder for an embedded database, which is stopped in the end whatever happened."""
    folder = quick_folder()
    try:
        if created:
            put_database(folder.path)
        yield folder.path
        if (folder.path / "postgres").exists():
            start_embedded(folder.path).stop()  # joins the one that runs, and is its last user
    finally:
        folder.remove()


def quick_folder() -> TemporaryFolder:
    """Make a folder in memory, where there is room for databases: on a disk they are ten times as slow."""
    return TemporaryFolder(within=_MEMORY if _serves(_MEMORY) else None)


def put_database(folder: Path) -> None:
    """Put a database into a data folder, as one that was created there and is stopped: its files keep their owner."""
    subprocess.run(["cp", "-a", _created().path / "postgres", folder], check=True)


@cache
def _created() -> TemporaryFolder:
    """A data folder to copy from, as creating a database takes a second; it is gone with this process."""
    folder = quick_folder()
    start_embedded(folder.path, durable=False).stop()
    return folder


def _serves(folder: Path) -> bool:
    """Whether databases have room there, and their programs may run, which are copied beside them for some accounts."""
    if not folder.is_dir():
        return False
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize >= _ROOM and not status.f_flag & os.ST_NOEXEC
