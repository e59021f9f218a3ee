"""The systems that are compared, each as a load sees it, and Recollect as several of them: with memories, and with its database gone.

Never: a figure.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import httpx

from bench.servers import Server, client, environment, memory_api
from bench.servers import recollect as serve
from bench.speed.prompts import MEMORIES, WHOLE, Questions, Requests, statements
from bench.watching import cores, family, mebibytes

CHATS = 200
_STOP_SECONDS = 30.0


@dataclass(frozen=True)
class System:
    """A server that is compared, and how it is spoken to.

    Attributes:
        headers: Lines that go with each request.
        server: The server; None: nothing stands between, and the mock is asked directly.
        same_question: Whether it is asked the same question again and again.
        version: The version of a system that is not ours.
    """

    name: str
    title: str
    port: int
    headers: bytes = b"Authorization: Bearer sk-of-the-client\r\n"
    server: Server | None = None
    same_question: bool = False
    version: str = ""

    def processes(self) -> list[int]:
        """Return its processes, of which the direct way has none."""
        return family(self.server.process.pid) if self.server else []

    def requests(self, model: str, size: int, questions: Iterator[bytes]) -> Requests:
        """Return requests to it."""
        asked = repeat(next(Questions())) if self.same_question else questions
        return Requests(self.port, model, size, self.headers, asked)


def of_person(person: str) -> bytes:
    """Return the headers of a person who chats temporarily: such a chat recalls here, and leaves no memory."""
    return System.headers + f"X-OpenWebUI-User-Id: {person}\r\nX-OpenWebUI-Chat-Id: local:bench\r\n".encode()


def _running(data_dir: Path, upstream: str) -> AbstractContextManager[Server]:
    """Run it on the core of the systems."""
    environ = environment(upstream=upstream, formation="qa_turn", recall_in_temporary=True)
    return serve(data_dir, environ, log_level="error", core=cores()[0])


@contextmanager
def recollect(folder: Path, upstream: str) -> Iterator[tuple[Server, dict[str, object]]]:
    """Run Recollect with a reader's memories; yield it, and the costs of starting it."""
    folder.mkdir(mode=0o711)
    with _running(folder, upstream) as server:
        first = server.start_seconds
    with _running(folder, upstream) as server:
        idle = mebibytes(server.process.pid)
        api = memory_api(server)
        _chat(server, api)
        costs: dict[str, object] = {
            "start_seconds": {"first": round(first, 2), "second": round(server.start_seconds, 2)},
            "mebibytes": {"idle": idle, f"after_{CHATS}_chats": mebibytes(server.process.pid)},
        }
        for statement in statements(MEMORIES):
            api.post("/memory/users/reader/memories", json={"content": statement})
        yield server, costs


def _chat(server: Server, api: httpx.Client) -> None:
    """Have chats of one person, one after another, and wait until memories are formed of them."""
    with client(server, {"X-OpenWebUI-User-Id": "talker", "X-OpenWebUI-Chat-Id": "one"}) as talker:
        for statement in statements(CHATS):
            body = {"model": WHOLE, "messages": [{"role": "user", "content": statement}]}
            talker.post("/v1/chat/completions", json=body)
    while api.get("/memory/health").json()["formation"]["formed"] < CHATS:
        time.sleep(0.1)


@contextmanager
def recollect_without_store(folder: Path, upstream: str) -> Iterator[Server]:
    """Run Recollect, and stop its database under it."""
    folder.mkdir(mode=0o711)
    with _running(folder, upstream) as server:
        [recorded] = folder.rglob("postmaster.pid")
        postmaster = int(recorded.read_text().split()[0])
        os.kill(postmaster, signal.SIGINT)
        patient_until = time.monotonic() + _STOP_SECONDS
        while postmaster in family(server.process.pid) and recorded.exists():
            if time.monotonic() > patient_until:
                sys.exit("The database did not stop.")
            time.sleep(0.05)
        yield server
