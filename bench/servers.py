"""The processes that programs measure: `recollect serve` and `recollect worker`, the mock LLM, Postgres."""

import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.servers.external_servers import free_port
from tests.servers.served_process import RECOLLECT

from bench.watching import family, on_core
from recollect.store import start_embedded

TOKEN = secrets.token_urlsafe()
"""Opens the memory API of every server of this run."""

_START_SECONDS = 180.0
_DOWNLOAD_SECONDS = 120
_STOP_SECONDS = 60.0


class NotStartedError(Exception):
    """A server did not start, or this machine lacks something that is needed."""


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        port: Its port on the loopback; 0 without one.
        start_seconds: Seconds from its start to a served request; 0: not measured.
    """

    process: "subprocess.Popen[bytes]"
    port: int = 0
    start_seconds: float = 0.0

    @property
    def url(self) -> str:
        """The base URL of its OpenAI API."""
        return f"http://127.0.0.1:{self.port}/v1"

    def freeze(self) -> None:
        """Stop it, so that it takes no time from another."""
        # Its children go on: a stopped worker would be ended by its watchdog once it goes on, and start again meanwhile.
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def work_folder() -> Iterator[Path]:
    """Make a folder for a run, which an embedded database may enter, and remove it in the end."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="recollect-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root the database runs as another account
        yield folder


def unpack_package(name: str, folder: Path) -> None:
    """Download a Debian package, and unpack it into a new folder."""
    folder.mkdir(parents=True)
    try:
        for command in (["apt-get", "download", name], ["sh", "-c", f"dpkg-deb -x {name}_*.deb ."]):
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_DOWNLOAD_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder)
        raise NotStartedError(f"{name} is not installed, and apt-get download does not give it") from error


@contextmanager
def postgres() -> Iterator[str]:
    """Run an embedded Postgres in a folder of its own, and yield its address."""
    with work_folder() as folder:
        server = start_embedded(folder)
        try:
            yield server.dsn
        finally:
            server.stop()


@contextmanager
def mock_llm(core: int | None = None) -> Iterator[Server]:
    """Run the mock LLM of ``bench.mock_upstream``."""
    program = Path(__file__).with_name("mock_upstream.py")
    with nullcontext() if core is None else on_core(core):
        process = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield Server(process, int(process.stdout.readline()))
    finally:
        end(process)


@contextmanager
def recollect(
    data_dir: Path,
    environ: Mapping[str, str],
    *,
    port: int | None = None,
    log_level: str = "warning",
    path: str = "/v1/models",
    core: int | None = None,
) -> Iterator[Server]:
    """Run `recollect serve` with a data folder, which also takes its log, and wait until it answers."""
    port = port or free_port()
    command: list[str | Path] = [
        *(RECOLLECT, "serve", "--log-level", log_level, "--port"),
        str(port),
        "--data-dir",
        data_dir,
    ]
    with started(command, port, environ=environ, log=data_dir / "log", path=path, core=core) as server:
        yield server


@contextmanager
def worker(data_dir: Path, environ: Mapping[str, str]) -> Iterator[Server]:
    """Run `recollect worker`; the data folder also takes its log."""
    told = {"RECOLLECT_DATA_DIR": str(data_dir)}
    with started([RECOLLECT, "worker"], 0, environ={**environ, **told}, log=data_dir / "log") as server:
        yield server


@contextmanager
def started(
    command: Sequence[str | Path],
    port: int,
    *,
    environ: Mapping[str, str],
    log: Path,
    headers: Mapping[str, str] | None = None,
    path: str = "/v1/models",
    core: int | None = None,
) -> Iterator[Server]:
    """Run a server, wait until it answers, and end it on leaving.

    Args:
        command: The program, and its arguments.
        port: Its port; without one (0) it is not waited for.
        environ: Its whole environment.
        log: The file for its output.
        headers: Headers of the requests that wait for it.
        path: The path of these.
        core: The core it stays on; None: any.
    """
    began = time.perf_counter()
    with nullcontext() if core is None else on_core(core), log.open("ab") as words:
        process = subprocess.Popen(command, env=environ, stdout=words, stderr=words)
    server = Server(process, port)
    try:
        if port and not _answers(server, began, path, headers or {}):
            last = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise NotStartedError(f"{Path(command[0]).name} does not answer; its last words: {last}")
        yield Server(process, port, time.perf_counter() - began)
    finally:
        server.thaw()
        end(process)


def _answers(server: Server, began: float, path: str, headers: Mapping[str, str]) -> bool:
    with client(server, headers) as asking:
        while time.perf_counter() - began < _START_SECONDS and server.process.poll() is None:
            with suppress(httpx.HTTPError):
                asking.get(path)
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


def worker_of(process: int) -> int | None:
    """Return the process in which `recollect serve`, or `recollect worker`, forms memories; None while there is none."""
    for each in family(process)[1:]:
        with suppress(OSError):  # it ended just now
            if b"recollect.worker" in Path(f"/proc/{each}/cmdline").read_bytes():
                return each
    return None


def client(server: Server, headers: Mapping[str, str]) -> httpx.Client:
    """Return a kept connection for setting things up, which raises if it is refused."""
    hooks = {"response": [httpx.Response.raise_for_status]}
    origin = f"http://127.0.0.1:{server.port}"
    return httpx.Client(base_url=origin, headers=headers, timeout=60, trust_env=False, event_hooks=hooks)


def memory_api(server: Server) -> httpx.Client:
    """Return a connection to the memory API of a server."""
    return client(server, {"Authorization": f"Bearer {TOKEN}"})
