"""A data folder, and what starts servers in it and stops them after the test."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect.postgres.servers import Start

from recollect.postgres.embedded import EmbeddedServer, start_embedded

USER = """
import sys
from pathlib import Path
from recollect.postgres.embedded import start_embedded
server = start_embedded(Path(sys.argv[1]))
print(server.dsn, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="recollect-embedded-") as created:
        Path(created).chmod(0o711)
        yield Path(created)


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts a server, in ``folder`` unless told otherwise, and has it stopped after the test."""
    servers: list[EmbeddedServer] = []

    def start_one(data_dir: Path = folder, **arguments: float) -> EmbeddedServer:
        servers.append(start_embedded(data_dir, **arguments))
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
