"""Reads a file that operators change while the proxy runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import structlog

from recollect.errors import ConfigurationError

Value = TypeVar("Value")

log = structlog.get_logger(__name__)


class WatchedFile(Generic[Value]):
    """Reads a file again after a change, when its value is asked for.

    Args:
        path: The file, which may not exist yet.
        read: Returns the file's value, or raises a ``ConfigurationError`` that quotes no secret.
        absent: The value of a missing or invalid file.
        event: The log event for an invalid file.

    Raises:
        ConfigurationError: The file exists, and is invalid.
    """

    def __init__(self, path: Path, read: Callable[[Path], Value], *, absent: Value, event: str) -> None:
        self._path = path
        self._read = read
        self._absent = absent
        self._event = event
        self._value = absent
        self._stamp: tuple[int, ...] | None = None
        self._told: str | None = None
        self._read_if_changed()

    def value(self) -> Value:
        """Return the file's value now; ``absent`` if it is invalid, which is logged once."""
        try:
            self._read_if_changed()
        except ConfigurationError as error:
            self._value, self._stamp = self._absent, None  # removed entries must not stay valid
            if self._told != str(error):
                self._told = str(error)
                log.error(self._event, detail=self._told)  # noqa: TRY400 -- the message says it all
        return self._value

    def _read_if_changed(self) -> None:
        try:
            status = self._path.stat()
        except OSError:
            self._value, self._stamp = self._absent, None
            return
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        if stamp != self._stamp:
            self._value = self._read(self._path)
            self._stamp = stamp  # only now: what could not be read is read again when it is asked for next
            self._told = None
