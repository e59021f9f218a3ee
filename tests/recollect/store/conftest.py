"""Data folders, and what starts servers in them and stops them after the test."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect.store.embedded.servers import Start
from tests.servers.folders import put_database, quick_folder

from recollect.store.embedded_database import EmbeddedServer, start_embedded

USER = """
import sys
from pathlib import Path
from recollect.store.embedded_database import start_embedded
server = start_embedded(Path(sys.argv[1]))
print(server.dsn, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def empty_folder() -> Iterator[Path]:
    """A data folder with nothing in it."""
    folder = quick_folder()
    yield folder.path
    folder.remove()


@pytest.fixture
def folder(empty_folder: Path) -> Path:
    """A data folder with a database in it, which does not run yet."""
    put_database(empty_folder)
    return empty_folder


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the server of a data folder, and has it stopped after the test."""
    servers: list[EmbeddedServer] = []

    def start_one(data_dir: Path, *, durable: bool = False, **arguments: float) -> EmbeddedServer:
        servers.append(start_embedded(data_dir, durable=durable, **arguments))
        return servers[-1]

    yield start_one
    for server in servers:
        server.stop()


@pytest.fixture
def other_process(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that uses the server until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline().startswith("postgresql://")
    yield process
    process.communicate()
