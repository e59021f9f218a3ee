"""Recollect as a system of the bench: with memories, and with its database gone. Never: what is measured."""

import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.internals import variables

from bench.speed.prompts import MEMORIES, WHOLE, statements
from bench.speed.systems import Caller, Server, System, free_port, started
from bench.speed.watching import family, mebibytes

CHATS = 200
_READER = b"X-OpenWebUI-User-Id: reader\r\nX-OpenWebUI-Chat-Id: local:bench\r\n"
_STOP_SECONDS = 30.0


@dataclass(frozen=True)
class Installation:
    """A data folder of Recollect's, and what its server is told.

    Attributes:
        upstream: Port of the LLM.
        data_dir: The folder.
        token: Of the memory API.
    """

    upstream: int
    data_dir: Path
    token: str

    @contextmanager
    def running(self) -> Iterator[Server]:
        """Run `recollect serve`."""
        port = free_port()
        environ = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        told = {
            "RECOLLECT_ADMIN_TOKEN": self.token,
            "RECOLLECT_FORMATION": "qa_turn",
        }
        # A temporary chat recalls, then, and leaves no memory: the store stays as large as it is.
        told |= variables({"recall_in_temporary": True})
        command: list[str | Path] = [
            Path(sys.executable).with_name("recollect"),
            "serve",
            "--log-level",
            "error",
        ]
        command += ["--upstream", f"http://127.0.0.1:{self.upstream}/v1", "--port", str(port)]
        command += ["--data-dir", self.data_dir]
        with started(command, port, environ=environ | told, headers={}, log=self.data_dir / "log") as server:
            yield server

    def api(self, server: Server) -> Caller:
        """Return a connection to the memory API."""
        return Caller(server.port, {"Authorization": f"Bearer {self.token}"})


def installation(folder: Path, upstream: int) -> Installation:
    """Make a data folder."""
    folder.mkdir()
    folder.chmod(0o711)  # as root the database runs as another account, which has to get in
    return Installation(upstream, folder, secrets.token_urlsafe())


@contextmanager
def recollect(folder: Path, upstream: int) -> Iterator[tuple[Server, dict[str, object]]]:
    """Run Recollect with a reader's memories; yield it, and what starting it cost."""
    installed = installation(folder, upstream)
    with installed.running() as server:
        first = server.start_seconds
    with installed.running() as server:
        idle = mebibytes(server.process.pid)
        api = installed.api(server)
        chat(server, api)
        costs: dict[str, object] = {
            "start_seconds": {"first": round(first, 2), "second": round(server.start_seconds, 2)},
            "mebibytes": {"idle": idle, f"after_{CHATS}_chats": mebibytes(server.process.pid)},
        }
        for statement in statements(MEMORIES):
            api.call("POST", "/memory/users/reader/memories", {"content": statement})
        yield server, costs


def chat(server: Server, api: Caller) -> None:
    """Have chats of one person, one after another, and wait until memories are formed of them."""
    talker = Caller(server.port, {"X-OpenWebUI-User-Id": "talker", "X-OpenWebUI-Chat-Id": "one"})
    for statement in statements(CHATS):
        body = {"model": WHOLE, "messages": [{"role": "user", "content": statement}]}
        talker.call("POST", "/v1/chat/completions", body)
    while api.call("GET", "/memory/health")["formation"]["formed"] < CHATS:
        time.sleep(0.1)


@contextmanager
def recollect_without_store(folder: Path, upstream: int) -> Iterator[Server]:
    """Run Recollect, and stop its database under it."""
    installed = installation(folder, upstream)
    with installed.running() as server:
        [recorded] = folder.rglob("postmaster.pid")
        postmaster = int(recorded.read_text().split()[0])
        if postmaster not in family(server.process.pid):
            sys.exit("The database that was to be stopped is not Recollect's own.")
        os.kill(postmaster, signal.SIGINT)
        patient_until = time.monotonic() + _STOP_SECONDS
        while postmaster in family(server.process.pid) and recorded.exists():
            if time.monotonic() > patient_until:
                sys.exit("The database did not stop.")
            time.sleep(0.05)
        yield server


def with_memory(server: Server) -> list[System]:
    """Return the ways Recollect is spoken to while its store is there."""
    key = System.headers
    return [
        System("off", "Recollect, memory off", server.port, key, server),
        System("on", "Recollect, new questions", server.port, key + _READER, server),
        System(
            "cached",
            "Recollect, same question",
            server.port,
            key + _READER,
            server,
            same_question=True,
        ),
    ]


def without_store(server: Server) -> list[System]:
    """Return the way it is spoken to while it is not."""
    return [System("down", "Recollect, database stopped", server.port, System.headers + _READER, server)]
