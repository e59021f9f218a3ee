"""A folder that is gone with the process that made it, and with it the database in it. Never: SQL."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_WATCHER = """
read -r _
pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && [ "/proc/$pid/cwd" -ef "$1/postgres/data" ]; then kill -QUIT "$pid"; fi
tries=0
while [ -e "$1" ] && [ $tries -lt 100 ]; do rm -rf -- "$1" 2>/dev/null || sleep 0.1; tries=$((tries + 1)); done
"""
"""Waits for the end of the pipe that is its input, then ends the server in the folder ``$1`` and removes it.

A process number is another process's where its working folder is not the data. Where no /proc says so, the server ends
by itself, within a minute, as its folder is gone.
"""


class TemporaryFolder:
    """A folder that is removed when this process ends, however it ends.

    Nothing that a process does at its end is done by one that is killed. So a shell watches it: it reads from a pipe
    that the kernel closes with the process.

    Args:
        within: Where it is made; None: where the system has its temporary folders.

    Attributes:
        path: Where it is. Other accounts may pass through, as root's database runs as another, and not look.
    """

    def __init__(self, within: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="recollect-", dir=within))
        self.path.chmod(0o711)
        self._watcher = subprocess.Popen(  # noqa: S603 - constants
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
            self._watcher.communicate()  # which ends it
