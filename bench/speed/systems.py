"""The servers of the bench: started as a person starts them, frozen, ended. Never: what is measured."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.speed.client import Target
from bench.speed.prompts import Requests
from bench.speed.watching import cores, family, on_core

_START_SECONDS = 180.0
_STOP_SECONDS = 60.0


class NotStartedError(Exception):
    """A server did not start."""


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        process: Its first process.
        port: Where it listens on the loopback.
        start_seconds: How long it took from its start to a served request; 0: not measured.
    """

    process: "subprocess.Popen[bytes]"
    port: int
    start_seconds: float = 0.0

    def freeze(self) -> None:
        """Stop it and all its children where they are, so that they take nothing from another."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for each in family(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(each, number)


@dataclass(frozen=True)
class System:
    """One of what is compared: a server, and how it is spoken to.

    Attributes:
        name: As in the results.
        title: As in the table.
        port: Where it listens.
        headers: Lines that go with each request.
        server: What runs; None: nothing stands between, the mock is asked directly.
        same_question: Whether it is asked the same question again and again.
    """

    name: str
    title: str
    port: int
    headers: bytes = b"Authorization: Bearer sk-of-the-client\r\n"
    server: Server | None = None
    same_question: bool = False

    def processes(self) -> list[int]:
        """Return its processes, of which the direct way has none."""
        return family(self.server.process.pid) if self.server else []

    def target(self, model: str, size: int, questions: Iterator[bytes]) -> Target:
        """Return it as a load sees it."""
        asked = _repeated(next(questions)) if self.same_question else questions
        return Target(self.port, Requests(model, size, self.headers, asked))


_THE_SAME: list[bytes] = []


def _repeated(question: bytes) -> Iterator[bytes]:
    """Yield one question for ever, the same one in the whole run."""
    _THE_SAME.append(question)
    while True:
        yield _THE_SAME[0]


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def mock_upstream() -> Iterator[Server]:
    """Run the mock on the core of the load."""
    with on_core(cores()[1]):
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("mock_upstream.py"))], stdout=subprocess.PIPE
        )
    try:
        assert process.stdout is not None
        yield Server(process, int(process.stdout.readline()))
    finally:
        end(process)


@contextmanager
def started(
    command: Sequence[str | Path],
    port: int,
    *,
    environ: Mapping[str, str],
    headers: Mapping[str, str],
    log: Path,
) -> Iterator[Server]:
    """Run a server on the core of the systems, wait until it answers, and end it on leaving.

    Args:
        command: What to run.
        port: Where it will listen.
        environ: Its whole environment.
        headers: For the requests that wait for it.
        log: The file its words go to.

    Raises:
        NotStartedError: It ended, or does not answer.
    """
    began = time.perf_counter()
    with on_core(cores()[0]), log.open("ab") as words:
        process = subprocess.Popen(command, env=environ, stdout=words, stderr=words)
    server = Server(process, port)
    try:
        if not _answers(server, began, headers):
            told = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise NotStartedError(f"{Path(command[0]).name} does not answer; its last words: {told}")
        yield Server(process, port, time.perf_counter() - began)
    finally:
        server.thaw()
        end(process)


def _answers(server: Server, began: float, headers: Mapping[str, str]) -> bool:
    while time.perf_counter() - began < _START_SECONDS and server.process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            if Caller(server.port, headers).status("/v1/models") == http.HTTPStatus.OK:
                return True
        time.sleep(0.01)
    return False


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a process, by force if it does not listen."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Caller:
    """A kept connection for what is not measured."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        """Connect on first use, and send ``headers`` with every request."""
        self._headers = {"Content-Type": "application/json", **headers}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def status(self, path: str) -> int:
        """Return the status of a GET, and close."""
        try:
            self._connection.request("GET", path, headers=self._headers)
            return self._connection.getresponse().status
        finally:
            self._connection.close()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request; return the answer's JSON, or exit if it is an error."""
        encoded = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, encoded, self._headers)
        response = self._connection.getresponse()
        text = response.read()
        if response.status >= http.HTTPStatus.BAD_REQUEST:
            sys.exit(f"{method} {path} was answered with {response.status}.")
        return json.loads(text)
