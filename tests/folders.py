"""Folders for tests. Never: a test."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.postgres import start_embedded


@contextmanager
def database_folder() -> Iterator[Path]:
    """Make a data folder for an embedded database, which is stopped in the end whatever happened."""
    with tempfile.TemporaryDirectory(prefix="recollect-tests-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root the database runs as another account, which has to get in
        yield folder
        if (folder / "postgres").exists():
            start_embedded(folder).stop()  # joins the one that runs, and is its last user
