"""Masks long texts in a process of its own: in a thread it would share the interpreter with everybody's chats.

The process starts with the first long text, is nicer than the chats, and ends when no text came for a minute or when its
parent is gone. ``python -P -m recollect.masking_process DESCRIPTOR`` is the process itself.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from recollect.text.secrets.masking import MaskedText, mask_ends

_NICENESS = 10
_IDLE_SECONDS = 60.0
_COMMAND = (sys.executable, "-P", "-m", "recollect.masking_process")


class MaskingProcess:
    """The process, as its parent uses it: from one thread alone."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def mask_ends(self, text: str, most: int) -> MaskedText:
        """Return what ``mask_ends`` returns; where no process can be started, read the text here.

        Raises:
            OSError, EOFError: The process ended twice over this text.
        """
        with suppress(OSError, EOFError):  # the last one ended: it was idle, or killed
            if self._connection is not None:
                return _answer(self._connection, text, most)
        self.close()
        try:
            connection = self._start()
        except OSError:
            return mask_ends(text, most)
        return _answer(connection, text, most)

    def _start(self) -> Connection:
        self._connection, there = Pipe()
        with there:
            # Errors may quote the text: they are printed nowhere.
            self._process = subprocess.Popen(  # noqa: S603 -- our own module, no shell
                (*_COMMAND, str(there.fileno())),
                pass_fds=(there.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C is for the parent, who may still have texts to mask
            )
        return self._connection

    def close(self) -> None:
        """End the process, if there is one."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._connection = self._process = None


def _answer(connection: Connection, text: str, most: int) -> MaskedText:
    connection.send((text, most))
    masked: MaskedText = connection.recv()
    return masked


def _serve(connection: Connection) -> None:
    with suppress(EOFError):
        while connection.poll(_IDLE_SECONDS):
            connection.send(mask_ends(*connection.recv()))


if __name__ == "__main__":
    os.nice(_NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Connection(int(sys.argv[1])) as told:
        _serve(told)
