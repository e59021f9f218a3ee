"""A folder that is gone with the process that made it, and with it the database in it. Never: SQL."""

import os
import shutil
import stat
import subprocess
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path

from recollect.runtime.file_lock import FileLock

_PREFIX = "recollect-"
_LOCK = "in-use.lock"

_WATCHER = """
read -r _
pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && tr '\\0' '\\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF -- "$1/postgres/data"
then kill -QUIT "$pid"; fi
tries=0
while [ -e "$1" ] && [ $tries -lt 100 ]; do rm -rf -- "$1" 2>/dev/null || sleep 0.1; tries=$((tries + 1)); done
"""
"""Waits for the end of the pipe that is its input, then ends the server in the folder ``$1`` and removes it.

A process number is another process's where its command does not name the data. Without /proc, the server ends within
a minute, as its folder is gone.
"""


class TemporaryFolder:
    """A folder that is removed when this process ends, however it ends.

    Nothing that a process does at its end is done by one that is killed. So a shell watches it: it reads from a pipe
    that the kernel closes with the process. If the shell is killed as well, as with its whole container, the next
    folder made in the same place removes it, because its lock is free.

    Args:
        within: The parent folder; None: the system's folder for temporary files.

    Attributes:
        path: The folder's path. Other accounts may pass through, as root's database runs as another, and not look.

    Raises:
        OSError: It can't be made, or not be watched.
    """

    def __init__(self, within: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        with ExitStack() as undoing:
            undoing.callback(shutil.rmtree, self.path, ignore_errors=True)
            self.path.chmod(0o711)
            self._lock = _held(self.path / _LOCK)
            undoing.callback(self._lock.close)
            self._watcher = self._watched()
            undoing.pop_all()
        _remove_abandoned(self.path.parent)

    def _watched(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(  # noqa: S603 - constants
            ["/bin/sh", "-c", _WATCHER, "sh", self.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,  # Ctrl-C is for us
        )

    def remove(self) -> None:
        """Remove it; its server must have been stopped. A second call does nothing."""
        if self._watcher.returncode is None:
            shutil.rmtree(self.path, ignore_errors=True)
            self._lock.close()
            self._watcher.communicate()  # which ends it


def _held(path: Path) -> FileLock:
    """Return a lock that this process holds; it has its name once it is held."""
    lock = FileLock(path.with_suffix(".new"))
    lock.share()
    path.with_suffix(".new").rename(path)
    return lock


def _remove_abandoned(folder: Path) -> None:
    """Remove the leftovers of processes that were killed with their watchers."""
    for path in folder.glob(f"{_PREFIX}*"):
        try:
            found = path.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or not (path / _LOCK).exists():
                continue  # another's, or no such folder
            with closing(FileLock(path / _LOCK)) as lock:
                if lock.take():
                    shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue  # another process removes it just now
