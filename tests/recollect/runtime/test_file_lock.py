"""A lock on a file is held by one, and let go of once."""

import os
from pathlib import Path

from recollect.runtime.file_lock import FileLock


def test_it_is_held_by_one_until_it_is_closed(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")

    assert first.take()
    assert not second.take()
    first.close()
    assert second.take()
    second.close()


def test_closed_twice_it_closes_nothing_of_anybody_elses(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.close()
    another = os.open(tmp_path / "another", os.O_WRONLY | os.O_CREAT)
    assert another == lock.descriptor  # the number is free, and given again

    lock.close()

    os.write(another, b"still open")
    os.close(another)
