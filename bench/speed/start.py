"""What a start takes, cold and warm: python -m bench start [--before CHECKOUT] [--rounds 5].

A cold start makes the database; a warm one finds it. Timed is `recollect serve` with the embedded Postgres, from its command to
`/memory/ready`, to the first chat that was given a memory, and until nothing works any more, by the clock and in processor time of all
its processes. With `--before` the code of another checkout starts by turns with this one's. On a busy machine only
processor time means anything. Never: a test, what is answered.
"""

import argparse
import compileall
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median

from bench.speed.systems import end, free_port, mock_upstream
from bench.speed.watching import cpu_seconds, family

_HERE = Path(__file__).resolve().parents[2]
_MAIN = """
try: from recollect_proxy.recollect_command import main
except ImportError: from recollect_proxy.commands.cli import main  # of earlier commits
main()
"""
_PATIENCE_SECONDS = 120.0
_LOOK_SECONDS = 0.01
_REST_SECONDS = 1.0
_AT_REST = 0.05
"""The share of a processor below which the processes are at rest."""

_PERSON = {"X-OpenWebUI-User-Id": "anna", "Content-Type": "application/json"}
_TOLD = '{"content": "Lives in Lisbon."}'
_ASKED = '{"model": "m", "messages": [{"role": "user", "content": "Which city do I live in?"}]}'


@dataclass(frozen=True, slots=True)
class Start:
    """What one start took, in seconds: by the clock, and of the processors for all its processes.

    Attributes:
        ready: Until it was ready, by the clock.
        ready_cpu: The same of the processors.
        recalled: Until the first chat that was given a memory; None at a cold start, which has none.
        recalled_cpu: The same of the processors.
        rest_cpu: Of the processors until nothing works any more: what begins once it is ready is in it.
    """

    ready: float
    ready_cpu: float
    recalled: float | None
    recalled_cpu: float | None
    rest_cpu: float


class NotStartedError(Exception):
    """A server is not ready in time, or recalls nothing."""


def measure(checkout: Path, folder: Path, upstream: int) -> tuple[Start, Start]:
    """Start the code of a checkout twice in an empty data folder; return the cold start and the warm one.

    Raises:
        NotStartedError: It does not start, or the warm one recalls nothing.
    """
    token = secrets.token_urlsafe()
    return tuple(_start(checkout, folder, upstream, token, is_cold=cold) for cold in (True, False))  # type: ignore[return-value]


def _start(checkout: Path, folder: Path, upstream: int, token: str, *, is_cold: bool) -> Start:
    port = free_port()
    environ = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    environ |= {
        "PYTHONPATH": os.pathsep.join(str(checkout / part) for part in ("src", "proxy")),
        "RECOLLECT_ADMIN_TOKEN": token,
    }
    options = [
        "--upstream",
        f"http://127.0.0.1:{upstream}/v1",
        "--port",
        str(port),
        "--data-dir",
        str(folder),
    ]
    began = time.perf_counter()
    with (folder / "words").open("ab") as words:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN, "serve", *options],
            env=environ,
            cwd="/",
            stdout=words,
            stderr=words,
        )
    try:
        _until(process, port, "GET", "/memory/ready")
        ready, ready_cpu = time.perf_counter() - began, _used(process)
        recalled = recalled_cpu = None
        if not is_cold:
            _until(
                process, port, "POST", "/v1/chat/completions", _ASKED, _PERSON, named="x-recollect-memories"
            )
            recalled, recalled_cpu = time.perf_counter() - began, _used(process)
        rest_cpu = _at_rest(process)
        if is_cold:
            bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            _until(process, port, "POST", "/memory/users/anna/memories", _TOLD, bearer)
        return Start(ready, ready_cpu, recalled, recalled_cpu, rest_cpu)
    finally:
        end(process)


def _until(
    process: "subprocess.Popen[bytes]",
    port: int,
    method: str,
    path: str,
    body: str | None = None,
    headers: dict[str, str] | None = None,
    *,
    named: str = "content-type",
) -> None:
    """Ask until the answer is a success that has a header other than 0."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until and process.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            answer.read()
            if answer.status < HTTPStatus.MULTIPLE_CHOICES and answer.getheader(named, "0") != "0":
                return
        except (OSError, HTTPException):
            pass  # it does not listen yet
        finally:
            connection.close()
        time.sleep(_LOOK_SECONDS)
    raise NotStartedError(f"{method} {path} does not succeed")


def _used(process: "subprocess.Popen[bytes]") -> float:
    return cpu_seconds(family(process.pid))


def _at_rest(process: "subprocess.Popen[bytes]") -> float:
    """Wait until the processes do nothing, and return the processor time that they used."""
    used = _used(process)
    while True:
        time.sleep(_REST_SECONDS)
        before, used = used, _used(process)
        if used - before < _AT_REST * _REST_SECONDS:
            return used


def table(found: dict[str, Sequence[tuple[Start, Start]]]) -> Iterator[str]:
    """Yield the lines of the table: medians over the rounds, of each checkout cold and warm."""
    yield "| start | rounds | ready, s | processor | first recalled chat, s | processor | processor until at rest |"
    yield "|---|---|---|---|---|---|---|"
    for which, kind in enumerate(("cold", "warm")):
        for name, rounds in found.items():
            starts = [each[which] for each in rounds]
            cells = [
                _middle([getattr(each, figure) for each in starts])
                for figure in ("ready", "ready_cpu", "recalled", "recalled_cpu", "rest_cpu")
            ]
            yield f"| {kind}, {name} | {len(starts)} | {' | '.join(cells)} |"


def _middle(values: Sequence[float | None]) -> str:
    known = [each for each in values if each is not None]
    return f"{median(known):.2f}" if known else ""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--before", type=Path, help="a checkout of another commit, started by turns with this"
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="of a cold and a warm start (default: %(default)s)"
    )
    options = parser.parse_args()
    if options.before is not None and not (options.before / "src" / "recollect").is_dir():
        parser.error("--before names no checkout")
    checkouts = {"now": _HERE}
    if options.before is not None:
        checkouts = {"before": options.before.resolve(), **checkouts}
    found: dict[str, list[tuple[Start, Start]]] = {name: [] for name in checkouts}
    for checkout in checkouts.values():  # as a start finds it that is not the first
        for part in ("src", "proxy"):
            compileall.compile_dir(checkout / part, quiet=1)
    load = os.getloadavg()[0]
    with mock_upstream() as upstream:
        for number in range(options.rounds):
            for name, checkout in sorted(checkouts.items(), reverse=bool(number % 2)):
                with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="start-") as folder:
                    Path(folder).chmod(0o711)
                    found[name].append(measure(checkout, Path(folder), upstream.port))
    print("\n".join(table({**found})))
    print(f"\n{os.cpu_count()} cores, load {load:.1f} before and {os.getloadavg()[0]:.1f} after.")
