"""What `make dist` builds: sdists that make the same wheels; wheels that `pip` installs, and that form and recall a memory alone."""

import asyncio
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.scripted.answers import Answer, completion
from tests.scripted.extraction import Lesson, Pupil, asked_for
from tests.scripted.upstream import Received, ScriptedUpstream
from tests.servers.served_process import served_process
from tests.support.waiting import until

from recollect.models.embedders.onnx_model import installed_model

REPOSITORY = Path(__file__).parents[2]
DIST = REPOSITORY / "dist"
LARGEST = 100_000_000
"""PyPI's limit for a file, in bytes."""

SAID, ASKED = "I live in Lisbon.", "In which city do I live?"
ELSEWHERE = ("aarch64-apple-darwin", "aarch64-unknown-linux-gnu")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def environment(home: Path) -> dict[str, str]:
    """Return this process's environment with an empty home, without our settings and the path to our sources."""
    left_out = ("RECOLLECT_", "PYTHON", "XDG_")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)} | {
        "HOME": str(home)
    }


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="recollect-wheel-") as made:
        Path(made).chmod(0o711)  # as root the embedded database runs as another account
        yield Path(made)


@pytest.fixture(scope="module")
def home(folder: Path) -> Path:
    (folder / "home").mkdir(mode=0o711)
    return folder / "home"


@pytest.fixture(scope="module")
def installed(folder: Path) -> Path:
    """Install the wheels as a person does, and return the environment's programs."""
    wheels = sorted(map(str, DIST.glob("*.whl")))
    assert len(wheels) == 2, "`make dist` builds them"
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    install = [str(folder / "env/bin/pip"), "install", "--quiet", *wheels]
    subprocess.run(install, check=True, env=environment(folder), cwd=folder)  # pip leaves files at home
    return folder / "env/bin"


def test_each_file_is_one_that_the_package_index_takes() -> None:
    sizes = {file.name: file.stat().st_size for file in DIST.iterdir()}

    assert len(sizes) == 4
    assert max(sizes.values()) < LARGEST, sizes


def test_the_weights_come_with_their_licences_for_any_platform() -> None:
    [wheel] = DIST.glob("recollect_memory_weights-*-py3-none-any.whl")
    names = {name for name in ZipFile(wheel).namelist() if not name.endswith((".py", "/"))}
    files = {name.partition("/models/")[2] for name in names if "/models/" in name}
    licences = {name.rpartition("/")[2] for name in names if "/licenses/" in name}

    model = installed_model("multilingual-e5-small")
    assert files == {f"{model.name}/{file.name}" for file in model.iterdir()}
    assert licences == {"NOTICE.txt", f"{model.name}.txt"}


@pytest.mark.parametrize("name", ["recollect_memory-0.1.0", "recollect_memory_weights-1.0"])
def test_the_sdist_builds_the_same_wheel(name: str, folder: Path) -> None:
    with tarfile.open(DIST / f"{name}.tar.gz") as packed:
        packed.extractall(folder, filter="data")
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(folder / "again"),
    ]
    subprocess.run(build, cwd=folder / name, check=True, capture_output=True)

    [wheel] = DIST.glob(f"{name}-*.whl")
    assert (folder / "again" / wheel.name).read_bytes() == wheel.read_bytes()


def test_both_packages_fit_each_other_and_all_they_need(installed: Path) -> None:
    subprocess.run([installed / "pip", "check"], check=True)


async def test_the_first_memory_is_formed_and_recalled(installed: Path, home: Path) -> None:
    pupil = Pupil([Lesson(SAID)])

    def answered(request: Received) -> Answer:
        return pupil(request) if asked_for(request) else completion("Noted.")

    environ = environment(home) | {"RECOLLECT_FORMATION_YIELDS": "never"}
    async with ScriptedUpstream(answered) as upstream:
        options = ("--upstream", upstream.base_url, "--data-dir", str(home / "data"))
        async with served_process(*options, environ=environ, program=installed / "recollect") as served:
            url = f"http://127.0.0.1:{served.port}"
            await until(lambda: is_ready(f"{url}/memory/ready"))
            assert await asyncio.to_thread(chat, url, SAID) == "0"

            async def recalled() -> bool:
                return await asyncio.to_thread(chat, url, ASKED) == "1"

            await until(recalled)
            chats = [each for each in upstream.received if not asked_for(each)]
    assert SAID in json.dumps(chats[-1].json)
    assert os.listdir(home) == ["data"]  # noqa: PTH208 - nothing else waits for the disk


def chat(url: str, words: str) -> str:
    """Say something in a chat of its own, and return how many memories were recalled."""
    said = {"model": "any", "messages": [{"role": "user", "content": words}]}
    headers = {"Content-Type": "application/json", "X-OpenWebUI-User-Id": "alice"}
    request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(said).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.headers["x-recollect-memories"])


def is_ready(url: str) -> bool:
    """Return whether the proxy serves."""
    try:
        with urllib.request.urlopen(url, timeout=4) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", ELSEWHERE)
def test_all_that_runs_has_wheels_where_it_was_never_run(platform: str, python: str, tmp_path: Path) -> None:
    looked = looked_for(platform, python, tmp_path)

    assert looked.returncode == 0, looked.stderr


def test_a_platform_without_a_wheel_is_found(tmp_path: Path) -> None:
    assert "cryptography" in looked_for("x86_64-apple-darwin", "3.12", tmp_path).stderr


def looked_for(platform: str, python: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Ask the index for a wheel of each locked requirement, and download none."""
    return subprocess.run(
        [
            *(Path(sys.executable).with_name("uv"), "pip", "install", "--dry-run", "--quiet"),
            *("--target", folder, "--python-platform", platform, "--python-version", python),
            *("--only-binary", ":all:", "--no-deps", "--require-hashes"),
            *("-r", REPOSITORY / "requirements" / "run.txt"),
        ],
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},  # onnxruntime's oldest
        capture_output=True,
        text=True,
        check=False,
    )
