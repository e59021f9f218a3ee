"""Locks on files that the kernel gives back when a process ends, however it ends."""

import fcntl
import os
import threading
import time
from pathlib import Path

_POLL_SECONDS = 0.02


class FileLock:
    """A lock on an open file (``flock``). A process that inherits the descriptor holds it too."""

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._closing = threading.Lock()
        self._is_closed = False

    def share(self) -> None:
        """Hold the lock, shared with others."""
        fcntl.flock(self.descriptor, fcntl.LOCK_SH)

    def take(self) -> bool:
        """Hold the lock alone if it is free; return whether it was."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(self, deadline: float) -> bool:
        """Hold the lock alone as soon as it is free; False when ``deadline`` (by ``time.monotonic()``) passes first."""
        while not self.take():
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def close(self) -> None:
        """Hold the lock no longer, unless another process has inherited it. A second time it does nothing.

        By then the descriptor's number may belong to another socket.
        """
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                os.close(self.descriptor)
