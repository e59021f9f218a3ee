"""Reads files of one JSON value a line."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from recollect.errors import RecollectError


class DatasetError(RecollectError):
    """A file does not hold what it should."""


def read_lines(paths: Iterable[Path], kind: Any = Any) -> list[Any]:
    """Return the values of all lines of some files, each of a kind."""
    decoder = msgspec.json.Decoder(kind)
    found = []
    for path in paths:
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            try:
                found += [decoder.decode(line)] if line.strip() else []
            except msgspec.DecodeError as error:
                raise DatasetError(f"{path}, line {number}: {error}") from error
    return found
