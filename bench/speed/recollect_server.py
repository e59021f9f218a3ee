"""Recollect as a system of the bench: with memories, and with its database gone. Never: a figure."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bench.servers import Caller, Server, environment, memory_api
from bench.servers import recollect as serve
from bench.speed.prompts import MEMORIES, WHOLE, statements
from bench.speed.systems import System
from bench.watching import cores, family, mebibytes

CHATS = 200
_READER = b"X-OpenWebUI-User-Id: reader\r\nX-OpenWebUI-Chat-Id: local:bench\r\n"
_STOP_SECONDS = 30.0


def _running(data_dir: Path, upstream: str) -> AbstractContextManager[Server]:
    """Run it on the core of the systems."""
    # A temporary chat recalls, then, and leaves no memory: the store stays as large as it is.
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
def recollect_without_store(folder: Path, upstream: str) -> Iterator[Server]:
    """Run Recollect, and stop its database under it."""
    folder.mkdir(mode=0o711)
    with _running(folder, upstream) as server:
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
    port, key = server.port, System.headers
    return [
        System("off", "Recollect, memory off", port, key, server),
        System("on", "Recollect, new questions", port, key + _READER, server),
        System("cached", "Recollect, same question", port, key + _READER, server, same_question=True),
    ]


def without_store(server: Server) -> list[System]:
    """Return the way it is spoken to while it is not."""
    return [System("down", "Recollect, database stopped", server.port, System.headers + _READER, server)]
