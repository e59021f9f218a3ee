"""The servers of the bench: started as a person starts them, watched, and ended. Never: what is measured."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_START_SECONDS = 180.0
_STOP_SECONDS = 60.0
_KIBIBYTES_A_MEBIBYTE = 1024
_HERE = Path(__file__).parent


def seconds_to_serve(port: int, began: float, process: "subprocess.Popen[bytes]") -> float:
    """Wait until a request is answered through the proxy; return the seconds since ``began``."""
    while time.perf_counter() - began < _START_SECONDS:
        if process.poll() is not None:
            sys.exit(f"`recollect serve` ended with {process.returncode}; its words are above.")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/v1/models")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return time.perf_counter() - began
        except OSError:
            pass  # not listening yet
        finally:
            connection.close()
        time.sleep(0.01)
    sys.exit("`recollect serve` did not answer in time.")


@contextmanager
def fast_upstream() -> Iterator[str]:
    """Run the upstream in a process of its own; yield its base URL."""
    process = subprocess.Popen([sys.executable, str(_HERE / "fast_upstream.py")], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        _end(process)


@contextmanager
def recollect(
    upstream: str, port: int, data_dir: Path, environment: dict[str, str]
) -> Iterator[tuple["subprocess.Popen[bytes]", float]]:
    """Run `recollect serve`; yield its process, and the seconds it took to serve a request."""
    command = [str(Path(sys.executable).with_name("recollect")), "serve", "--log-level", "error"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--upstream", upstream, "--port", str(port), "--data-dir", str(data_dir)],
        env=own | environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield process, seconds_to_serve(port, began, process)
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Connection:
    """A kept connection to a server's base URL."""

    def __init__(self, base_url: str, headers: dict[str, str] | None = None) -> None:
        """Connect on first use, and send ``headers`` with every request."""
        parts = urlsplit(base_url)
        self._path = parts.path
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)

    def chat(self, text: str) -> tuple[float, str]:
        """Send a streamed chat; return the milliseconds to the body's first byte, and what was recalled."""
        body = json.dumps(
            {"model": "fast", "stream": True, "messages": [{"role": "user", "content": text}]}
        ).encode()
        began = time.perf_counter()
        self._connection.request("POST", f"{self._path}/chat/completions", body, self._headers)
        response = self._connection.getresponse()
        response.read(1)
        milliseconds = (time.perf_counter() - began) * 1000
        response.read()
        if response.status != http.HTTPStatus.OK:
            sys.exit(f"A chat was answered with {response.status}.")
        return milliseconds, response.headers.get("x-recollect-memories", "0")

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request; return the answer's JSON."""
        encoded = None if body is None else json.dumps(body).encode()
        self._connection.request(method, f"{self._path}{path}", encoded, self._headers)
        response = self._connection.getresponse()
        text = response.read()
        if response.status >= http.HTTPStatus.BAD_REQUEST:
            sys.exit(f"{method} {path} was answered with {response.status}.")
        return json.loads(text)


def resident_mebibytes(process_id: int) -> float | None:
    """Return a process's resident memory; None where the system does not tell."""
    return _memory(process_id, "status", "VmRSS")


def postgres_mebibytes(data_dir: Path) -> float | None:
    """Return the memory of the database's processes, what they share counted once (PSS); or None."""
    found = list((data_dir / "postgres").rglob("postmaster.pid"))
    if not found:
        return None
    postmaster = int(found[0].read_text().split()[0])
    shares = [_memory(each, "smaps_rollup", "Pss") for each in (postmaster, *_children(postmaster))]
    return None if None in shares else sum(share for share in shares if share is not None)


def _children(process_id: int) -> list[int]:
    listed = Path(f"/proc/{process_id}/task/{process_id}/children")
    return [int(child) for child in listed.read_text().split()] if listed.is_file() else []


def _memory(process_id: int, file: str, name: str) -> float | None:
    try:
        lines = Path(f"/proc/{process_id}/{file}").read_text().splitlines()
    except OSError:
        return None
    return next(
        (int(line.split()[1]) / _KIBIBYTES_A_MEBIBYTE for line in lines if line.startswith(f"{name}:")), None
    )
