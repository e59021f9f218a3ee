"""`make demo` as a person runs it: once as a process, and what it says when it can't be played."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.recollect_proxy.commands.command_line import operators, run
from tests.servers.served_process import environment, processes_in, temporary_files
from typer.testing import Result

from examples.demo import stage
from examples.demo.__main__ import app
from examples.demo.command import demo
from examples.demo.screen import Screen
from recollect.errors import RecollectError
from recollect_proxy.settings.proxy_settings import ProxySettings

REPOSITORY = Path(__file__).parents[3]
ANOTHER_DATABASE = "postgresql://nobody@127.0.0.1:9/never-touched"
"""Of an operator who serves it; no demo may touch it."""


def play(*arguments: str, **environment: str) -> Result:
    return run(app, *arguments, **environment)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the demo's temporary files go."""
    with temporary_files() as folder:
        yield folder


@pytest.mark.process
def test_it_shows_what_is_learned_replaced_recalled_kept_apart_and_undone_and_leaves_nothing_behind(
    operator_settings: ProxySettings, folder: Path
) -> None:
    given = environment(database_url=ANOTHER_DATABASE) | operators(operator_settings)
    own = {
        "COLUMNS": "80",
        "TMPDIR": str(folder),
        "ORT_DISABLE_TELEMETRY": "1",  # else onnxruntime leaves a file there when it is imported
    }

    ended = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=REPOSITORY,
        env=given | own,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    assert "a script" in lines[0]
    shown = [" ".join(line.split()) for line in lines]
    for line in (
        "remembered Is allergic to walnuts",
        "replaced Lives in Porto -> Lives in Braga",
        "LLM (scripted) My prompt says: Lives in Braga",
        "recalled nothing",
        "undone Lives in Braga -> Lives in Porto",
    ):
        assert line in shown
    assert shown[-1].startswith("All came out as it must")
    assert list(folder.iterdir()) == []
    assert processes_in(folder) == []


@pytest.mark.usefixtures("ready_server")
def test_it_fails_when_what_must_come_of_it_does_not(
    operator_settings: ProxySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "_PATIENCE_SECONDS", 1.0)

    ended = play(
        **operators(operator_settings), RECOLLECT_DATABASE_URL=ANOTHER_DATABASE, RECOLLECT_RECORD="false"
    )

    assert ended.exit_code == 1
    assert "FAILED     Learned: nothing with 'Porto' was remembered" in ended.stdout


@pytest.mark.process
@pytest.mark.usefixtures("sigterm_as_in_a_process")
def test_asked_to_end_it_clears_away_what_it_began(
    operator_settings: ProxySettings, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    def asked_to_end(*_: object, **__: object) -> None:
        began.extend(processes_in(folder))
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(Screen, "introduce", asked_to_end)

    ended = play(**operators(operator_settings))

    assert ended.exit_code not in {0, -signal.SIGTERM}
    assert began
    assert list(folder.iterdir()) == []
    assert processes_in(folder) == []


def test_an_llm_that_fails_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(_settings: ProxySettings, *, is_real: bool, api_key: str, model: str | None) -> bool:
        assert (is_real, api_key, model) == (True, "sk-wrong", None)
        raise stage.PlayFailedError("Wrong key.")

    monkeypatch.setattr(stage, "stage", failing)

    ended = play("--upstream", "http://127.0.0.1:9/v1", "--api-key", "sk-wrong")

    assert (ended.exit_code, ended.stderr, ended.stdout) == (1, "Wrong key.\n", "")


def test_an_upstream_that_is_no_url_is_told() -> None:
    ended = play("--upstream", "nonsense")

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "RECOLLECT_UPSTREAM: " in ended.stderr


@pytest.mark.usefixtures("ready_server")
def test_a_demo_that_can_not_be_set_up_is_told(operator_settings: ProxySettings) -> None:
    ended = play(**operators(operator_settings), RECOLLECT_EMBEDDER="local:/no/such/folder")

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert isinstance(ended.exception, RecollectError)
    assert "/no/such/folder" in ended.stderr


@pytest.mark.parametrize("missing", ["openai", "httpx"])
def test_without_the_sdk_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith("examples.demo.")]:
        if name not in {"examples.demo.command", "examples.demo.__main__"}:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed

    with pytest.raises((SystemExit, ModuleNotFoundError)) as raised:
        demo()

    said = "pip install 'openai>=2'" in str(raised.value)
    assert said is (missing == "openai"), "what else is missing is no matter of that package"
