"""`recollect demo` as a person runs it."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scripted_upstream import ScriptedUpstream, failure

from recollect_proxy.demo.command import demo
from recollect_proxy.settings import ProxySettings

RECOLLECT = str(Path(sys.executable).with_name("recollect"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the demo's temporary files go."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-test-") as name:
        Path(name).chmod(0o711)  # as root the database runs as another account, which has to get in
        yield Path(name)


@pytest.fixture
def environment(operator_settings: ProxySettings, folder: Path) -> dict[str, str]:
    """Of an operator who serves another database, which no demo may touch."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return clean | {
        "COLUMNS": "80",
        "TMPDIR": str(folder),
        "RECOLLECT_DATA_DIR": str(operator_settings.data_dir),
        "RECOLLECT_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/never-touched",
        "RECOLLECT_RECALL_DEADLINE_MS": "10000",
        "ORT_DISABLE_TELEMETRY": "1",  # else onnxruntime leaves a file there when it is imported
    }


def run(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [RECOLLECT, "demo", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def processes_of(folder: Path) -> list[str]:
    listed = subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]


def test_it_shows_two_people_what_each_of_them_told_and_leaves_nothing_behind(
    environment: dict[str, str], folder: Path
) -> None:
    ended = run(environment)

    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "a demo model" in lines[0] + lines[1]
    assert sum(line.startswith("ok ") for line in lines) == 9
    assert "recollect  2 memories injected" in [line.rstrip() for line in lines]
    assert "recollect  0 memories injected (nothing-relevant)" in [line.rstrip() for line in lines]
    assert "(demo model) From what I was told: [SAID] My sailing boat" in ended.stdout
    assert list(folder.iterdir()) == []
    assert processes_of(folder) == []


def test_it_fails_when_what_must_come_of_it_does_not(environment: dict[str, str]) -> None:
    ended = run(environment | {"RECOLLECT_RECALL_GATE": "1"})

    assert ended.returncode == 1
    assert "FAILED     Alice was reminded of their own words in a new chat" in ended.stdout
    assert "ok         nothing of Bob's was shown to Alice" in ended.stdout


def test_asked_to_end_it_clears_away_what_it_began(environment: dict[str, str], folder: Path) -> None:
    with subprocess.Popen([RECOLLECT, "demo"], env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Recollect at http://127.0.0.1:")
        assert processes_of(folder)
        process.send_signal(signal.SIGTERM)
        process.wait(60)

    assert process.returncode not in {0, -signal.SIGTERM}
    assert list(folder.iterdir()) == []
    assert processes_of(folder) == []


async def test_an_llm_that_fails_is_told_in_a_line(environment: dict[str, str]) -> None:
    async with ScriptedUpstream(lambda _request: failure(401, message="Wrong key.")) as llm:
        ended = await asyncio.to_thread(run, environment, "--upstream", llm.base_url, "--api-key", "sk-wrong")

    assert ended.returncode == 1
    assert "Wrong key." in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "sk-wrong" not in ended.stderr + ended.stdout


def test_an_upstream_that_is_no_url_is_told(environment: dict[str, str]) -> None:
    ended = run(environment, "--upstream", "nonsense")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "RECOLLECT_UPSTREAM: " in ended.stderr


def test_a_demo_that_can_not_be_set_up_is_told(environment: dict[str, str]) -> None:
    ended = run(environment | {"RECOLLECT_EMBEDDER": "local:/no/such/folder"})

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "/no/such/folder" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("missing", ["openai", "httpx"])
def test_without_the_sdk_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith("recollect_proxy.demo.")]:
        if name != "recollect_proxy.demo.command":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed

    with pytest.raises((SystemExit, ModuleNotFoundError)) as raised:
        demo()

    said = "pip install 'recollect-memory[demo]'" in str(raised.value)
    assert said is (missing == "openai"), "what else is missing is no matter of the extra"
